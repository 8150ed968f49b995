#include "model/execution_id.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/plain_id.h"
#include "model/refusal.h"

namespace ff::model {
namespace {

constexpr std::string_view kOpen = "{fp:";
constexpr std::string_view kClose = "}:";
constexpr std::string_view kPlainOpen = "fp.";
constexpr std::string_view kPlainClose = ".";

}  // namespace

Result<ExecutionId> ExecutionId::parse(std::string_view text) {
    const bool plain = text.starts_with(kPlainOpen);
    const std::string_view before = plain ? kPlainOpen : kOpen;
    const std::string_view behind = plain ? kPlainClose : kClose;
    if (!text.starts_with(before)) return refuse_with("MissingTag", text);
    const std::size_t close = text.find(behind, before.size());
    if (close == std::string_view::npos) return refuse_with("MissingTag", text);
    const std::string_view digits = text.substr(before.size(), close - before.size());
    const auto index = parse_canonical_u64(digits);
    if (!index || *index > std::numeric_limits<std::uint16_t>::max())
        return refuse_with("InvalidPartitionIndex", digits);
    FF_TRY(const Uuid uuid, Uuid::parse(text.substr(close + behind.size())));
    return ExecutionId(static_cast<std::uint16_t>(*index), uuid);
}

ExecutionId ExecutionId::for_flow(const FlowId& flow, const PartitionConfig& config,
                                  Random& random) {
    return deterministic_for_flow(flow, config, Uuid::mint_v4(random));
}

ExecutionId ExecutionId::deterministic_for_flow(const FlowId& flow, const PartitionConfig& config,
                                                const Uuid& uuid) {
    return {partition_of(flow, config).index(), uuid};
}

ExecutionId ExecutionId::solo(const LaneId& lane, const PartitionConfig& config,
                              const SoloPartitioner& partitioner, Random& random) {
    return deterministic_solo(lane, config, partitioner, Uuid::mint_v4(random));
}

ExecutionId ExecutionId::deterministic_solo(const LaneId& lane, const PartitionConfig& config,
                                            const SoloPartitioner& partitioner, const Uuid& uuid) {
    const std::uint16_t index = partitioner.partition(lane, config);
    FF_ASSERT(index < config.num_flow_partitions());
    return {index, uuid};
}

ExecutionId ExecutionId::spread_solo(const SpreadPlace& place, const Uuid& uuid) {
    const std::uint16_t first = place.partitioner.partition(place.lane, place.config);
    return {place.spread.place(first, place.idempotency_key, uuid, place.config), uuid};
}

std::string ExecutionId::to_string() const {
    char text[kTextMax];
    return {text, static_cast<std::size_t>(write_text(text) - text)};
}

std::string to_plain_string(const ExecutionId& id) {
    return std::string(kPlainOpen) + std::to_string(id.partition_index()) +
           std::string(kPlainClose) + id.uuid().to_string();
}

char* ExecutionId::write_text(char* to) const {
    constexpr std::size_t kDigitsMax = kTextMax - kOpen.size() - kClose.size() - Uuid::kTextSize;
    static_assert(kDigitsMax == std::numeric_limits<std::uint16_t>::digits10 + 1);
    to = std::ranges::copy(kOpen, to).out;
    to = std::to_chars(to, to + kDigitsMax, index_).ptr;
    to = std::ranges::copy(kClose, to).out;
    return uuid_.write_text(to);
}

Result<Done> check_in_range(const ExecutionId& id, const PartitionConfig& config) {
    if (id.partition_index() >= config.num_flow_partitions())
        return refuse("partition_out_of_range");
    return Done{};
}

Result<ExecutionId> parse_execution_id_at_ingress(std::string_view text,
                                                  const PartitionConfig& config) {
    FF_TRY(ExecutionId id, ExecutionId::parse(text));
    FF_CHECK(check_in_range(id, config));
    return id;
}

Result<Done> check_same_partition(const ExecutionId& id, const FlowId& flow,
                                  const PartitionConfig& config) {
    const PartitionKey home = partition_of(flow, config);
    if (id.partition() == home) return Done{};
    return make_error("partition_mismatch", {id.partition().tag(), home.tag()});
}

}  // namespace ff::model
