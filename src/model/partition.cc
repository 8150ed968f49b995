#include "model/partition.h"

#include <limits>

#include "base/hash.h"
#include "base/numbers.h"
#include "model/refusal.h"

namespace ff::model {
namespace {

std::uint16_t place(std::string_view bytes, std::uint16_t count) {
    return static_cast<std::uint16_t>(crc16(bytes) % count);
}

std::string scope_text(const PolicyScope& scope) {
    return scope.type + ":" + scope.id;
}

}  // namespace

std::string_view to_string(PartitionFamily family) {
    switch (family) {
        case PartitionFamily::Flow:
            return "flow";
        case PartitionFamily::Execution:
            return "execution";
        case PartitionFamily::Budget:
            return "budget";
        case PartitionFamily::Quota:
            return "quota";
    }
    return "flow";
}

std::string_view tag_prefix(PartitionFamily family) {
    switch (family) {
        case PartitionFamily::Flow:
        case PartitionFamily::Execution:
            return "fp";
        case PartitionFamily::Budget:
            return "b";
        case PartitionFamily::Quota:
            return "q";
    }
    return "fp";
}

Result<PartitionKey> PartitionKey::parse(std::string_view text) {
    if (text.size() < 2 || text.front() != '{' || text.back() != '}')
        return refuse("MissingBraces");
    const std::string_view body = text.substr(1, text.size() - 2);
    const std::size_t colon = body.find(':');
    if (colon == std::string_view::npos) return refuse("MalformedBody");
    const std::string_view prefix = body.substr(0, colon);
    const std::string_view digits = body.substr(colon + 1);
    for (const auto family :
         {PartitionFamily::Flow, PartitionFamily::Budget, PartitionFamily::Quota}) {
        if (prefix != tag_prefix(family)) continue;
        const auto index = parse_canonical_u64(digits);
        if (!index || *index > std::numeric_limits<std::uint16_t>::max())
            return refuse_with("InvalidIndex", digits);
        return PartitionKey(family, static_cast<std::uint16_t>(*index));
    }
    return refuse_with("UnknownFamilyPrefix", prefix);
}

std::string PartitionKey::tag() const {
    std::string out = "{";
    out += tag_prefix(family_);
    out += ':';
    out += std::to_string(index_);
    out += '}';
    return out;
}

Result<PartitionConfig> PartitionConfig::create(PartitionCounts counts) {
    if (counts.flow == 0) return invalid_input("num_flow_partitions", "zero");
    if (counts.budget == 0) return invalid_input("num_budget_partitions", "zero");
    if (counts.quota == 0) return invalid_input("num_quota_partitions", "zero");
    return PartitionConfig(counts);
}

std::uint16_t PartitionConfig::count(PartitionFamily family) const {
    switch (family) {
        case PartitionFamily::Flow:
        case PartitionFamily::Execution:
            return counts_.flow;
        case PartitionFamily::Budget:
            return counts_.budget;
        case PartitionFamily::Quota:
            return counts_.quota;
    }
    return counts_.flow;
}

std::string PartitionConfig::layout() const {
    return std::to_string(counts_.flow) + "/" + std::to_string(counts_.budget) + "/" +
           std::to_string(counts_.quota);
}

PartitionKey partition_of(const FlowId& id, const PartitionConfig& config) {
    return {PartitionFamily::Flow, place(id.uuid().bytes(), config.num_flow_partitions())};
}

PartitionKey partition_of(const BudgetId& id, const PartitionConfig& config) {
    return {PartitionFamily::Budget, place(id.uuid().bytes(), config.num_budget_partitions())};
}

PartitionKey partition_of(const QuotaPolicyId& id, const PartitionConfig& config) {
    return {PartitionFamily::Quota, place(id.uuid().bytes(), config.num_quota_partitions())};
}

PartitionKey budget_directory_of(const PolicyScope& scope, const PartitionConfig& config) {
    return {PartitionFamily::Budget, place(scope_text(scope), config.num_budget_partitions())};
}

PartitionKey quota_directory_of(const PolicyScope& scope, const PartitionConfig& config) {
    return {PartitionFamily::Quota, place(scope_text(scope), config.num_quota_partitions())};
}

std::uint16_t fnv16(std::string_view text, std::uint16_t count) {
    FF_ASSERT(count != 0);
    return static_cast<std::uint16_t>((fnv1a64(text) & 0xffffU) % count);
}

std::uint16_t direct_claim_start(const WorkerInstanceId& worker, std::uint16_t count) {
    FF_ASSERT(count != 0);
    return static_cast<std::uint16_t>(fnv1a64(worker.text()) % count);
}

}  // namespace ff::model
