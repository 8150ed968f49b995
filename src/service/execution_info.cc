#include "service/execution_info.h"

#include <array>

#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"

namespace ff::service {
namespace {

/// In the order in which they are asked for.
enum Field : std::size_t {
    kNamespace,
    kLane,
    kKind,
    kCreator,
    kFlow,
    kCalledBy,
    kCalledAs,
    kPriority,
    kPhase,
    kOwnership,
    kEligibility,
    kReason,
    kOutcome,
    kAttemptState,
    kPublicState,
    kDetail,
    kRef,
    kCreated,
    kStarted,
    kCompleted,
    kDelay,
    kDeadline,
    kLeaseExpires,
    kAttemptIndex,
    kAttemptCount,
    kRetries,
    kProgress,
    kProgressMessage,
    kFailure,
    kCategory,
    kCancellation,
    kCapabilities,
    kBudgets,
    kQuota,
    kPayloadEncoding,
    kResultEncoding,
    kLease,
    kWorkerInstance,
    kHasResult,
    kRetention,
    kPurging,
    kFieldCount,
};

constexpr std::array<std::string_view, kFieldCount> kNames{
    "namespace",
    "lane_id",
    "execution_kind",
    "creator_identity",
    "flow_id",
    "called_by",
    "called_as",
    "priority",
    "lifecycle_phase",
    "ownership_state",
    "eligibility_state",
    "blocking_reason",
    "terminal_outcome",
    "attempt_state",
    "public_state",
    "blocking_detail",
    "blocking_ref",
    "created_at",
    "started_at",
    "completed_at",
    "delay_until",
    "execution_deadline_at",
    "lease_expires_at",
    "current_attempt_index",
    "total_attempt_count",
    "retry_count",
    "progress_pct",
    "progress_message",
    "failure_reason",
    "failure_category",
    "cancellation_reason",
    "required_capabilities",
    "budget_ids",
    "quota_policy_id",
    "payload_encoding",
    "result_encoding",
    "current_lease_id",
    "current_worker_instance_id",
    "has_result",
    "retention_ms",
    "purging",
};

Error unknown_value(std::string_view field, std::string_view value) {
    Error error = model::make_error("internal", {std::string(field), std::string(value)});
    error.message = "the record holds an unknown " + std::string(field) + ": " + std::string(value);
    return error;
}

class Fields {
  public:
    explicit Fields(const store::Reply& reply) : items_(reply.items()) {}

    std::string_view text(Field field) const { return items_[field].text().value_or(""); }
    std::string copy(Field field) const { return std::string(text(field)); }

    Result<std::optional<std::int64_t>> number(Field field) const {
        if (text(field).empty()) return std::optional<std::int64_t>();
        const auto value = parse_i64(text(field));
        if (!value) return unknown_value(kNames[field], text(field));
        return value;
    }
    Result<std::optional<Timestamp>> time(Field field) const {
        FF_TRY(const auto ms, number(field));
        if (!ms) return std::optional<Timestamp>();
        return std::optional(timestamp_from_ms(*ms));
    }

  private:
    std::span<const store::Reply> items_;
};

template <model::StateEnum E>
Result<Done> read_state(const Fields& fields, Field field, E& into) {
    const auto value = model::parse_state<E>(fields.text(field));
    if (!value) return unknown_value(kNames[field], fields.text(field));
    into = *value;
    return Done{};
}

Result<model::StateVector> read_vector(const Fields& fields) {
    model::StateVector vector;
    FF_CHECK(read_state(fields, kPhase, vector.lifecycle_phase));
    FF_CHECK(read_state(fields, kOwnership, vector.ownership_state));
    FF_CHECK(read_state(fields, kEligibility, vector.eligibility_state));
    FF_CHECK(read_state(fields, kReason, vector.blocking_reason));
    FF_CHECK(read_state(fields, kOutcome, vector.terminal_outcome));
    FF_CHECK(read_state(fields, kAttemptState, vector.attempt_state));
    FF_CHECK(read_state(fields, kPublicState, vector.public_state));
    return vector;
}

Result<Done> read_numbers(const Fields& fields, ExecutionInfo& info) {
    FF_TRY(const auto priority, fields.number(kPriority));
    FF_TRY(const auto created, fields.time(kCreated));
    FF_TRY(info.started_at, fields.time(kStarted));
    FF_TRY(info.completed_at, fields.time(kCompleted));
    FF_TRY(info.delay_until, fields.time(kDelay));
    FF_TRY(info.execution_deadline_at, fields.time(kDeadline));
    FF_TRY(info.lease_expires_at, fields.time(kLeaseExpires));
    FF_TRY(const auto index, fields.number(kAttemptIndex));
    FF_TRY(const auto count, fields.number(kAttemptCount));
    FF_TRY(const auto retries, fields.number(kRetries));
    FF_TRY(info.progress_pct, fields.number(kProgress));
    FF_TRY(const auto retention, fields.number(kRetention));
    if (retention) info.own_retention = Millis(*retention);
    info.priority = priority.value_or(0);
    info.created_at = created.value_or(Timestamp());
    info.current_attempt_index = index.value_or(0);
    info.total_attempt_count = count.value_or(0);
    info.retry_count = retries.value_or(0);
    return Done{};
}

}  // namespace

store::Call execution_info_call(const model::ExecutionId& id) {
    store::Call call = store::plain({"HMGET", model::ExecKeys(id).core()}, true);
    call.command.append(kNames);
    return call;
}

Result<std::optional<ExecutionInfo>> read_execution_info(const model::ExecutionId& id,
                                                         const store::Reply& reply) {
    if (reply.items().size() != kFieldCount) return model::make_error("parse_error", {"exec_core"});
    const Fields fields(reply);
    if (fields.text(kPublicState).empty() || fields.text(kPurging) == "1") {
        return std::optional<ExecutionInfo>();
    }
    ExecutionInfo info{.execution_id = id,
                       .ns = fields.copy(kNamespace),
                       .lane_id = fields.copy(kLane),
                       .execution_kind = fields.copy(kKind),
                       .creator_identity = fields.copy(kCreator),
                       .flow_id = fields.copy(kFlow),
                       .called_by = fields.copy(kCalledBy),
                       .called_as = fields.copy(kCalledAs),
                       .blocking_detail = fields.copy(kDetail),
                       .blocking_ref = fields.copy(kRef),
                       .progress_message = fields.copy(kProgressMessage),
                       .failure_reason = fields.copy(kFailure),
                       .failure_category = fields.copy(kCategory),
                       .cancellation_reason = fields.copy(kCancellation),
                       .required_capabilities = fields.copy(kCapabilities),
                       .budget_ids = fields.copy(kBudgets),
                       .quota_policy_id = fields.copy(kQuota),
                       .payload_encoding = fields.copy(kPayloadEncoding),
                       .result_encoding = fields.copy(kResultEncoding),
                       .current_lease_id = fields.copy(kLease),
                       .current_worker_instance_id = fields.copy(kWorkerInstance),
                       .has_result = fields.text(kHasResult) == "1"};
    FF_TRY(info.state, read_vector(fields));
    FF_CHECK(read_numbers(fields, info));
    return std::optional(std::move(info));
}

}  // namespace ff::service
