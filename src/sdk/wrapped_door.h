#pragma once

#include <memory>

#include "flowfabric/client.h"
#include "flowfabric/layers.h"
#include "sdk/door.h"

namespace ff::sdk {

/// Asks the layers before each call, the first one first, and tells them after it, the last first.
class LayeredDoor final : public Door {
  public:
    LayeredDoor(std::shared_ptr<Door> inner, flowfabric::Layers layers)
        : inner_(std::move(inner)), layers_(std::move(layers)) {}

    flowfabric::Result<DoorReply> send(const DoorRequest& request) override;
    flowfabric::Result<HotClaimed> claim(const HotClaim& request) override;
    bool loses_replies() const override { return inner_->loses_replies(); }
    StoreAccess* store_access() override { return inner_->store_access(); }

  private:
    /// `call` gives a Result; `failure_of` tells what the layers hear about it.
    template <class Call, class FailureOf>
    auto within(std::string_view method, const Call& call, const FailureOf& failure_of)
        -> decltype(call());

    std::shared_ptr<Door> inner_;
    flowfabric::Layers layers_;
};

/// Repeats calls that got no answer, or one that says to come again, if they may be repeated.
class RepeatingDoor final : public Door {
  public:
    RepeatingDoor(std::shared_ptr<Door> inner, flowfabric::RetryPolicy policy)
        : inner_(std::move(inner)), policy_(policy) {}

    flowfabric::Result<DoorReply> send(const DoorRequest& request) override;
    flowfabric::Result<HotClaimed> claim(const HotClaim& request) override;
    bool loses_replies() const override { return inner_->loses_replies(); }
    StoreAccess* store_access() override { return inner_->store_access(); }

  private:
    std::shared_ptr<Door> inner_;
    flowfabric::RetryPolicy policy_;
};

/// `door`, inside the layers and the repetitions that are asked for.
std::shared_ptr<Door> wrap(std::shared_ptr<Door> door, flowfabric::Layers layers,
                           flowfabric::RetryPolicy retry = {});

}  // namespace ff::sdk
