#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/time.h"
#include "model/partition.h"

namespace ff::sched {

struct ClaimerOptions {
    model::PartitionConfig partitions{};
    /// Over how many partitions a lane's solo work is spread, from its own on.
    std::uint16_t lane_spread = 1;
    std::map<std::string, std::uint16_t> lane_spread_overrides{};
    /// How long a drained lane announces new work.
    Millis arm_wake{60'000};
    /// Everybody looks everywhere this often while anybody waits: the net under a lost message.
    Millis sweep_interval{30'000};
    /// A namespace this far ahead of the last waiting one stands back.
    double namespace_lead = 32;
    std::size_t waiters_max = 1024;
    /// What the default policies of all lanes are laid over; empty: none.
    std::string server_policy_json{};
};

}  // namespace ff::sched
