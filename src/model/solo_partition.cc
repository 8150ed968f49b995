#include "model/solo_partition.h"

#include <algorithm>

#include "base/hash.h"
#include "base/numbers.h"

namespace ff::model {
namespace {

constexpr std::string_view kField = "solo_partition_overrides";

Result<Done> add_override(std::string_view entry, const PartitionConfig& config,
                          LanePartitioner::Overrides& overrides) {
    const std::size_t equals = entry.rfind('=');
    if (equals == std::string_view::npos) return invalid_input(kField, "malformed");
    const Result<LaneId> lane = LaneId::parse(entry.substr(0, equals));
    if (!lane) return invalid_input(kField, "bad_lane");
    const auto index = parse_canonical_u64(entry.substr(equals + 1));
    if (!index) return invalid_input(kField, "bad_index");
    if (*index >= config.num_flow_partitions()) return invalid_input(kField, "out_of_range");
    if (!overrides.emplace(*lane, static_cast<std::uint16_t>(*index)).second)
        return invalid_input(kField, "duplicate_lane");
    return Done{};
}

std::uint32_t spread_width(std::uint16_t width, const PartitionConfig& config) {
    return std::clamp<std::uint32_t>(width, 1, config.num_flow_partitions());
}

}  // namespace

Result<LanePartitioner> LanePartitioner::parse(std::string_view text,
                                               const PartitionConfig& config) {
    Overrides overrides;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        FF_CHECK(add_override(text.substr(0, comma), config, overrides));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
        if (text.empty()) return invalid_input(kField, "malformed");
    }
    return LanePartitioner(std::move(overrides));
}

std::uint16_t LanePartitioner::partition(const LaneId& lane, const PartitionConfig& config) const {
    if (const auto fixed = overrides_.find(lane); fixed != overrides_.end()) {
        // Checked against the same configuration when the table was read.
        FF_ASSERT(fixed->second < config.num_flow_partitions());
        return fixed->second;
    }
    return static_cast<std::uint16_t>(crc16(lane.text()) % config.num_flow_partitions());
}

std::uint16_t LaneSpread::place(std::uint16_t solo_partition,
                                const std::optional<IdempotencyKey>& key, const Uuid& uuid,
                                const PartitionConfig& config) const {
    const std::uint32_t hash = crc16(key ? std::string_view(key->text()) : uuid.bytes());
    const std::uint32_t step = hash % spread_width(width, config);
    return static_cast<std::uint16_t>((solo_partition + step) % config.num_flow_partitions());
}

std::vector<std::uint16_t> LaneSpread::partitions(std::uint16_t solo_partition,
                                                  const PartitionConfig& config) const {
    std::vector<std::uint16_t> out;
    const std::uint32_t steps = spread_width(width, config);
    out.reserve(steps);
    for (std::uint32_t step = 0; step < steps; ++step)
        out.push_back(
            static_cast<std::uint16_t>((solo_partition + step) % config.num_flow_partitions()));
    return out;
}

}  // namespace ff::model
