#pragma once

#include <string>
#include <string_view>

#include "model/execution_id.h"
#include "model/ids.h"
#include "model/key_text.h"
#include "model/partition.h"

namespace ff::model {

/// The one dimension that quotas count in a window.
constexpr std::string_view kQuotaWindowDimension = "requests_per_window";

/// Names of the keys of one quota policy, all in its `{q:K}` partition.
class QuotaKeys {
  public:
    QuotaKeys(const QuotaPolicyId& id, const PartitionConfig& config);

    /// `{q:K}`.
    const std::string& tag() const { return tag_; }

    std::string definition() const { return prefix_; }
    std::string window(std::string_view dimension = kQuotaWindowDimension) const;
    std::string concurrency() const;
    std::string admitted(const ExecutionId& id) const;
    std::string admitted_set() const;
    std::string epochs() const;
    std::string noop() const { return noop_key(tag_); }

  private:
    std::string tag_;
    std::string prefix_;
};

/// All quota policies of a `{q:K}` partition.
std::string quota_policies_key(const PartitionKey& partition);

/// The quotas attached to a scope; lives in the directory partition of the scope.
std::string quota_attach_key(const PolicyScope& scope, const PartitionConfig& config);

}  // namespace ff::model
