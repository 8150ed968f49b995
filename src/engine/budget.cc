#include "engine/budget.h"

#include "model/budget_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kCreate = "ff_create_budget";
constexpr std::string_view kReport = "ff_report_usage_and_check";
constexpr std::string_view kSpend = "ff_record_spend";
constexpr std::string_view kRelease = "ff_release_budget";
constexpr std::string_view kReset = "ff_reset_budget";
constexpr std::string_view kUpdate = "ff_update_budget";
constexpr std::string_view kGet = "ff_get_budget";

model::BudgetKeys keys_of(const BudgetAddress& budget) {
    return {budget.id, budget.partitions};
}

model::BudgetIndexKeys index_of(const BudgetAddress& budget) {
    return model::BudgetIndexKeys(model::partition_of(budget.id, budget.partitions));
}

std::int64_t count_of(const auto& list) {
    return static_cast<std::int64_t>(list.size());
}

void write_dedup(CallWriter& to, const BudgetAddress& budget,
                 const std::optional<model::DedupId>& dedup_id) {
    to.arg("dedup_key", dedup_id ? index_of(budget).usage_dedup(*dedup_id) : std::string());
}

Result<UsageVerdict> read_verdict(std::string_view function, const store::Reply& reply) {
    using Kind = UsageVerdict::Kind;
    FF_TRY(const ReplyReader reader, ReplyReader::open(function, reply));
    if (reader.word() == "OK") return UsageVerdict{};
    if (reader.word() == "ALREADY_APPLIED") return UsageVerdict{.kind = Kind::AlreadyApplied};
    const bool hard = reader.word() == "HARD_BREACH";
    if (!hard && reader.word() != "SOFT_BREACH") return reader.fault("word");
    FF_TRY(const std::string_view dimension, reader.text(3, "dimension"));
    FF_TRY(const std::int64_t usage, reader.integer(4, "usage"));
    FF_TRY(const std::int64_t limit, reader.integer(5, "limit"));
    FF_TRY(const std::string_view action, reader.text(6, "action"));
    return UsageVerdict{.kind = hard ? Kind::HardBreach : Kind::SoftBreach,
                        .dimension = std::string(dimension),
                        .usage = usage,
                        .limit = limit,
                        .action = std::string(action)};
}

}  // namespace

void CreateBudget::write(CallWriter& to) const {
    const auto keys = keys_of(budget);
    const auto index = index_of(budget);
    to.begin(kCreate, 5);
    to.key("definition", keys.definition());
    to.key("limits", keys.limits());
    to.key("usage", keys.usage());
    to.key("budget_resets", index.resets());
    to.key("budget_policies", index.policies());
    to.arg("budget_id", budget.id.to_string());
    to.arg("scope_type", scope_type);
    to.arg("scope_id", scope_id);
    to.arg("enforcement_mode", enforcement_mode);
    to.arg("on_hard_limit", on_hard_limit);
    to.arg("on_soft_limit", on_soft_limit);
    to.arg("reset_interval_ms", reset_interval);
    to.arg("now_ms", "");
    to.arg("dimension_count", count_of(limits));
    for (const BudgetLimit& limit : limits) to.arg("name", limit.dimension);
    for (const BudgetLimit& limit : limits) to.arg("hard", limit.hard);
    for (const BudgetLimit& limit : limits) to.arg("soft", limit.soft);
    to.arg("meta_json", meta_json);
}

Result<CreateBudget::Outcome> CreateBudget::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCreate, reply));
    return Outcome{.already_satisfied = reader.word() == "ALREADY_SATISFIED"};
}

void ReportUsage::write(CallWriter& to) const {
    const auto keys = keys_of(budget);
    to.begin(kReport, 3);
    to.key("usage", keys.usage());
    to.key("limits", keys.limits());
    to.key("definition", keys.definition());
    to.arg("dimension_count", count_of(amounts));
    for (const auto& [dimension, amount] : amounts) to.arg("name", dimension);
    for (const auto& [dimension, amount] : amounts) to.arg("delta", amount);
    to.arg("now_ms", "");
    write_dedup(to, budget, dedup_id);
}

Result<UsageVerdict> ReportUsage::read(const store::Reply& reply) const {
    return read_verdict(kReport, reply);
}

std::string_view to_string(SpendMode mode) {
    switch (mode) {
        case SpendMode::Check:
            return "check";
        case SpendMode::Spent:
            return "spent";
    }
    return {};
}

std::optional<SpendMode> parse_spend_mode(std::string_view text) {
    for (const SpendMode mode : {SpendMode::Check, SpendMode::Spent}) {
        if (to_string(mode) == text) return mode;
    }
    return std::nullopt;
}

void RecordSpend::write(CallWriter& to) const {
    const auto keys = keys_of(budget);
    to.begin(kSpend, 5);
    to.key("usage", keys.usage());
    to.key("limits", keys.limits());
    to.key("definition", keys.definition());
    to.key("ledger", keys.by_execution(execution_id));
    to.key("ledger_index", keys.by_execution_index());
    to.arg("pair_count", count_of(amounts));
    for (const auto& [dimension, amount] : amounts) {
        to.arg("name", dimension);
        to.arg("delta", amount);
    }
    to.arg("now_ms", "");
    write_dedup(to, budget, dedup_id);
    to.arg("execution_id", execution_id.to_string());
    to.arg("ledger_ttl_ms", ledger_ttl);
    to.arg("mode", to_string(mode));
}

Result<UsageVerdict> RecordSpend::read(const store::Reply& reply) const {
    return read_verdict(kSpend, reply);
}

void ReleaseBudget::write(CallWriter& to) const {
    const auto keys = keys_of(budget);
    to.begin(kRelease, 4);
    to.key("usage", keys.usage());
    to.key("ledger", keys.by_execution(execution_id));
    to.key("ledger_index", keys.by_execution_index());
    to.key("definition", keys.definition());
    to.arg("budget_id", budget.id.to_string());
    to.arg("execution_id", execution_id.to_string());
}

Result<ReleaseBudget::Outcome> ReleaseBudget::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRelease, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    Outcome outcome{.released = result == "released"};
    for (std::size_t position = 4; position < reader.size(); position += 2) {
        FF_TRY(const std::string_view dimension, reader.text(position, "dimension"));
        FF_TRY(const std::int64_t amount, reader.integer(position + 1, "amount"));
        outcome.amounts.emplace_back(dimension, amount);
    }
    return outcome;
}

void ResetBudget::write(CallWriter& to) const {
    const auto keys = keys_of(budget);
    to.begin(kReset, 3);
    to.key("definition", keys.definition());
    to.key("usage", keys.usage());
    to.key("budget_resets", index_of(budget).resets());
    to.arg("budget_id", budget.id.to_string());
    to.arg("now_ms", "");
    to.arg("expected_next_reset_at", expected_next_reset_at);
}

Result<ResetBudget::Outcome> ResetBudget::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReset, reply));
    FF_TRY(const std::int64_t next, reader.integer(3, "next_reset_at"));
    Outcome outcome{.already_satisfied = reader.word() == "ALREADY_SATISFIED"};
    if (next != 0) outcome.next_reset_at = timestamp_from_ms(next);
    return outcome;
}

void UpdateBudget::write(CallWriter& to) const {
    const auto keys = keys_of(budget);
    to.begin(kUpdate, 3);
    to.key("definition", keys.definition());
    to.key("limits", keys.limits());
    to.key("usage", keys.usage());
    to.arg("budget_id", budget.id.to_string());
    to.arg("now_ms", "");
    to.arg("actor", actor);
    to.arg("reason", reason);
    to.arg("dimension_count", count_of(changes));
    for (const Change& change : changes) to.arg("name", change.dimension);
    for (const Change& change : changes) to.arg("hard", change.hard);
    for (const Change& change : changes) to.arg("soft", change.soft);
    to.arg("enforcement_mode", enforcement_mode);
    to.arg("on_hard_limit", on_hard_limit);
    to.arg("on_soft_limit", on_soft_limit);
}

Result<UpdateBudget::Outcome> UpdateBudget::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kUpdate, reply));
    FF_TRY(const std::int64_t revision, reader.integer(3, "revision"));
    return Outcome{.revision = revision};
}

void GetBudget::write(CallWriter& to) const {
    const auto keys = keys_of(budget);
    to.begin(kGet, 3);
    to.key("definition", keys.definition());
    to.key("limits", keys.limits());
    to.key("usage", keys.usage());
}

Result<GetBudget::Outcome> GetBudget::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kGet, reply));
    FF_TRY(Fields definition, read_fields(reader, 3, "definition"));
    FF_TRY(Fields limits, read_fields(reader, 4, "limits"));
    FF_TRY(Fields usage, read_fields(reader, 5, "usage"));
    return Outcome{.definition = std::move(definition),
                   .limits = std::move(limits),
                   .usage = std::move(usage)};
}

Result<Fields> read_fields(const ReplyReader& reader, std::size_t position, std::string_view name) {
    FF_TRY(const auto items, reader.items(position, name));
    if (items.size() % 2 != 0) return reader.fault(name);
    Fields fields;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const auto field = items[i].text();
        const auto value = items[i + 1].text();
        if (!field || !value) return reader.fault(name);
        fields.emplace_back(*field, *value);
    }
    return fields;
}

}  // namespace ff::engine
