#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"
#include "model/ids.h"
#include "model/partition.h"
#include "model/solo_partition.h"

namespace ff::model {

/// `{fp:<N>}:<uuid>`: the id of an execution carries its partition for life. There is no way to
/// make one from a bare UUID.
class ExecutionId {
  public:
    /// Checks shape only, in this order: `MissingTag(<text>)`, `InvalidPartitionIndex(<part>)`,
    /// `InvalidUuid(<part>)`. Where requests enter, `check_in_range` must follow.
    static Result<ExecutionId> parse(std::string_view text);

    /// In the partition of the flow, so that one call can touch both.
    static ExecutionId for_flow(const FlowId& flow, const PartitionConfig& config, Random& random);
    static ExecutionId deterministic_for_flow(const FlowId& flow, const PartitionConfig& config,
                                              const Uuid& uuid);
    /// Wherever the caller says; `check_in_range` must have passed for the index.
    static ExecutionId in_partition(std::uint16_t index, const Uuid& uuid) { return {index, uuid}; }
    /// In the solo partition of the lane.
    static ExecutionId solo(const LaneId& lane, const PartitionConfig& config,
                            const SoloPartitioner& partitioner, Random& random);
    static ExecutionId deterministic_solo(const LaneId& lane, const PartitionConfig& config,
                                          const SoloPartitioner& partitioner, const Uuid& uuid);

    struct SpreadPlace {
        const LaneId& lane;
        const PartitionConfig& config;
        const SoloPartitioner& partitioner;
        LaneSpread spread{};
        const std::optional<IdempotencyKey>& idempotency_key;
    };
    /// As `deterministic_solo` on a lane that is spread over several partitions.
    static ExecutionId spread_solo(const SpreadPlace& place, const Uuid& uuid);

    PartitionKey partition() const { return {PartitionFamily::Execution, index_}; }
    std::uint16_t partition_index() const { return index_; }
    const Uuid& uuid() const { return uuid_; }
    std::string to_string() const;
    /// Tag, five digits at most, and the UUID.
    static constexpr std::size_t kTextMax = 11 + Uuid::kTextSize;
    /// The same as at most `kTextMax` bytes at `to`, without an allocation; returns their end.
    char* write_text(char* to) const;

    friend auto operator<=>(const ExecutionId&, const ExecutionId&) = default;

  private:
    ExecutionId(std::uint16_t index, const Uuid& uuid) : index_(index), uuid_(uuid) {}
    std::uint16_t index_;
    Uuid uuid_;
};

/// The check of every ingress: `invalid_input` with detail `partition_out_of_range`.
Result<Done> check_in_range(const ExecutionId& id, const PartitionConfig& config);

/// `parse` and `check_in_range` in one, for text that enters the system.
Result<ExecutionId> parse_execution_id_at_ingress(std::string_view text,
                                                  const PartitionConfig& config);

/// An execution and a flow named in one call must share their partition; `partition_mismatch`
/// otherwise, before the store could answer with a slot error.
Result<Done> check_same_partition(const ExecutionId& id, const FlowId& flow,
                                  const PartitionConfig& config);

}  // namespace ff::model

template <>
struct std::hash<ff::model::ExecutionId> {
    std::size_t operator()(const ff::model::ExecutionId& id) const noexcept {
        return std::hash<ff::model::Uuid>{}(id.uuid()) ^ id.partition_index();
    }
};
