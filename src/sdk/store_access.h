#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flowfabric/worker.h"
#include "sdk/hot_path.h"

namespace ff::sdk {

/// What only a worker with the store at hand can do. Any thread; blocks.
class StoreAccess {
  public:
    virtual ~StoreAccess() = default;
    /// Consumes a grant with the function that its kind names.
    virtual flowfabric::Result<HotTask> claim_grant(const flowfabric::WorkerConfig& worker,
                                                    const flowfabric::Grant& grant) = 0;
    /// One task that needs no admission.
    virtual flowfabric::Result<std::optional<HotTask>> claim_unadmitted(
        const flowfabric::WorkerConfig& worker) = 0;
    /// A grant was left alone because the worker has no permit free; for the figures.
    virtual void note_at_capacity() {}
};

}  // namespace ff::sdk
