#pragma once

#include <string>

#include "model/execution_id.h"
#include "model/ids.h"
#include "model/key_text.h"
#include "model/partition.h"

namespace ff::model {

/// Names of the keys of one budget, all in its `{b:M}` partition.
class BudgetKeys {
  public:
    BudgetKeys(const BudgetId& id, const PartitionConfig& config);

    /// `{b:M}`.
    const std::string& tag() const { return tag_; }

    std::string definition() const { return prefix_; }
    std::string limits() const;
    std::string usage() const;
    std::string executions() const;
    /// What one execution has spent.
    std::string by_execution(const ExecutionId& id) const;
    std::string by_execution_index() const;
    std::string noop() const { return noop_key(tag_); }

  private:
    std::string tag_;
    std::string prefix_;
};

/// Names of what a `{b:M}` partition keeps over its budgets.
class BudgetIndexKeys {
  public:
    explicit BudgetIndexKeys(const PartitionKey& partition) : tag_(partition.tag()) {}

    std::string resets() const;
    std::string policies() const;
    /// Dedup ids are shared by all budgets of the partition.
    std::string usage_dedup(const DedupId& id) const;

  private:
    std::string tag_;
};

/// The budgets attached to a scope; lives in the directory partition of the scope.
std::string budget_attach_key(const PolicyScope& scope, const PartitionConfig& config);

}  // namespace ff::model
