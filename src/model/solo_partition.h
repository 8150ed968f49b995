#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "model/partition.h"

namespace ff::model {

/// Chooses the partition of executions that belong to no flow. Deterministic, in range, and the
/// same on every server.
class SoloPartitioner {
  public:
    virtual ~SoloPartitioner() = default;
    virtual std::uint16_t partition(const LaneId& lane, const PartitionConfig& config) const = 0;
};

/// crc16 of the lane modulo the flow count, unless the lane has a fixed place in the table.
class LanePartitioner final : public SoloPartitioner {
  public:
    using Overrides = std::map<LaneId, std::uint16_t>;

    LanePartitioner() = default;
    /// Reads `lane=index[,lane=index...]`; empty text means no overrides. The last `=` of an entry
    /// divides it, because lanes may contain one. Refuses with `invalid_input`, detail
    /// `solo_partition_overrides:<why>`: `malformed`, `bad_lane`, `bad_index`, `out_of_range`,
    /// `duplicate_lane`.
    static Result<LanePartitioner> parse(std::string_view text, const PartitionConfig& config);

    std::uint16_t partition(const LaneId& lane, const PartitionConfig& config) const override;
    const Overrides& overrides() const { return overrides_; }

  private:
    explicit LanePartitioner(Overrides overrides) : overrides_(std::move(overrides)) {}
    Overrides overrides_{};
};

/// A lane's solo work spread over `width` neighbouring partitions, starting at the lane's own.
struct LaneSpread {
    std::uint16_t width = 1;

    /// The place of one execution. The idempotency key decides if there is one, so that a repeated
    /// create meets its first; otherwise the UUID does.
    std::uint16_t place(std::uint16_t solo_partition, const std::optional<IdempotencyKey>& key,
                        const Uuid& uuid, const PartitionConfig& config) const;
    /// Every partition that may hold the lane's solo work, the lane's own first, none twice.
    std::vector<std::uint16_t> partitions(std::uint16_t solo_partition,
                                          const PartitionConfig& config) const;
};

}  // namespace ff::model
