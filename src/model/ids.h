#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "model/strong_id.h"

namespace ff::model {

using FlowId = UuidId<struct FlowIdTag>;
using BudgetId = UuidId<struct BudgetIdTag>;
using QuotaPolicyId = UuidId<struct QuotaPolicyIdTag>;
using EdgeId = UuidId<struct EdgeIdTag>;
using SuspensionId = UuidId<struct SuspensionIdTag>;
using WaitpointId = UuidId<struct WaitpointIdTag>;
using SignalId = UuidId<struct SignalIdTag>;
using LeaseId = UuidId<struct LeaseIdTag>;
using AttemptId = UuidId<struct AttemptIdTag>;

/// 1..64 bytes of 0x21..0x7e without `,` `{` `}`. Errors: `Empty`, `TooLong(<bytes>)`,
/// `NonPrintable(<byte index>)`, `Forbidden(<byte index>)`.
struct LaneRules {
    static constexpr std::string_view kField = "lane_id";
    static Result<Done> check(std::string_view text, std::string_view field);
};
/// 1..128 bytes of 0x21..0x7e without `:` `{` `}`. These and all below refuse with
/// `<field>:empty`, `<field>:too_long` or `<field>:bad_character`.
struct NamespaceRules {
    static constexpr std::string_view kField = "namespace";
    static Result<Done> check(std::string_view text, std::string_view field);
};
/// 1..256 bytes without white space and control characters.
struct WorkerRules {
    static Result<Done> check(std::string_view text, std::string_view field);
};
struct WorkerIdRules : WorkerRules {
    static constexpr std::string_view kField = "worker_id";
};
struct WorkerInstanceIdRules : WorkerRules {
    static constexpr std::string_view kField = "worker_instance_id";
};
/// 1..256 bytes without control characters.
struct KeyRules {
    static Result<Done> check(std::string_view text, std::string_view field);
};
struct WaitpointKeyRules : KeyRules {
    static constexpr std::string_view kField = "waitpoint_key";
};
struct IdempotencyKeyRules : KeyRules {
    static constexpr std::string_view kField = "idempotency_key";
};
struct DedupIdRules : KeyRules {
    static constexpr std::string_view kField = "dedup_id";
};

using LaneId = TextId<LaneRules>;
using Namespace = TextId<NamespaceRules>;
using WorkerId = TextId<WorkerIdRules>;
using WorkerInstanceId = TextId<WorkerInstanceIdRules>;
using WaitpointKey = TextId<WaitpointKeyRules>;
using IdempotencyKey = TextId<IdempotencyKeyRules>;
using DedupId = TextId<DedupIdRules>;

/// `wpk:<waitpoint_id>`, the key of a waitpoint whose worker chose none.
WaitpointKey default_waitpoint_key(const WaitpointId& id);

/// Counts the leases of an execution; the fence that tells an owner from its predecessors.
struct LeaseEpoch {
    /// Decimal digits within 64 bits, else `lease_epoch:not_integer`.
    static Result<LeaseEpoch> parse(std::string_view text);
    std::string to_string() const { return std::to_string(value); }
    std::uint64_t value = 0;
    friend auto operator<=>(const LeaseEpoch&, const LeaseEpoch&) = default;
};

struct AttemptIndex {
    /// Decimal digits within 32 bits, else `attempt_index:not_integer`.
    static Result<AttemptIndex> parse(std::string_view text);
    std::string to_string() const { return std::to_string(value); }
    std::uint32_t value = 0;
    friend auto operator<=>(const AttemptIndex&, const AttemptIndex&) = default;
};

}  // namespace ff::model

template <>
struct std::hash<ff::model::LeaseEpoch> {
    std::size_t operator()(ff::model::LeaseEpoch epoch) const noexcept {
        return std::hash<std::uint64_t>{}(epoch.value);
    }
};

template <>
struct std::hash<ff::model::AttemptIndex> {
    std::size_t operator()(ff::model::AttemptIndex index) const noexcept {
        return std::hash<std::uint32_t>{}(index.value);
    }
};
