#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/ids.h"

namespace ff::model {

/// Which kind of data a partition holds. Execution is an alias of Flow with the same tags; the
/// label exists for logs and metrics only.
enum class PartitionFamily : std::uint8_t { Flow, Execution, Budget, Quota };

std::string_view to_string(PartitionFamily family);
/// `fp`, `b` or `q`.
std::string_view tag_prefix(PartitionFamily family);

/// One partition; its text is its hash tag. Opaque for clients.
class PartitionKey {
  public:
    constexpr PartitionKey(PartitionFamily family, std::uint16_t index)
        : family_(family), index_(index) {}
    static constexpr PartitionKey flow(std::uint16_t index) {
        return {PartitionFamily::Flow, index};
    }

    /// Errors: `MissingBraces`, `MalformedBody`, `UnknownFamilyPrefix(<p>)`,
    /// `InvalidIndex(<text>)`.
    /// `{fp:N}` is always of family Flow.
    static Result<PartitionKey> parse(std::string_view text);

    PartitionFamily family() const { return family_; }
    std::uint16_t index() const { return index_; }
    /// `{fp:7}`, braces included.
    std::string tag() const;
    std::string to_string() const { return tag(); }

    /// Two keys are equal when their tags are: the alias makes no difference.
    friend bool operator==(const PartitionKey& a, const PartitionKey& b) {
        return (a <=> b) == std::strong_ordering::equal;
    }
    friend std::strong_ordering operator<=>(const PartitionKey& a, const PartitionKey& b) {
        if (const auto order = a.space() <=> b.space(); order != 0) return order;
        return a.index_ <=> b.index_;
    }

  private:
    PartitionFamily space() const {
        return family_ == PartitionFamily::Execution ? PartitionFamily::Flow : family_;
    }
    PartitionFamily family_;
    std::uint16_t index_;
};

struct PartitionCounts {
    std::uint16_t flow = 256;
    std::uint16_t budget = 32;
    std::uint16_t quota = 32;
    bool operator==(const PartitionCounts&) const = default;
};

/// How many partitions each family has, none of them 0: fixed for the life of the data.
class PartitionConfig {
  public:
    /// 256 / 32 / 32.
    PartitionConfig() = default;
    /// A count of 0 is `invalid_input` with detail `num_<family>_partitions:zero`.
    static Result<PartitionConfig> create(PartitionCounts counts);

    std::uint16_t num_flow_partitions() const { return counts_.flow; }
    std::uint16_t num_budget_partitions() const { return counts_.budget; }
    std::uint16_t num_quota_partitions() const { return counts_.quota; }
    std::uint16_t count(PartitionFamily family) const;
    /// `<flow>/<budget>/<quota>`, as kept in `ff:config:partitions`.
    std::string layout() const;

    bool operator==(const PartitionConfig&) const = default;

  private:
    explicit PartitionConfig(PartitionCounts counts) : counts_(counts) {}
    PartitionCounts counts_{};
};

PartitionKey partition_of(const FlowId& id, const PartitionConfig& config);
PartitionKey partition_of(const BudgetId& id, const PartitionConfig& config);
PartitionKey partition_of(const QuotaPolicyId& id, const PartitionConfig& config);

/// What budgets and quotas are attached to.
struct PolicyScope {
    std::string type{};
    std::string id{};
    bool operator==(const PolicyScope&) const = default;
};

/// Where the attachments of a scope are listed: crc16 of `<scope_type>:<scope_id>`.
PartitionKey budget_directory_of(const PolicyScope& scope, const PartitionConfig& config);
PartitionKey quota_directory_of(const PolicyScope& scope, const PartitionConfig& config);

/// `fnv16` of the claim cycle: the low 16 bits of FNV-1a 64, modulo `count`.
std::uint16_t fnv16(std::string_view text, std::uint16_t count);
/// Where a directly claiming worker starts: all 64 bits of FNV-1a, modulo `count`.
std::uint16_t direct_claim_start(const WorkerInstanceId& worker, std::uint16_t count);

}  // namespace ff::model

template <>
struct std::hash<ff::model::PartitionKey> {
    std::size_t operator()(const ff::model::PartitionKey& key) const noexcept {
        const std::string_view prefix = ff::model::tag_prefix(key.family());
        return std::hash<std::uint32_t>{}((static_cast<std::uint32_t>(prefix[0]) << 16U) |
                                          key.index());
    }
};
