#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/task.h"

namespace ff::sdk {

/// The fence of one attempt, as its worker holds it: the texts are those of the task, which
/// outlives it.
struct HeldLease {
    std::string_view execution_id{};
    std::string_view lease_id{};
    std::int64_t lease_epoch = 0;
    std::string_view attempt_id{};
    std::int64_t attempt_index = 0;
};

/// Lent by whoever holds the task and its result until the call has ended.
struct HotCompletion {
    HeldLease lease{};
    std::optional<std::string_view> result{};
};

/// A claim of up to `tasks_max` tasks, and completions to be made before it.
struct HotClaim {
    std::string worker_id{};
    std::string worker_instance_id{};
    /// Empty: any.
    std::string ns{};
    std::vector<std::string> lanes{};
    std::vector<std::string> capabilities{};
    /// Empty: any.
    std::vector<std::string> kinds{};
    std::size_t tasks_max = 1;
    flowfabric::Millis wait{0};
    /// Nothing: as long as such a call may take.
    std::optional<flowfabric::Millis> timeout{};
    flowfabric::Millis lease_ttl{30'000};
    std::string claim_id{};
    /// The id was never sent before.
    bool first_try = false;
    std::vector<HotCompletion> completions{};
    /// Gives up waiting.
    std::stop_token stop{};
};

struct HotTask {
    flowfabric::TaskInfo info{};
    flowfabric::Bytes payload{};
    /// It was too large to come along.
    bool payload_omitted = false;
};

struct HotClaimed {
    std::vector<HotTask> tasks{};
    /// One for each completion; empty for a success.
    std::vector<std::optional<flowfabric::Error>> completions{};
};

}  // namespace ff::sdk
