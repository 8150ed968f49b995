#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/types.h"

namespace flowfabric {

// What is kept about one execution. `raw` is everything the server said.

/// One try at an execution.
struct Attempt {
    std::int64_t index = 0;
    std::string attempt_id{};
    /// initial, retry, reclaim, replay, fallback.
    std::string type{};
    /// started, suspended, ended_success, ended_failure, ended_cancelled, interrupted_reclaimed.
    std::string state{};
    std::string worker_id{};
    std::string worker_instance_id{};
    std::int64_t started_at = 0;
    std::int64_t ended_at = 0;
    std::string failure_reason{};
    std::string failure_category{};
    Json raw{};
};

struct LeaseEvent {
    /// acquired, renewed, released, expired, revoked, reclaimed, replay_initiated.
    std::string event{};
    std::string lease_id{};
    std::int64_t lease_epoch = 0;
    std::int64_t attempt_index = 0;
    std::string worker_instance_id{};
    std::string reason{};
    std::int64_t at = 0;
    Json raw{};
};

struct LeaseHistory {
    std::vector<LeaseEvent> events{};
    std::string next_cursor{};
};

/// The newest suspension, open or closed.
struct SuspensionInfo {
    std::string suspension_id{};
    std::int64_t attempt_index = 0;
    std::string reason{};
    std::int64_t created_at = 0;
    /// 0: it waits without end.
    std::int64_t timeout_at = 0;
    std::string on_timeout{};
    std::int64_t closed_at = 0;
    /// Empty while it is open.
    std::string close_reason{};
    Bytes continuation{};
    /// Without their tokens.
    std::vector<Waitpoint> waitpoints{};
    Json raw{};
};

/// What an open suspension waits for; `raw` has its nodes and matchers.
struct OpenCondition {
    std::string suspension_id{};
    std::string type{};
    bool satisfied = false;
    std::int64_t remaining = 0;
    Json raw{};
};

/// A signal that was accepted, whatever it brought about.
struct SignalInfo {
    std::string signal_id{};
    std::string name{};
    std::string category{};
    std::string source_type{};
    std::string source_identity{};
    std::string correlation_id{};
    std::string waitpoint_id{};
    std::string effect{};
    std::int64_t accepted_at = 0;
    Json raw{};
};

struct SignalPage {
    std::vector<SignalInfo> signals{};
    std::string next_cursor{};
};

/// Why an execution is not running.
struct Explanation {
    struct Candidate {
        std::string worker_id{};
        std::string worker_instance_id{};
        bool serves_lane = false;
        std::vector<std::string> missing_capabilities{};
    };
    struct Policy {
        /// The budget or quota.
        std::string ref{};
        bool exhausted = false;
        std::string detail{};
    };
    /// One sentence.
    std::string summary{};
    ExecutionInfo execution{};
    std::string lane_state{};
    std::vector<Candidate> workers{};
    std::vector<Policy> policies{};
    Json raw{};
};

struct RevokedLease {
    /// There was nothing left to revoke, for this reason; the rest is empty then.
    std::string already{};
    std::string lease_id{};
    std::int64_t lease_epoch = 0;
};

struct ChangedPriority {
    int old_priority = 0;
    int new_priority = 0;
};

/// The document that summary frames of a stream have built.
struct StreamSummary {
    /// The user's own; null before the first summary frame.
    Json document{};
    std::int64_t version = 0;
    std::int64_t last_updated_at = 0;
    std::int64_t closed_at = 0;
    std::string closed_reason{};
};

struct StreamInfo {
    std::int64_t created_at = 0;
    /// 0 while it is open.
    std::int64_t closed_at = 0;
    std::string closed_reason{};
    /// Ever appended.
    std::int64_t frame_count = 0;
    std::int64_t total_bytes = 0;
    /// Still stored.
    std::int64_t retained_count = 0;
    std::int64_t retained_bytes = 0;
    Json raw{};
};

/// A frame among those of all attempts.
struct MergedFrame {
    std::int64_t attempt_index = 0;
    Frame frame{};
};

struct MergedPage {
    std::vector<MergedFrame> frames{};
    /// The cursor to read on after.
    std::string next{};
    bool more = false;
    /// Of the newest attempt that has one.
    std::optional<StreamSummary> latest_summary{};
};

/// A frame of an operator, beside those of the worker.
struct Annotation {
    std::string type = "annotation";
    Bytes payload{};
    std::string source{};
};

struct AuditEntry {
    std::string id{};
    std::string event{};
    std::string actor{};
    std::string remote{};
    std::string request_id{};
    std::string subject{};
    std::string outcome{};
    std::int64_t at = 0;
    Json raw{};
};

struct AuditPage {
    std::vector<AuditEntry> entries{};
    /// Read on after this one.
    std::string next{};
};

}  // namespace flowfabric
