#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "flowfabric/condition.h"
#include "flowfabric/records.h"
#include "flowfabric/steps.h"
#include "flowfabric/types.h"

namespace ff::sdk {
struct TaskState;
}

namespace flowfabric {

/// What a worker is told about its work.
struct TaskInfo {
    std::string execution_id{};
    std::string ns{};
    std::string lane{};
    std::string kind{};
    std::string flow_id{};
    int priority = 0;
    std::int64_t created_at = 0;
    std::int64_t attempt_index = 0;
    std::string attempt_id{};
    /// initial, retry, replay, fallback, resumed, reclaim. `resumed` follows a delay or a wait for
    /// children as well as a suspension: whether somebody answered is for `suspension_id` to say.
    std::string attempt_type{};
    std::string lease_id{};
    std::int64_t lease_epoch = 0;
    Millis lease_ttl{30'000};
    Tags tags{};
    std::string payload_encoding{};
    /// Set only when this work goes on after a suspension; `resume_signals` tells what came. A
    /// handler that asks and waits finds it empty for as long as it has to ask.
    std::string suspension_id{};
    /// What the suspension kept for it.
    Bytes continuation{};
};

struct FailOutcome {
    /// False: it has failed for good.
    bool retry_scheduled = false;
    std::int64_t delay_until = 0;
    std::int64_t next_attempt_index = 0;
};

/// A new waitpoint with that key, or one made by create_pending_waitpoint.
struct WaitpointChoice {
    std::string key{};
    std::string use_pending{};
};

/// How to wait for a signal.
struct Suspend {
    std::string reason = "waiting_for_signal";
    /// Names of the signals to wait for; none means any signal.
    std::vector<std::string> signals{};
    /// All of them instead of any.
    bool match_all = false;
    /// Instead of `signals`: a tree over one or several waitpoints.
    std::optional<Condition> condition{};
    std::optional<ResumePolicy> policy{};
    Millis timeout{0};
    /// fail, cancel, expire, auto_resume_with_timeout_signal, escalate.
    std::string on_timeout = "fail";
    std::string waitpoint_key{};
    /// The id of a waitpoint made by create_pending_waitpoint.
    std::string use_pending{};
    /// Beside the first one; each must occur in the condition.
    std::vector<WaitpointChoice> additional_waitpoints{};
    Bytes continuation{};
    std::string idempotency_key{};
};

struct Suspended {
    std::string suspension_id{};
    Waitpoint waitpoint{};
    /// As asked for, in that order.
    std::vector<Waitpoint> additional_waitpoints{};
    /// The signals had already come: the lease is still held and the task goes on.
    bool already_satisfied = false;
};

struct ReceivedSignal {
    std::string signal_id{};
    std::string name{};
    std::string category{};
    std::string source_type{};
    std::string source_identity{};
    std::string correlation_id{};
    std::int64_t accepted_at = 0;
    std::optional<Bytes> payload{};
};

struct AppendReceipt {
    std::string stream_id{};
    std::int64_t frame_count = 0;
};

/// Work in hand. Its lease is renewed in the background until it ends. Operations that end it do so
/// when the engine has answered, yes or no; when no answer came the task stays open and the same
/// call may be repeated: the engine recognises it. Destroyed without an end, the lease runs out and
/// the work is given to another worker. Use one task from one thread at a time.
class Task {
  public:
    explicit Task(std::shared_ptr<ff::sdk::TaskState> state);
    Task(Task&&) noexcept;
    Task& operator=(Task&&) noexcept;
    ~Task();

    const TaskInfo& info() const;
    const std::string& id() const { return info().execution_id; }
    const std::string& kind() const { return info().kind; }
    /// Fetched now if it was too large to come along.
    Result<Bytes> payload() const;
    Result<Bytes> input(const std::string& name) const;

    // These end the task.
    Result<Done> complete(std::optional<Bytes> result = std::nullopt);
    Result<FailOutcome> fail(const std::string& reason, const std::string& category);
    /// Whatever its policy says of retries.
    Result<FailOutcome> fail_for_good(const std::string& reason, const std::string& category);
    Result<Done> cancel(const std::string& reason);
    Result<Done> delay_execution(Due until);
    Result<Done> move_to_waiting_children();
    /// Creates them and gives the work back until all have ended; it comes back with what became
    /// of them (`AdminClient::read_children`). The same names again are the same children.
    Result<std::vector<CalledChild>> call_children(const ChildCalls& calls);
    Result<Done> release();
    /// Ends the task unless it is satisfied already, which is the error `already_satisfied` here
    /// and a value for try_suspend.
    Result<Suspended> suspend(const Suspend& how);
    Result<Suspended> try_suspend(const Suspend& how);

    // These do not.
    Result<Done> renew_lease();
    Result<Done> update_progress(int pct, const std::string& message = {});
    /// Runs `work` and records its result under the name, unless an earlier attempt recorded one,
    /// which is the answer then. An error of `work` is not recorded.
    Result<Bytes> step(const std::string& name, const std::function<Result<Bytes>()>& work);
    /// The value that counts: the first one of that name.
    Result<Bytes> record_step(const std::string& name, const Bytes& value,
                              const std::string& encoding = {});
    Result<AppendReceipt> append_frame(const std::string& type, const Bytes& payload,
                                       const std::string& correlation_id = {},
                                       const std::string& mode = {});
    /// Tells what was spent: it is counted even past a hard limit, which the answer then names
    /// (`hard_breach` with the budget's action). Without a budget: every budget of the execution.
    Result<std::vector<UsageResult>> spend(const std::map<std::string, std::int64_t>& dimensions,
                                           const std::string& budget_id = {},
                                           const std::string& dedup_key = {});
    /// Asks before spending: a budget that has no room for all of it answers `hard_breach` and
    /// counts nothing.
    Result<std::vector<UsageResult>> try_spend(
        const std::map<std::string, std::int64_t>& dimensions, const std::string& budget_id = {},
        const std::string& dedup_key = {});
    /// The older name of `spend`.
    Result<std::vector<UsageResult>> report_usage(
        const std::map<std::string, std::int64_t>& dimensions, const std::string& budget_id = {},
        const std::string& dedup_key = {}) {
        return spend(dimensions, budget_id, dedup_key);
    }
    Result<Waitpoint> create_pending_waitpoint(const std::string& key, Millis expires_in);
    /// One that is not needed after all.
    Result<Done> close_waitpoint(const std::string& waitpoint_id, const std::string& reason);
    /// The signals that resumed this attempt. Call before the next suspend.
    Result<std::vector<ReceivedSignal>> resume_signals();
    Result<FramePage> read_stream(const std::string& from = "-", int limit = 100) const;
    Result<FramePage> tail_stream(const std::string& after, Millis wait) const;
    Result<StreamSummary> read_summary() const;

    bool ended() const;
    /// False after three renewals failed in a row, or one for good.
    bool is_lease_healthy() const;
    int consecutive_renewal_failures() const;
    /// Called once, by the renewing thread, when the lease is lost for good.
    void on_lease_lost(std::function<void(const Error&)> callback);
    /// Asked to stop when the lease is lost or the runtime drains.
    std::stop_token stop_token() const;

    /// Lets go of it without an end: somebody else will end it.
    std::shared_ptr<ff::sdk::TaskState> detach() { return std::move(state_); }

  private:
    std::shared_ptr<ff::sdk::TaskState> state_;
};

}  // namespace flowfabric
