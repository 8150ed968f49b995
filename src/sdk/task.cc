#include "flowfabric/task.h"

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/task_requests.h"
#include "sdk/task_state.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::DoorRequest;
using ff::sdk::ending;
using ff::sdk::execution_path;
using ff::sdk::TaskState;
using ff::sdk::with_lease;

namespace {

constexpr int kFailuresOfAHealthyLease = 2;

Result<Done> done_of(const Result<Json>& reply) {
    if (!reply) return reply.error();
    return Done{};
}

Json waitpoint_json(const WaitpointChoice& choice) {
    Json object = Json::object();
    object.set_text("waitpoint_key", choice.key).set_text("use_pending", choice.use_pending);
    return object;
}

Result<Json> body_of(const Suspend& how) {
    Json body = Json::object({{"reason_code", how.reason}});
    if (how.condition) {
        FF_SDK_TRY([[maybe_unused]] Done sound, how.condition->check());
        body.set("resume_condition", how.condition->json());
    } else {
        body.set("signals", Json::texts(how.signals)).set("match", how.match_all ? "all" : "any");
    }
    for (const std::string& name : how.signals) {
        if (name.empty())
            return Error{.code = "invalid_input", .detail = {"signals:empty_matcher_name"}};
    }
    if (how.timeout.count() > 0) body.set("timeout_ms", std::int64_t{how.timeout.count()});
    body.set("timeout_behavior", how.on_timeout);
    if (how.policy) body.set("resume_policy", how.policy->json());
    Json waitpoint = waitpoint_json({.key = how.waitpoint_key, .use_pending = how.use_pending});
    if (!waitpoint.members().empty()) body.set("waitpoint", std::move(waitpoint));
    Json additional = Json::array();
    for (const WaitpointChoice& choice : how.additional_waitpoints)
        additional.push(waitpoint_json(choice));
    if (!additional.items().empty()) body.set("additional_waitpoints", std::move(additional));
    if (!how.continuation.empty())
        ff::sdk::set_bytes(body, "continuation_metadata_pointer", how.continuation);
    const std::string suspension = ff::sdk::mint_uuid();
    body.set("suspension_id", suspension);
    body.set("idempotency_key", how.idempotency_key.empty() ? suspension : how.idempotency_key);
    return body;
}

Result<FailOutcome> fail_with(ff::sdk::TaskState& state, Json body) {
    FF_SDK_TRY(const Json reply, ending(state, "fail", "/fail", std::move(body)));
    return FailOutcome{.retry_scheduled = reply["status"].text() == "retry_scheduled",
                       .delay_until = reply["delay_until"].integer(),
                       .next_attempt_index = reply["next_attempt_index"].integer()};
}

}  // namespace

Task::Task(std::shared_ptr<TaskState> state) : state_(std::move(state)) {}
Task::Task(Task&&) noexcept = default;

Task& Task::operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    if (state_) state_->abandon();
    state_ = std::move(other.state_);
    return *this;
}

Task::~Task() {
    if (state_) state_->abandon();
}

const TaskInfo& Task::info() const {
    return state_->info;
}

Result<Bytes> Task::payload() const {
    if (!state_->payload_omitted) return state_->payload;
    return AdminClient(state_->door).get_payload(id());
}

Result<Bytes> Task::input(const std::string& name) const {
    return AdminClient(state_->door).get_input(id(), name);
}

Result<Done> Task::complete(std::optional<Bytes> result) {
    Json body = Json::object();
    if (result) ff::sdk::set_bytes(body, "result", *result);
    return done_of(ending(*state_, "complete", "/complete", std::move(body)));
}

Result<FailOutcome> Task::fail(const std::string& reason, const std::string& category) {
    return fail_with(*state_, Json::object({{"reason", reason}, {"category", category}}));
}

Result<FailOutcome> Task::fail_for_good(const std::string& reason, const std::string& category) {
    return fail_with(
        *state_, Json::object({{"reason", reason}, {"category", category}, {"no_retry", true}}));
}

Result<Done> Task::cancel(const std::string& reason) {
    return done_of(ending(*state_, "cancel", "/cancel",
                          Json::object({{"reason", reason}, {"source", "lease_holder"}})));
}

Result<Done> Task::delay_execution(Due until) {
    return done_of(
        ending(*state_, "delay", "/delay", Json::object({{"delay_until", until.json()}})));
}

Result<Done> Task::move_to_waiting_children() {
    return done_of(ending(*state_, "wait_children", "/wait-children"));
}

Result<Done> Task::release() {
    return done_of(ending(*state_, "release", "/release"));
}

Result<Suspended> Task::try_suspend(const Suspend& how) {
    if (ended()) return Error{.code = "already_suspended", .message = "the task has ended"};
    FF_SDK_TRY(Json body, body_of(how));
    const Result<Json> reply = with_lease(*state_, "suspend", "/suspend", std::move(body));
    if (!reply) {
        if (reply.error().answered() && reply.error().code.starts_with("invalid"))
            return reply.error();
        if (reply.error().answered()) state_->end();
        return reply.error();
    }
    Suspended suspended{.suspension_id = (*reply)["suspension_id"].text(),
                        .waitpoint = ff::sdk::waitpoint_of(*reply),
                        .already_satisfied = (*reply)["lease_held"].boolean()};
    for (const Json& one : (*reply)["additional_waitpoints"].items())
        suspended.additional_waitpoints.push_back(ff::sdk::waitpoint_of(one));
    if (!suspended.already_satisfied) state_->end();
    return suspended;
}

Result<Suspended> Task::suspend(const Suspend& how) {
    Result<Suspended> suspended = try_suspend(how);
    if (suspended && suspended->already_satisfied)
        return Error{.code = "already_satisfied",
                     .cls = ErrorClass::Informational,
                     .kind = "already_satisfied",
                     .message = "the signals had come already; the task is still held"};
    return suspended;
}

Result<Done> Task::renew_lease() {
    const Result<Json> reply =
        with_lease(*state_, "renew", "/renew",
                   Json::object({{"lease_ttl_ms", std::int64_t{info().lease_ttl.count()}}}));
    if (reply) {
        state_->renewed();
    } else {
        state_->renewal_failed(reply.error());
    }
    return done_of(reply);
}

Result<Done> Task::update_progress(int pct, const std::string& message) {
    Json body = Json::object({{"pct", pct}});
    body.set_text("message", message);
    return done_of(with_lease(*state_, "progress", "/progress", std::move(body)));
}

Result<AppendReceipt> Task::append_frame(const std::string& type, const Bytes& payload,
                                         const std::string& correlation_id,
                                         const std::string& mode) {
    Json frame = Json::object({{"frame_type", type}});
    ff::sdk::set_bytes(frame, "payload", payload);
    frame.set_text("correlation_id", correlation_id);
    frame.set("seq", static_cast<std::int64_t>(state_->frames_sent + 1));
    Json body = ff::sdk::lease_json(state_->lease());
    body.set_text("mode", mode);
    body.set("frames", Json::array({std::move(frame)}));
    const DoorRequest request{
        .operation = "append_frames",
        .method = "POST",
        .target =
            execution_path(id(), "/attempts/" + std::to_string(info().attempt_index) + "/stream"),
        .body = body.dump(),
        .repeatable = true};
    // The number stays with the frame until somebody answered: a repeat is recognised by it.
    const Result<Json> reply = ff::sdk::ask(*state_->door, request);
    if (reply || reply.error().answered()) ++state_->frames_sent;
    if (!reply) return reply.error();
    return AppendReceipt{.stream_id = (*reply)["last_id"].text(),
                         .frame_count = (*reply)["frame_count"].integer()};
}

namespace {

Result<std::vector<UsageResult>> charge(TaskState& state, const std::string& mode,
                                        const std::map<std::string, std::int64_t>& dimensions,
                                        const std::string& budget_id,
                                        const std::string& dedup_key) {
    Json amounts = Json::object();
    for (const auto& [name, amount] : dimensions) amounts.set(name, amount);
    Json body = Json::object({{"dimensions", std::move(amounts)}, {"mode", mode}});
    body.set_text("budget_id", budget_id).set_text("dedup_key", dedup_key);
    FF_SDK_TRY(const Json reply, with_lease(state, "report_usage", "/usage", std::move(body)));
    std::vector<UsageResult> results;
    for (const Json& one : reply["results"].items()) results.push_back(ff::sdk::usage_of(one));
    return results;
}

}  // namespace

Result<std::vector<UsageResult>> Task::spend(const std::map<std::string, std::int64_t>& dimensions,
                                             const std::string& budget_id,
                                             const std::string& dedup_key) {
    return charge(*state_, "spent", dimensions, budget_id, dedup_key);
}

Result<std::vector<UsageResult>> Task::try_spend(
    const std::map<std::string, std::int64_t>& dimensions, const std::string& budget_id,
    const std::string& dedup_key) {
    return charge(*state_, "check", dimensions, budget_id, dedup_key);
}

Result<Waitpoint> Task::create_pending_waitpoint(const std::string& key, Millis expires_in) {
    Json body = Json::object({{"expires_in_ms", std::int64_t{expires_in.count()}}});
    body.set_text("waitpoint_key", key);
    FF_SDK_TRY(const Json reply,
               with_lease(*state_, "create_pending_waitpoint", "/waitpoints", std::move(body)));
    return ff::sdk::waitpoint_of(reply);
}

Result<Done> Task::close_waitpoint(const std::string& waitpoint_id, const std::string& reason) {
    return done_of(with_lease(*state_, "close_waitpoint",
                              "/waitpoints/" + ff::sdk::percent(waitpoint_id) + "/close",
                              Json::object({{"reason", reason}})));
}

Result<std::vector<ReceivedSignal>> Task::resume_signals() {
    const std::string target = execution_path(
        id(), "/resume-signals?attempt_index=" + std::to_string(info().attempt_index));
    FF_SDK_TRY(const Json reply, ff::sdk::get_json(*state_->door, "resume_signals", target));
    std::vector<ReceivedSignal> signals;
    for (const Json& one : reply["signals"].items()) signals.push_back(ff::sdk::signal_of(one));
    return signals;
}

Result<FramePage> Task::read_stream(const std::string& from, int limit) const {
    return AdminClient(state_->door).read_stream(id(), info().attempt_index, from, limit);
}

Result<FramePage> Task::tail_stream(const std::string& after, Millis wait) const {
    return AdminClient(state_->door).tail_stream(id(), info().attempt_index, after, wait);
}

Result<StreamSummary> Task::read_summary() const {
    return AdminClient(state_->door).read_summary(id(), info().attempt_index);
}

bool Task::ended() const {
    return state_->has_ended();
}

bool Task::is_lease_healthy() const {
    const std::lock_guard lock(state_->mutex);
    return !state_->lost && state_->renewal_failures <= kFailuresOfAHealthyLease;
}

int Task::consecutive_renewal_failures() const {
    const std::lock_guard lock(state_->mutex);
    return state_->renewal_failures;
}

void Task::on_lease_lost(std::function<void(const Error&)> callback) {
    std::optional<Error> already;
    {
        const std::lock_guard lock(state_->mutex);
        already = state_->lost_with;
        if (!already) state_->on_lost = callback;
    }
    if (already) callback(*already);
}

std::stop_token Task::stop_token() const {
    return state_->stop.get_token();
}

}  // namespace flowfabric
