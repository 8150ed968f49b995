#include "service/signals.h"

#include <algorithm>
#include <map>

#include "engine/operation.h"
#include "engine/suspend_execution.h"
#include "engine/waitpoint.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "model/transport_kind.h"
#include "service/records.h"

namespace ff::service {
namespace {

constexpr Millis kRotationMost{120'000};
/// Signals that one execution gets within a millisecond; a page after one of more would repeat.
constexpr std::int64_t kSameMillisecondMost = 1'000;

void raise_expiry(std::vector<engine::ListWaitpointKids::Kid>& kids,
                  const engine::ListWaitpointKids::Kid& kid) {
    const auto known = std::ranges::find(kids, kid.kid, &engine::ListWaitpointKids::Kid::kid);
    if (known == kids.end()) {
        kids.push_back(kid);
    } else {
        known->expires_at = std::max(known->expires_at, kid.expires_at);
    }
}

}  // namespace

Signals::Signals(const Context& context)
    : context_(context),
      waitpoints_(context.random, context.store),
      secrets_(context.random, context.store, context.rules.partitions) {}

engine::Signal Signals::made_of(NewSignal signal, model::WaitpointId waitpoint) {
    return {.id = signal.signal_id ? *signal.signal_id : model::SignalId::mint(context_.random),
            .execution_id = signal.execution_id,
            .waitpoint_id = waitpoint,
            .name = std::move(signal.name),
            .category = std::move(signal.category),
            .source_type = std::move(signal.source_type),
            .source_identity = std::move(signal.source_identity),
            .payload = std::move(signal.payload),
            .payload_encoding = std::move(signal.payload_encoding),
            .idempotency_key = std::move(signal.idempotency_key),
            .correlation_id = std::move(signal.correlation_id),
            .target_scope = std::move(signal.target_scope),
            .created_at = signal.created_at,
            .dedup_ttl = signal.dedup_ttl,
            .resume_delay = signal.resume_delay,
            .history_max = signal.history_max,
            .signals_max = signal.signals_max,
            .token = std::move(signal.token)};
}

Task<engine::SignalReceipt> Signals::deliver(NewSignal signal) {
    if (!signal.waitpoint_id) {
        if (!signal.waitpoint_key && signal.target_scope != "execution")
            co_return model::make_error("ambiguous_target");
        FF_CO_TRY(signal.waitpoint_id,
                  co_await waitpoints_.find(signal.execution_id, signal.waitpoint_key));
    }
    const model::WaitpointId waitpoint = *signal.waitpoint_id;
    engine::DeliverSignal deliver{.signal = made_of(std::move(signal), waitpoint)};
    co_return co_await engine::run(context_.store, std::move(deliver));
}

Task<engine::SignalReceipt> Signals::approve(hub::Approval approval) {
    return waitpoints_.approve(std::move(approval));
}

Task<std::string> Signals::resume(OperatorResume request) {
    engine::ResumeExecution resume{.execution_id = request.execution_id,
                                   .trigger = engine::ResumeTrigger::Operator,
                                   .resume_delay = request.delay,
                                   .expected_suspension_id = request.expected_suspension_id,
                                   .actor = std::move(request.actor)};
    FF_CO_TRY(engine::ResumeExecution::Outcome outcome,
              co_await engine::run(context_.store, std::move(resume)));
    co_return std::move(outcome.public_state);
}

Task<hub::OpenWaitpoints> Signals::pending_waitpoints(hub::WaitpointListing listing) {
    listing.omit_tokens = listing.omit_tokens || context_.rules.redact_waitpoint_tokens;
    return waitpoints_.list(std::move(listing));
}

Task<model::WaitpointToken> Signals::token(model::ExecutionId execution_id, model::WaitpointId id) {
    const engine::RemintWaitpointToken remint{.execution_id = execution_id, .waitpoint_id = id};
    Result<model::WaitpointToken> token = co_await engine::run(context_.store, remint);
    if (token.has_value()) co_return token;
    const std::string& code = token.error().code;
    if (code == "waitpoint_closed" || code == "invalid_waitpoint_for_execution")
        co_return model::make_error("waitpoint_not_found");
    co_return token;
}

/// Where the signals of the same millisecond as `after`, or later, begin.
Task<std::int64_t> Signals::first_since(const std::string& index, const model::SignalId& after) {
    store::Call score_of = store::plain({"ZSCORE", index, after.to_string()}, true);
    FF_CO_TRY(const store::Reply score, co_await context_.store.call(std::move(score_of)));
    const auto at = score.as_double();
    if (!at) co_return model::make_error("invalid_cursor");
    const std::string below = "(" + std::to_string(static_cast<std::int64_t>(*at));
    store::Call count = store::plain({"ZCOUNT", index, "-inf", below}, true);
    FF_CO_TRY(const store::Reply earlier, co_await context_.store.call(std::move(count)));
    co_return earlier.to_integer().value_or(0);
}

/// One more than asked for, if there are more.
Task<std::vector<model::SignalId>> Signals::ids_of(const SignalQuery& query) {
    const std::string index = model::ExecKeys(query.execution_id).signals();
    std::int64_t first = 0;
    if (query.after) {
        FF_CO_TRY(first, co_await first_since(index, *query.after));
    }
    const std::int64_t last = first + query.limit + (query.after ? kSameMillisecondMost : 0);
    store::Call range =
        store::plain({"ZRANGE", index, std::to_string(first), std::to_string(last)}, true);
    FF_CO_TRY(const store::Reply found, co_await context_.store.call(std::move(range)));
    std::vector<model::SignalId> ids;
    bool passed = !query.after.has_value();
    for (const store::Reply& item : found.items()) {
        const auto id = model::SignalId::parse(item.text().value_or(""));
        if (!id.has_value()) continue;
        if (!passed) {
            passed = *id == *query.after;
        } else if (std::ssize(ids) <= query.limit) {
            ids.push_back(*id);
        }
    }
    co_return ids;
}

Task<SignalPage> Signals::list(SignalQuery query) {
    const model::ExecKeys keys(query.execution_id);
    FF_CO_CHECK(co_await require_execution(context_.store, query.execution_id));
    FF_CO_TRY(std::vector<model::SignalId> ids, co_await ids_of(query));
    const bool more = std::ssize(ids) > query.limit;
    if (more) ids.pop_back();
    std::vector<store::Call> reads;
    for (const model::SignalId& id : ids)
        reads.push_back(store::plain({"HGETALL", keys.signal(id)}, true));
    auto records = co_await context_.store.pipeline(std::move(reads));
    SignalPage page;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!records[i].has_value()) co_return std::move(records[i]).error();
        page.signals.push_back({.signal_id = ids[i].to_string(), .fields = fields_of(*records[i])});
    }
    if (more) page.next = page.signals.back().signal_id;
    co_return page;
}

Task<SignalPage> Signals::list_of_waitpoint(WaitpointSignalQuery query) {
    const model::ExecKeys keys(query.execution_id);
    FF_CO_CHECK(co_await require_execution(context_.store, query.execution_id));
    const std::string from = query.after.empty() ? "-" : "(" + query.after;
    std::vector<store::Call> calls;
    calls.push_back(
        store::plain({"HGET", keys.waitpoint(query.waitpoint_id), "execution_id"}, true));
    calls.push_back(store::plain({"XRANGE", keys.waitpoint_signals(query.waitpoint_id), from, "+",
                                  "COUNT", std::to_string(query.limit + 1)},
                                 true));
    auto replies = co_await context_.store.pipeline(std::move(calls));
    if (!replies[0].has_value()) co_return std::move(replies[0]).error();
    if (replies[0]->text().value_or("") != query.execution_id.to_string())
        co_return model::make_error("waitpoint_not_found");
    if (!replies[1].has_value()) co_return std::move(replies[1]).error();
    SignalPage page;
    for (const store::Reply& entry : replies[1]->items()) {
        if (entry.items().size() != 2) continue;
        if (std::ssize(page.signals) == query.limit) {
            page.next = page.signals.back().entry_id;
            break;
        }
        SignalRecord record{.entry_id = std::string(entry.items()[0].text().value_or("")),
                            .fields = fields_of(entry.items()[1])};
        record.signal_id = std::string(field_of(record.fields, "signal_id"));
        page.signals.push_back(std::move(record));
    }
    co_return page;
}

Task<hub::RotationReport> Signals::rotate(std::string new_kid, std::string new_secret_hex) {
    hub::SecretRotation rotation{.new_kid = std::move(new_kid),
                                 .new_secret_hex = std::move(new_secret_hex),
                                 .grace = context_.rules.waitpoint_grace,
                                 .until = Deadline::after(kRotationMost)};
    return secrets_.rotate(std::move(rotation));
}

Task<LiveKids> Signals::kids() {
    FF_CO_TRY(const std::vector<hub::PartitionKids> partitions, co_await secrets_.kids());
    LiveKids live;
    std::map<std::string, std::size_t> minting;
    for (const hub::PartitionKids& partition : partitions) {
        ++minting[partition.kids.current_kid];
        for (const auto& kid : partition.kids.retired) raise_expiry(live.retired, kid);
    }
    std::size_t most = 0;
    for (const auto& [kid, count] : minting) {
        if (count <= most) continue;
        most = count;
        live.current_kid = kid;
    }
    live.in_step = minting.size() <= 1;
    std::ranges::sort(live.retired, {}, &engine::ListWaitpointKids::Kid::kid);
    co_return live;
}

std::optional<Error> failure_of(const hub::RotationReport& report) {
    using Verdict = hub::RotationReport::Verdict;
    switch (report.verdict()) {
        case Verdict::Done:
            return std::nullopt;
        case Verdict::Conflict:
            return model::make_error("rotation_conflict", {report.new_kid});
        case Verdict::TimedOut:
            return model::make_error("rotation_timeout");
        case Verdict::Failed:
            break;
    }
    const bool passing = report.retryable == report.failed.size();
    return model::storage_error(
        passing ? model::TransportKind::IoError : model::TransportKind::Unknown,
        "no partition could be rotated");
}

}  // namespace ff::service
