#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "model/partition.h"
#include "store/store.h"

namespace ff::sched {

enum class PolicyFamily : std::uint8_t { Budget, Quota };

/// The policies of one scope, by id.
struct ScopePolicies {
    std::set<std::string> budgets{};
    std::set<std::string> quotas{};
};

/// What is attached to what at one moment.
class AttachmentView {
  public:
    /// Nothing if the scope has none.
    const ScopePolicies* find(std::string_view type, std::string_view id) const;
    /// Every policy that governs an execution of this lane, namespace and flow by scope.
    ScopePolicies governing(std::string_view lane, std::string_view ns,
                            std::string_view flow) const;
    /// Namespaces with policies of their own.
    std::vector<std::string> tenants() const;
    bool any_flow() const;

    void add(std::string_view type, std::string_view id, ScopePolicies policies);

  private:
    std::map<std::pair<std::string, std::string>, ScopePolicies> scopes_{};
};

/// Attaches budgets and quotas to scopes, and knows what is attached where, at most `kFreshFor`
/// late. Lives on one loop.
class Attachments {
  public:
    static constexpr std::chrono::seconds kFreshFor{1};

    Attachments(const Clock& clock, store::Store& store, model::PartitionConfig partitions)
        : clock_(clock), store_(store), partitions_(partitions) {}

    Task<Done> attach(PolicyFamily family, model::PolicyScope scope, std::string policy_id);
    Task<Done> detach(PolicyFamily family, model::PolicyScope scope, std::string policy_id);
    /// A store error is an error, never "nothing attached".
    Task<std::shared_ptr<const AttachmentView>> view();

  private:
    Task<std::shared_ptr<const AttachmentView>> load();
    std::string key_of(PolicyFamily family, const model::PolicyScope& scope) const;

    const Clock& clock_;
    store::Store& store_;
    model::PartitionConfig partitions_;
    // Shared with the claims that decide by it while a newer one is loaded.
    std::shared_ptr<const AttachmentView> current_{};
    Timestamp loaded_at_{};
};

}  // namespace ff::sched
