#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "model/execution_id.h"
#include "simulation/ledger.h"
#include "simulation/server.h"

namespace ff::simulation {

/// What a worker said that it used, and what it knows of that.
struct KnownReport {
    enum class Told : std::uint8_t { Nothing, Counted, CountedAtOnce, Breached };

    model::ExecutionId id;
    model::AttemptIndex attempt{};
    std::int64_t amount = 0;
    /// It was spent already, and counts whatever the limit is.
    bool is_spent = false;
    Told told = Told::Nothing;
};

/// The budget and the quota of a run, if it has them, and what was promised about them. Each report
/// has a dimension of its own, so that the records tell how often it was counted.
class Limits {
  public:
    Limits(const Plan& plan, Chances& chances, StoreProcess& process, Ledger& ledger);

    bool any() const { return budget_.has_value() || quota_.has_value(); }
    bool has_budget() const { return budget_.has_value(); }
    /// What an execution under both carries in its policy, with a comma behind each.
    std::string policy_members() const;
    /// Makes them; again after an error.
    Task<Done> establish(Server& server);
    /// So that whatever the budget holds back can end.
    Task<Done> lift(Server& server);

    /// Limits hold from now on for this one.
    void govern(const model::ExecutionId& id) { governed_.push_back(id); }
    /// Somebody was told of a lease: the quota has not let in too many.
    void claimed(const model::ExecutionId& id);

    /// The name of a new report; empty when there were enough of them.
    std::string new_report(KnownReport report);
    KnownReport& report(const std::string& name) { return reports_.find(name)->second; }
    /// What the records say of it now.
    bool is_counted(const std::string& name);
    static constexpr const char* kDimension = "tokens";

    /// At the end, when nothing runs any more.
    void inspect();

  private:
    std::int64_t counted_by_attempt(const std::string& name, const KnownReport& report);
    std::int64_t counted_by_budget(const std::string& name);
    void check_budget_limit();
    std::int64_t spent() const;
    void inspect_report(const std::string& name, const KnownReport& report);
    std::int64_t number_at(const std::string& key, const std::string& field);

    const Plan& plan_;
    StoreProcess& process_;
    Ledger& ledger_;
    model::PartitionConfig partitions_;
    std::optional<model::BudgetId> budget_{};
    std::optional<model::QuotaPolicyId> quota_{};
    bool lifted_ = false;
    std::vector<model::ExecutionId> governed_{};
    std::map<std::string, KnownReport> reports_{};
};

}  // namespace ff::simulation
