#include "service/suspensions.h"

#include <utility>

#include "base/json.h"
#include "base/numbers.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "service/hash_record.h"

namespace ff::service {
namespace {

Result<engine::WaitpointBinding> binding_of(const WantedWaitpoint& wanted, Random& random) {
    if (wanted.pending) {
        if (!wanted.id) return invalid_input("use_pending", "names no waitpoint");
        return engine::WaitpointBinding{.id = *wanted.id};
    }
    const model::WaitpointId id = wanted.id ? *wanted.id : model::WaitpointId::mint(random);
    return engine::WaitpointBinding{
        .id = id, .key = wanted.key ? *wanted.key : model::default_waitpoint_key(id)};
}

/// The signals that an attempt was resumed by, as its suspension record tells.
Result<std::vector<model::SignalId>> satisfiers(const RecordFields& suspension) {
    std::vector<model::SignalId> ids;
    const std::string_view text = field_of(suspension, "all_satisfier_signals");
    if (text.empty()) return ids;
    const auto document = json::Document::parse(text);
    if (!document.has_value() || !document->root().is_array())
        return model::make_error("parse_error", {"all_satisfier_signals"});
    for (std::size_t i = 0; i < document->root().size(); ++i) {
        const auto id =
            model::SignalId::parse(document->root().element(i).as_string().value_or(""));
        if (!id.has_value()) return model::make_error("parse_error", {"all_satisfier_signals"});
        ids.push_back(*id);
    }
    return ids;
}

bool resumed_by_signals(const RecordFields& suspension) {
    const std::string_view reason = field_of(suspension, "close_reason");
    if (reason == "resumed") return true;
    return reason == "timed_out_auto_resume" && !field_of(suspension, "timeout_signal_id").empty();
}

ResumeSignal signal_of(const model::SignalId& id, const RecordFields& fields) {
    return {.signal_id = id.to_string(),
            .name = std::string(field_of(fields, "signal_name")),
            .category = std::string(field_of(fields, "signal_category")),
            .source_type = std::string(field_of(fields, "source_type")),
            .source_identity = std::string(field_of(fields, "source_identity")),
            .correlation_id = std::string(field_of(fields, "correlation_id")),
            .accepted_at = time_of(fields, "accepted_at")};
}

/// The primary waitpoint and the additional ones of a suspension record.
std::vector<std::string> waitpoint_ids(const RecordFields& suspension) {
    std::vector<std::string> ids;
    ids.emplace_back(field_of(suspension, "waitpoint_id"));
    const auto more = json::Document::parse(field_of(suspension, "additional_waitpoints_json"));
    if (!more.has_value()) return ids;
    for (std::size_t i = 0; i < more->root().size(); ++i) {
        const auto id = more->root().element(i).find("waitpoint_id");
        if (id) ids.emplace_back(id->as_string().value_or(""));
    }
    return ids;
}

}  // namespace

std::string flat_condition(const std::vector<std::string>& signals, bool match_all) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("condition_type").string("signal_set");
    writer.key("required_signal_names").begin_array();
    for (const std::string& name : signals) writer.string(name);
    writer.end_array().key("signal_match_mode").string(match_all ? "all" : "any");
    writer.key("minimum_signal_count").integer(1).end_object();
    return text;
}

Task<engine::SuspendExecution::Outcome> Suspensions::suspend(NewSuspension request) {
    const bool flat = request.resume_condition_json.empty();
    if (!flat && !request.signals.empty())
        co_return invalid_input("signals", "stands beside resume_condition");
    FF_CO_TRY(engine::WaitpointBinding waitpoint, binding_of(request.waitpoint, context_.random));
    std::vector<engine::WaitpointBinding> additional;
    for (const WantedWaitpoint& wanted : request.additional) {
        FF_CO_TRY(engine::WaitpointBinding one, binding_of(wanted, context_.random));
        additional.push_back(std::move(one));
    }
    std::optional<model::IdempotencyKey> key = std::move(request.idempotency_key);
    if (!key && request.suspension_id) {
        FF_CO_TRY(key, model::IdempotencyKey::parse(request.suspension_id->to_string()));
    }
    engine::SuspendExecution suspend{
        .execution_id = request.attempt.execution_id,
        .attempt_index = request.attempt.attempt_index,
        .fence = request.attempt.fence,
        .suspension_id = request.suspension_id ? *request.suspension_id
                                               : model::SuspensionId::mint(context_.random),
        .waitpoint = std::move(waitpoint),
        .additional = std::move(additional),
        .reason_code = std::move(request.reason_code),
        .timeout_at = request.timeout_at,
        .timeout_behavior = std::move(request.timeout_behavior),
        .resume_condition_json = flat ? flat_condition(request.signals, request.match_all)
                                      : std::move(request.resume_condition_json),
        .resume_policy_json = std::move(request.resume_policy_json),
        .continuation = std::move(request.continuation),
        .idempotency_key = std::move(key),
        .approval = std::move(request.approval),
        .steps = std::move(request.steps)};
    co_return co_await engine::run(context_.store, std::move(suspend));
}

Task<PendingWaitpoint> Suspensions::create_pending(NewPendingWaitpoint request) {
    const model::WaitpointId id = model::WaitpointId::mint(context_.random);
    engine::CreatePendingWaitpoint create{
        .execution_id = request.attempt.execution_id,
        .attempt_index = request.attempt.attempt_index,
        .waitpoint_id = id,
        .waitpoint_key = request.key ? *request.key : model::default_waitpoint_key(id),
        .expires_at = model::DueTime::after(request.expires_in),
        .fence = request.attempt.fence,
        .approval = std::move(request.approval)};
    FF_CO_TRY(engine::BoundWaitpoint waitpoint,
              co_await engine::run(context_.store, std::move(create)));
    const std::string key = model::ExecKeys(request.attempt.execution_id).waitpoint(id);
    store::Call read = store::plain({"HGET", key, "expires_at"}, true);
    FF_CO_TRY(const store::Reply expiry, co_await context_.store.call(std::move(read)));
    const auto ms = expiry.to_integer();
    co_return PendingWaitpoint{
        .waitpoint = std::move(waitpoint),
        .expires_at = ms ? std::optional(timestamp_from_ms(*ms)) : std::nullopt};
}

Task<Done> Suspensions::require_lease(const HeldAttempt& attempt) {
    const model::ExecKeys keys(attempt.execution_id);
    store::Call call = store::plain({"HGETALL", keys.core()}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    const RecordFields core = fields_of(reply);
    if (core.empty() || !field_of(core, "purging").empty())
        co_return model::make_error("execution_not_found");
    const bool held =
        field_of(core, "current_lease_id") == attempt.fence.lease_id.to_string() &&
        field_of(core, "current_lease_epoch") == attempt.fence.lease_epoch.to_string() &&
        field_of(core, "current_attempt_id") == attempt.fence.attempt_id.to_string();
    if (!held) co_return model::make_error("stale_lease");
    co_return Done{};
}

Task<Done> Suspensions::close_waitpoint(WaitpointClosing request) {
    const model::ExecutionId id = request.attempt.execution_id;
    FF_CO_CHECK(co_await require_lease(request.attempt));
    const std::string key = model::ExecKeys(id).waitpoint(request.waitpoint_id);
    store::Call read = store::plain({"HGET", key, "execution_id"}, true);
    FF_CO_TRY(const store::Reply owner, co_await context_.store.call(std::move(read)));
    if (owner.is_null()) co_return model::make_error("waitpoint_not_found");
    if (owner.text() != id.to_string())
        co_return model::make_error("invalid_waitpoint_for_execution");
    // Of the expiry scan alone: it closes only what is due.
    if (request.reason == "never_committed")
        co_return invalid_input("reason", "is reserved for expiry");
    engine::CloseWaitpoint close{.execution_id = id,
                                 .waitpoint_id = request.waitpoint_id,
                                 .reason = std::move(request.reason)};
    const auto closed = co_await engine::run(context_.store, std::move(close));
    if (!closed.has_value()) co_return closed.error();
    co_return Done{};
}

Task<std::vector<ResumeSignal>> Suspensions::resume_signals(model::ExecutionId execution_id,
                                                            model::AttemptIndex attempt_index) {
    const model::ExecKeys keys(execution_id);
    FF_CO_CHECK(co_await require_execution(context_.store, execution_id));
    store::Call call = store::plain({"HGETALL", keys.suspension_current()}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    const RecordFields suspension = fields_of(reply);
    const bool ours = field_of(suspension, "attempt_index") == attempt_index.to_string();
    if (!ours || !resumed_by_signals(suspension)) co_return std::vector<ResumeSignal>();
    FF_CO_TRY(std::vector<model::SignalId> ids, satisfiers(suspension));
    co_return co_await read_signals(execution_id, std::move(ids));
}

Task<std::vector<ResumeSignal>> Suspensions::read_signals(model::ExecutionId execution_id,
                                                          std::vector<model::SignalId> ids) {
    const model::ExecKeys keys(execution_id);
    std::vector<store::Call> calls;
    for (const model::SignalId& id : ids) {
        calls.push_back(store::plain({"HGETALL", keys.signal(id)}, true));
        calls.push_back(store::plain({"GET", keys.signal_payload(id)}, true));
    }
    auto replies = co_await context_.store.pipeline(std::move(calls));
    std::vector<ResumeSignal> signals;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!replies[i * 2].has_value()) co_return std::move(replies[i * 2]).error();
        if (!replies[i * 2 + 1].has_value()) co_return std::move(replies[i * 2 + 1]).error();
        ResumeSignal signal = signal_of(ids[i], fields_of(*replies[i * 2]));
        const auto payload = replies[i * 2 + 1]->text();
        if (payload) signal.payload = Bytes(*payload);
        signals.push_back(std::move(signal));
    }
    co_return signals;
}

Task<SuspensionView> Suspensions::current(model::ExecutionId execution_id) {
    const model::ExecKeys keys(execution_id);
    FF_CO_CHECK(co_await require_execution(context_.store, execution_id));
    store::Call call = store::plain({"HGETALL", keys.suspension_current()}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    SuspensionView view{.fields = fields_of(reply)};
    if (view.fields.empty()) co_return model::make_error("execution_not_suspended");
    std::vector<store::Call> calls;
    for (const std::string& text : waitpoint_ids(view.fields)) {
        const auto id = model::WaitpointId::parse(text);
        if (!id.has_value()) continue;
        view.waitpoints.push_back({.id = text});
        calls.push_back(store::plain({"HGETALL", keys.waitpoint(*id)}, true));
    }
    auto replies = co_await context_.store.pipeline(std::move(calls));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (!replies[i].has_value()) co_return std::move(replies[i]).error();
        view.waitpoints[i].fields = fields_of(*replies[i]);
        std::erase_if(view.waitpoints[i].fields,
                      [](const auto& field) { return field.first == "waitpoint_token"; });
    }
    co_return view;
}

Task<ConditionView> Suspensions::evaluate(model::ExecutionId execution_id) {
    const model::ExecKeys keys(execution_id);
    FF_CO_CHECK(co_await require_execution(context_.store, execution_id));
    store::Call call = store::plain({"HGETALL", keys.suspension_current()}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    ConditionRecords records{.suspension = fields_of(reply)};
    const bool open =
        !records.suspension.empty() && field_of(records.suspension, "closed_at").empty();
    if (!open) co_return model::make_error("execution_not_suspended");
    FF_CO_TRY(const model::WaitpointId primary,
              model::WaitpointId::parse(field_of(records.suspension, "waitpoint_id")));
    std::vector<store::Call> calls;
    calls.push_back(store::plain({"HGETALL", keys.waitpoint_condition(primary)}, true));
    calls.push_back(store::plain({"SMEMBERS", keys.satisfied_set()}, true));
    auto replies = co_await context_.store.pipeline(std::move(calls));
    for (auto& each : replies) {
        if (!each.has_value()) co_return std::move(each).error();
    }
    records.condition = fields_of(*replies[0]);
    records.satisfied = texts_of(*replies[1]);
    co_return view_condition(records);
}

}  // namespace ff::service
