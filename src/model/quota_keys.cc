#include "model/quota_keys.h"

namespace ff::model {

QuotaKeys::QuotaKeys(const QuotaPolicyId& id, const PartitionConfig& config)
    : tag_(partition_of(id, config).tag()),
      prefix_(concat({"ff:quota:", tag_, ":", id.to_string()})) {}

std::string QuotaKeys::window(std::string_view dimension) const {
    return concat({prefix_, ":window:", dimension});
}
std::string QuotaKeys::concurrency() const {
    return concat({prefix_, ":concurrency"});
}
std::string QuotaKeys::admitted(const ExecutionId& id) const {
    return concat({prefix_, ":admitted:", id.to_string()});
}
std::string QuotaKeys::admitted_set() const {
    return concat({prefix_, ":admitted_set"});
}
std::string QuotaKeys::epochs() const {
    return concat({prefix_, ":epochs"});
}

std::string quota_policies_key(const PartitionKey& partition) {
    return concat({"ff:idx:", partition.tag(), ":quota_policies"});
}

std::string quota_attach_key(const PolicyScope& scope, const PartitionConfig& config) {
    const std::string tag = quota_directory_of(scope, config).tag();
    return concat({"ff:quota_attach:", tag, ":", scope.type, ":", scope.id});
}

}  // namespace ff::model
