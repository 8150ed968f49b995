#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/json.h"
#include "flowfabric/result.h"

namespace flowfabric {

/// A point in time: milliseconds since 1970, or so long after the store's own now.
class Due {
  public:
    static Due at(std::int64_t unix_ms) { return Due(Json(unix_ms)); }
    static Due in(Millis span) { return Due(Json("+" + std::to_string(span.count()))); }
    const Json& json() const { return json_; }

  private:
    explicit Due(Json json) : json_(std::move(json)) {}
    Json json_;
};

using Tags = std::map<std::string, std::string>;

/// A unit of work to be done.
struct NewExecution {
    /// Which handler of a worker runs it.
    std::string kind{};
    Bytes payload{};
    std::string lane = "default";
    std::string ns = "default";
    /// Given: creating it again changes nothing. Empty: the engine makes one up.
    std::string execution_id{};
    /// Given: a second creation with the same key gives the first execution.
    std::string idempotency_key{};
    /// Puts the execution where that flow lives, so that it can become a member.
    std::string colocate_with_flow{};
    std::string payload_encoding{};
    /// 0 to 9000, larger first.
    int priority = 0;
    std::string creator_identity{};
    Tags tags{};
    /// JSON text: retries, timeouts, capabilities, budgets (docs/concepts.md).
    std::string policy{};
    std::optional<Due> delay_until{};
    std::optional<Due> deadline{};
    /// Waits for dependencies that are added later.
    bool hold_for_dependencies = false;
    /// The policy may name a budget or a quota that is created later.
    bool allow_missing_budget = false;
};

struct CreatedExecution {
    std::string execution_id{};
    std::string public_state{};
    /// There was one already; nothing was changed.
    bool duplicate = false;
    /// How long it is kept once it has ended, and until when if it has; 0: not known.
    std::int64_t retention_ms = 0;
    std::int64_t expires_at = 0;
};

struct ExecutionInfo {
    std::string execution_id{};
    std::string ns{};
    std::string lane{};
    std::string kind{};
    std::string public_state{};
    std::string lifecycle_phase{};
    std::string terminal_outcome{};
    std::string blocking_reason{};
    std::string failure_reason{};
    std::string flow_id{};
    std::string progress_message{};
    int progress_pct = -1;
    int priority = 0;
    std::int64_t created_at = 0;
    std::int64_t started_at = 0;
    std::int64_t completed_at = 0;
    std::int64_t attempt_index = 0;
    std::int64_t attempt_count = 0;
    /// How long it is kept once it has ended, and until when if it has.
    std::int64_t retention_ms = 0;
    std::int64_t expires_at = 0;
    /// What follows a failure, in words.
    std::string retries{};
    /// Everything the server said, its policy too.
    Json raw{};
};

struct ExecutionSummary {
    std::string execution_id{};
    std::string ns{};
    std::string lane{};
    std::string kind{};
    std::string public_state{};
    int priority = 0;
    std::int64_t created_at = 0;
    std::int64_t retention_ms = 0;
    std::int64_t expires_at = 0;
};

struct ExecutionQuery {
    std::string lane{};
    /// A public state, or an index of a lane: eligible, terminal, blocked_...; by default eligible.
    std::string state{};
    std::string ns{};
    /// `key:value`, with a namespace.
    std::string tag{};
    /// Without a namespace: those of all namespaces, newest first, in every state.
    bool newest = false;
    int limit = 50;
    std::string cursor{};
};

struct ExecutionPage {
    std::vector<ExecutionSummary> executions{};
    std::string next_cursor{};
    Json raw{};
};

/// How an execution ended, or that it has not yet.
struct Ending {
    std::string public_state{};
    std::string terminal_outcome{};
    std::int64_t completed_at = 0;
    bool timed_out = false;
};

struct Waitpoint {
    std::string waitpoint_id{};
    std::string waitpoint_key{};
    /// Signed: whoever holds it may signal.
    std::string token{};
    std::string state{};
    std::int64_t expires_at = 0;
    std::vector<std::string> signal_names{};
};

struct NewSignal {
    std::string waitpoint_id{};
    /// Instead of the id: the only open waitpoint with this key.
    std::string waitpoint_key{};
    std::string waitpoint_token{};
    std::string name{};
    std::string category = "external";
    std::string source_type = "service";
    std::string source_identity = "sdk";
    std::optional<Bytes> payload{};
    std::string correlation_id{};
    /// Minted when empty, so that the call can be repeated.
    std::string signal_id{};
    std::string idempotency_key{};
};

struct SignalReceipt {
    enum class Kind : std::uint8_t { Accepted, TriggeredResume, Duplicate };
    Kind kind = Kind::Accepted;
    /// For a duplicate, that of the first one.
    std::string signal_id{};
    std::string effect{};
};

struct Frame {
    std::string id{};
    std::string type{};
    Bytes payload{};
    std::int64_t at = 0;
};

struct FramePage {
    std::vector<Frame> frames{};
    /// The position to read on after.
    std::string next = "0-0";
    /// Nothing more will come.
    bool closed = false;
    std::string closed_reason{};
};

struct UsageResult {
    /// ok, soft_breach, hard_breach, already_applied.
    std::string status{};
    std::string budget_id{};
    std::string dimension{};
    std::int64_t current_usage = 0;
    std::int64_t limit = 0;
    /// What the budget asks for: `fail`, `warn`, ...
    std::string action{};
};

}  // namespace flowfabric
