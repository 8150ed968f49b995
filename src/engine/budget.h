#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/partition.h"

namespace ff::engine {

/// A budget and where it lives.
struct BudgetAddress {
    model::BudgetId id;
    model::PartitionConfig partitions{};
};

struct BudgetLimit {
    std::string dimension{};
    std::int64_t hard = 0;  // 0 = none
    std::int64_t soft = 0;
};

/// Amounts by dimension, in the order in which they are checked.
using Amounts = std::vector<std::pair<std::string, std::int64_t>>;
/// A hash as it is stored.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// `ff_create_budget`.
struct CreateBudget {
    struct Outcome {
        bool already_satisfied = false;
    };

    BudgetAddress budget;
    std::string scope_type{};
    std::string scope_id{};
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};
    Millis reset_interval{0};
    std::vector<BudgetLimit> limits{};
    std::string meta_json{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// What a budget says to a report.
struct UsageVerdict {
    enum class Kind : std::uint8_t { Ok, SoftBreach, HardBreach, AlreadyApplied };
    Kind kind = Kind::Ok;
    // Of a breach:
    std::string dimension{};
    std::int64_t usage = 0;
    std::int64_t limit = 0;
    std::string action{};
};

/// `ff_report_usage_and_check`.
struct ReportUsage {
    using Outcome = UsageVerdict;

    BudgetAddress budget;
    Amounts amounts{};
    std::optional<model::DedupId> dedup_id{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return dedup_id.has_value(); }
};

/// Whether a charge asks before it is counted, or tells of what has happened.
enum class SpendMode : std::uint8_t { Check, Spent };
std::string_view to_string(SpendMode mode);
std::optional<SpendMode> parse_spend_mode(std::string_view text);

/// `ff_record_spend`: a report that remembers who spent it.
struct RecordSpend {
    using Outcome = UsageVerdict;

    BudgetAddress budget;
    model::ExecutionId execution_id;
    Amounts amounts{};
    std::optional<model::DedupId> dedup_id{};
    std::optional<Millis> ledger_ttl{};
    SpendMode mode = SpendMode::Check;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return dedup_id.has_value(); }
};

/// `ff_release_budget`: gives back what one execution spent.
struct ReleaseBudget {
    struct Outcome {
        bool released = false;  // false: there was nothing to give back
        Amounts amounts{};
    };

    BudgetAddress budget;
    model::ExecutionId execution_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_reset_budget`: the next period begins.
struct ResetBudget {
    struct Outcome {
        bool already_satisfied = false;
        std::optional<Timestamp> next_reset_at{};
    };

    BudgetAddress budget;
    /// The score a scanner saw; operators leave it out.
    std::optional<Timestamp> expected_next_reset_at{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return expected_next_reset_at.has_value(); }
};

/// `ff_update_budget`: an operator's override.
struct UpdateBudget {
    struct Outcome {
        std::int64_t revision = 0;
    };
    struct Change {
        std::string dimension{};
        std::optional<std::int64_t> hard{};
        std::optional<std::int64_t> soft{};
    };

    BudgetAddress budget;
    std::string actor{};
    std::string reason{};
    std::vector<Change> changes{};
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_get_budget`: one atomic snapshot.
struct GetBudget {
    struct Outcome {
        Fields definition{};
        Fields limits{};
        Fields usage{};
    };

    BudgetAddress budget;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// Reads a flat array of fields and values.
Result<Fields> read_fields(const ReplyReader& reader, std::size_t position, std::string_view name);

}  // namespace ff::engine
