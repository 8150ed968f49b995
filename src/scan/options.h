#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/ids.h"
#include "model/partition.h"
#include "scan/kind.h"

namespace ff::scan {

/// `i/n`: this server scans the partitions p with p mod n = i.
struct Shard {
    std::uint16_t index = 0;
    std::uint16_t count = 1;

    /// Errors name no setting; the caller does. `0/1`, `1/2`, but not `2/2`.
    static Result<Shard> parse(std::string_view text);
    bool has(std::uint16_t partition) const {
        const auto part = static_cast<std::uint16_t>(partition % count);
        return part == index || adopted.contains(part);
    }

    /// Others of the `count` that no server scans at the moment.
    std::set<std::uint16_t> adopted{};
};

/// Executions that do not match are left alone.
struct Filter {
    struct Tag {
        std::string key{};
        std::string value{};
    };
    std::optional<model::Namespace> ns{};
    std::optional<Tag> tag{};

    bool any() const { return ns.has_value() || tag.has_value(); }
};

struct Options {
    model::PartitionConfig partitions{};
    /// Served beside those of `ff:idx:lanes`.
    std::vector<model::LaneId> lanes{};
    Shard shard{};
    /// How long a shard may be silent before the others take it over.
    Millis shard_gone_after{10'000};
    Filter filter{};
    /// By kind; unset ones have their default. Values under 100 ms are raised to it.
    std::array<std::optional<Millis>, 21> intervals{};
    Millis retention_default{86'400'000};
    Millis flow_retention{604'800'000};
    bool secondary_indexes = true;
    /// Whether the store's time is doubted, so that nothing destructive is done by it; null: never.
    std::function<bool()> time_is_doubted{};
    /// A waiting claim for this lane and partition may find something now.
    std::function<void(const std::string& lane, std::uint16_t partition)> on_wake{};

    Millis interval(Kind kind) const;
    /// Scanners of one server do not all begin in the same moment. What a crash has left is looked
    /// for soon; upkeep is not done where everybody else has just begun to work.
    Millis first_cycle_within(Kind kind) const;
};

}  // namespace ff::scan
