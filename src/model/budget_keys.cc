#include "model/budget_keys.h"

namespace ff::model {

BudgetKeys::BudgetKeys(const BudgetId& id, const PartitionConfig& config)
    : tag_(partition_of(id, config).tag()),
      prefix_(concat({"ff:budget:", tag_, ":", id.to_string()})) {}

std::string BudgetKeys::limits() const {
    return concat({prefix_, ":limits"});
}
std::string BudgetKeys::usage() const {
    return concat({prefix_, ":usage"});
}
std::string BudgetKeys::executions() const {
    return concat({prefix_, ":executions"});
}
std::string BudgetKeys::by_execution(const ExecutionId& id) const {
    return concat({prefix_, ":by_exec:", id.to_string()});
}
std::string BudgetKeys::by_execution_index() const {
    return concat({prefix_, ":by_exec:index"});
}

std::string BudgetIndexKeys::resets() const {
    return concat({"ff:idx:", tag_, ":budget_resets"});
}
std::string BudgetIndexKeys::policies() const {
    return concat({"ff:idx:", tag_, ":budget_policies"});
}
std::string BudgetIndexKeys::usage_dedup(const DedupId& id) const {
    return concat({"ff:usagededup:", tag_, ":", id.text()});
}

std::string budget_attach_key(const PolicyScope& scope, const PartitionConfig& config) {
    const std::string tag = budget_directory_of(scope, config).tag();
    return concat({"ff:budget_attach:", tag, ":", scope.type, ":", scope.id});
}

}  // namespace ff::model
