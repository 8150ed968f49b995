#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/types.h"

namespace flowfabric {

// Lanes, workers and the server itself. `raw` is everything the server said.

struct Lane {
    std::string lane{};
    /// active, paused, draining, disabled.
    std::string state{};
    std::int64_t scheduling_weight = 1;
    std::optional<int> default_priority{};
    /// JSON text.
    std::string default_policy{};
    /// Executions by state, as counted some seconds ago.
    std::map<std::string, std::int64_t> counts{};
};

struct LaneList {
    std::vector<Lane> lanes{};
    Json raw{};
};

/// What is not given stays as it is.
struct LaneChanges {
    std::string state{};
    std::optional<std::int64_t> scheduling_weight{};
    std::optional<int> default_priority{};
    /// JSON text.
    std::string default_policy{};
};

struct WorkerInfo {
    std::string worker_id{};
    std::string worker_instance_id{};
    std::vector<std::string> lanes{};
    std::vector<std::string> capabilities{};
    std::int64_t registered_at = 0;
    std::int64_t last_heartbeat_at = 0;
};

struct WorkerPage {
    std::vector<WorkerInfo> workers{};
    std::string next_cursor{};
    Json raw{};
};

/// What a worker holds, as the store knows it.
struct LeaseInfo {
    std::string execution_id{};
    std::string lease_id{};
    std::int64_t lease_epoch = 0;
    std::int64_t attempt_index = 0;
    std::string attempt_id{};
    std::int64_t expires_at = 0;
};

struct TakeOver {
    std::string worker_id{};
    std::string worker_instance_id{};
    Millis lease_ttl{30'000};
    /// A UUID: asking again with it gives the same lease. Minted when empty.
    std::string lease_id{};
};

/// Asks for permission to claim one execution.
struct GrantRequest {
    std::string worker_id{};
    std::string worker_instance_id{};
    std::string lane{};
    std::vector<std::string> capabilities{};
    Millis ttl{5000};
};

/// Permission to claim one execution.
struct Grant {
    std::string execution_id{};
    /// claim, resume, reclaim.
    std::string kind{};
    std::string lane{};
    std::int64_t expires_at = 0;
};

struct ReclaimAnswer {
    /// granted, not_reclaimable, reclaim_cap_exceeded.
    std::string status{};
    /// When granted.
    Grant grant{};
    std::string detail{};
};

struct Rotation {
    /// Partitions that have the new secret.
    std::int64_t rotated = 0;
    std::vector<std::int64_t> failed{};
    std::vector<std::int64_t> in_progress{};
    std::string new_kid{};
};

struct WaitpointKids {
    struct Kid {
        std::string kid{};
        std::int64_t expires_at = 0;
    };
    std::string current{};
    /// Every partition says the same.
    bool in_step = false;
    /// Those that tokens are still accepted under.
    std::vector<Kid> kids{};
};

struct ServerFacts {
    /// embedded or valkey.
    std::string backend{};
    std::string version{};
    std::int64_t library_version = 0;
    std::int64_t flow_partitions = 0;
    std::int64_t budget_partitions = 0;
    std::int64_t quota_partitions = 0;
    std::vector<std::string> lanes{};
    Json raw{};
};

struct BackupReport {
    std::int64_t shards = 0;
    std::int64_t records = 0;
    std::int64_t bytes = 0;
};

}  // namespace flowfabric
