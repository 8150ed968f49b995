#include "engine/quota.h"

#include <algorithm>

#include "model/exec_keys.h"
#include "model/quota_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kCreate = "ff_create_quota_policy";
constexpr std::string_view kUpdate = "ff_update_quota_policy";
constexpr std::string_view kAttach = "ff_attach_quota_policy";
constexpr std::string_view kCheck = "ff_check_admission_and_record";
constexpr std::string_view kAdmitBatch = "ff_admit_batch";
constexpr std::string_view kRelease = "ff_release_admission";
constexpr std::string_view kReleaseBatch = "ff_release_admission_batch";
constexpr std::string_view kReconcile = "ff_reconcile_quota";
constexpr std::string_view kVoid = "ff_void_admission";

model::QuotaKeys keys_of(const QuotaAddress& quota) {
    return {quota.id, quota.partitions};
}

std::string_view to_text(ReleaseMode mode) {
    switch (mode) {
        case ReleaseMode::Done:
            return "done";
        case ReleaseMode::Rollback:
            return "rollback";
    }
    return {};
}

std::optional<AdmissionVerdict::Kind> verdict_of(std::string_view word) {
    using enum AdmissionVerdict::Kind;
    if (word == "ADMITTED") return Admitted;
    if (word == "ALREADY_ADMITTED") return AlreadyAdmitted;
    if (word == "RATE_EXCEEDED") return RateExceeded;
    if (word == "CONCURRENCY_EXCEEDED") return ConcurrencyExceeded;
    return std::nullopt;
}

/// How many, their ids and, if any of them has one, their epochs.
void write_executions(CallWriter& to, std::string_view count,
                      const std::vector<EpochOf>& executions) {
    to.arg(count, static_cast<std::int64_t>(executions.size()));
    for (const EpochOf& one : executions) to.arg("execution_id", one.execution_id);
    if (std::ranges::all_of(executions, [](const EpochOf& one) { return one.epoch == 0; })) return;
    for (const EpochOf& one : executions) {
        to.arg("admission_epoch", one.epoch == 0 ? std::string() : std::to_string(one.epoch));
    }
}

/// The keys of the batch forms: window, concurrency, definition, admitted_set.
void write_batch_keys(CallWriter& to, std::string_view function, const model::QuotaKeys& keys) {
    to.begin(function, 4);
    to.key("window", keys.window());
    to.key("concurrency", keys.concurrency());
    to.key("definition", keys.definition());
    to.key("admitted_set", keys.admitted_set());
}

}  // namespace

void CreateQuotaPolicy::write(CallWriter& to) const {
    const auto keys = keys_of(quota);
    to.begin(kCreate, 5);
    to.key("definition", keys.definition());
    to.key("window", keys.window());
    to.key("concurrency", keys.concurrency());
    to.key("admitted_set", keys.admitted_set());
    to.key("quota_policies",
           model::quota_policies_key(model::partition_of(quota.id, quota.partitions)));
    to.arg("quota_policy_id", quota.id.to_string());
    to.arg("window_seconds", window_seconds);
    to.arg("max_requests_per_window", requests_per_window_max);
    to.arg("max_concurrent", concurrent_max);
    to.arg("now_ms", "");
    to.arg("jitter_ms", jitter_ms);
    to.arg("scope_type", scope_type);
    to.arg("scope_id", scope_id);
    to.arg("name", name);
}

Result<CreateQuotaPolicy::Outcome> CreateQuotaPolicy::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCreate, reply));
    return Outcome{.already_satisfied = reader.word() == "ALREADY_SATISFIED"};
}

void UpdateQuotaPolicy::write(CallWriter& to) const {
    to.begin(kUpdate, 1);
    to.key("definition", keys_of(quota).definition());
    to.arg("quota_policy_id", quota.id.to_string());
    to.arg("now_ms", "");
    to.arg("actor", actor);
    to.arg("reason", reason);
    to.arg("window_seconds", window_seconds);
    to.arg("max_requests_per_window", requests_per_window_max);
    to.arg("max_concurrent", concurrent_max);
    to.arg("jitter_ms", jitter_ms);
    to.arg("name", name);
}

Result<UpdateQuotaPolicy::Outcome> UpdateQuotaPolicy::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kUpdate, reply));
    FF_TRY(const std::int64_t revision, reader.integer(3, "limits_revision"));
    return Outcome{.revision = revision};
}

void AttachQuotaPolicy::write(CallWriter& to) const {
    to.begin(kAttach, 1);
    to.key("definition", keys_of(quota).definition());
    to.arg("quota_policy_id", quota.id.to_string());
    to.arg("scope_type", scope_type);
    to.arg("scope_id", scope_id);
}

Result<bool> AttachQuotaPolicy::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAttach, reply));
    return reader.word() == "OK";
}

void CheckAdmission::write(CallWriter& to) const {
    const auto keys = keys_of(quota);
    to.begin(kCheck, 5);
    to.key("window", keys.window());
    to.key("concurrency", keys.concurrency());
    to.key("definition", keys.definition());
    to.key("guard", keys.admitted(execution_id));
    to.key("admitted_set", keys.admitted_set());
    to.arg("now_ms", "");
    to.arg("window_seconds", window_seconds);
    to.arg("rate_limit", rate_limit);
    to.arg("concurrency_cap", concurrency_cap);
    to.arg("execution_id", execution_id.to_string());
    to.arg("jitter_ms", jitter_ms);
}

Result<AdmissionVerdict> CheckAdmission::read(const store::Reply& reply) const {
    // The verdict stands bare; only a refusal has the usual shape.
    const ReplyReader bare(kCheck, reply.items());
    const auto kind = verdict_of(bare.text_or_empty(1));
    if (!kind) {
        const auto refused = ReplyReader::open(kCheck, reply);
        return refused ? bare.fault("verdict") : refused.error();
    }
    AdmissionVerdict verdict{.kind = *kind};
    std::size_t next = 2;
    if (*kind == AdmissionVerdict::Kind::RateExceeded) {
        FF_TRY(const std::int64_t retry, bare.integer(next++, "retry_after_ms"));
        verdict.retry_after = Millis(retry);
    }
    if (!verdict.admitted()) {
        FF_TRY(verdict.used, bare.integer(next, "count"));
        FF_TRY(verdict.limit, bare.integer(next + 1, "limit"));
    }
    return verdict;
}

void AdmitBatch::write(CallWriter& to) const {
    write_batch_keys(to, kAdmitBatch, keys_of(quota));
    to.arg("now_ms", "");
    write_executions(to, "count", executions);
}

Result<std::vector<AdmissionVerdict>> AdmitBatch::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAdmitBatch, reply));
    std::vector<AdmissionVerdict> verdicts;
    for (std::size_t i = 0; i < executions.size(); ++i) {
        FF_TRY(const std::string_view word, reader.text(3 + 2 * i, "verdict"));
        FF_TRY(const std::int64_t retry, reader.integer(4 + 2 * i, "retry"));
        const auto kind = verdict_of(word);
        if (!kind) return reader.fault("verdict");
        verdicts.push_back(AdmissionVerdict{.kind = *kind, .retry_after = Millis(retry)});
    }
    return verdicts;
}

void ReleaseAdmissionBatch::write(CallWriter& to) const {
    write_batch_keys(to, kReleaseBatch, keys_of(quota));
    to.arg("mode", to_text(mode));
    write_executions(to, "count", executions);
}

Result<std::int64_t> ReleaseAdmissionBatch::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReleaseBatch, reply));
    return reader.integer(3, "freed_count");
}

void ReleaseAdmission::write(CallWriter& to) const {
    const auto keys = keys_of(quota);
    to.begin(kRelease, 4);
    to.key("guard", keys.admitted(execution_id));
    to.key("admitted_set", keys.admitted_set());
    to.key("concurrency", keys.concurrency());
    to.key("window", keys.window());
    to.arg("execution_id", execution_id.to_string());
    to.arg("mode", to_text(mode));
}

Result<bool> ReleaseAdmission::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRelease, reply));
    FF_TRY(const std::int64_t freed, reader.integer(4, "freed"));
    return freed != 0;
}

void VoidAdmission::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kVoid, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", execution_id.to_string());
    to.arg("admission_epoch", epoch);
}

Result<bool> VoidAdmission::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kVoid, reply));
    FF_TRY(const std::int64_t voided, reader.integer(3, "voided"));
    return voided != 0;
}

void ReconcileQuota::write(CallWriter& to) const {
    const auto keys = keys_of(quota);
    to.begin(kReconcile, 4);
    to.key("definition", keys.definition());
    to.key("window", keys.window());
    to.key("concurrency", keys.concurrency());
    to.key("admitted_set", keys.admitted_set());
    to.arg("now_ms", "");
    write_executions(to, "dead_count", dead_executions);
}

Result<ReconcileQuota::Outcome> ReconcileQuota::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReconcile, reply));
    FF_TRY(const std::int64_t before, reader.integer(3, "old"));
    FF_TRY(const std::int64_t after, reader.integer(4, "new"));
    return Outcome{.before = before, .after = after};
}

}  // namespace ff::engine
