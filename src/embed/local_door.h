#pragma once

#include <memory>

#include "embed/local_engine.h"
#include "sched/direct_turns.h"
#include "sdk/door.h"
#include "sdk/store_access.h"

namespace ff::embed {

/// The door of an engine in this process: the same routes, without a socket.
class LocalDoor final : public sdk::Door, public sdk::StoreAccess {
  public:
    explicit LocalDoor(std::shared_ptr<LocalEngine> engine) : engine_(std::move(engine)) {}

    flowfabric::Result<sdk::DoorReply> send(const sdk::DoorRequest& request) override;
    /// Without the detour over JSON.
    flowfabric::Result<sdk::HotClaimed> claim(const sdk::HotClaim& request) override;
    std::optional<flowfabric::Result<sdk::CreatedItems>> create(
        const std::vector<flowfabric::NewExecution>& executions) override;
    bool loses_replies() const override { return false; }
    sdk::StoreAccess* store_access() override { return this; }

    flowfabric::Result<sdk::HotTask> claim_grant(const flowfabric::WorkerConfig& worker,
                                                 const flowfabric::Grant& grant) override;
    flowfabric::Result<std::optional<sdk::HotTask>> claim_unadmitted(
        const flowfabric::WorkerConfig& worker) override;

    void note_at_capacity() override { engine_->note_at_capacity(); }

    LocalEngine& engine() { return *engine_; }

  private:
    std::shared_ptr<LocalEngine> engine_;
    /// Used on the engine's loop only.
    sched::DirectTurns direct_turns_{};
};

}  // namespace ff::embed
