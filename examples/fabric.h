#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <flowfabric/flowfabric.h>

/// What every example runs on: the server that FF_SERVER_URL names, or an engine of its own.
class Fabric {
  public:
    Fabric() {
        const char* url = std::getenv("FF_SERVER_URL");
        if (url != nullptr) {
            client_ = flowfabric::AdminClient::connect(std::string(url)).value();
        } else {
            engine_ = flowfabric::Engine::open({}).value();
            client_ = engine_->client();
        }
    }

    const flowfabric::AdminClient& client() const { return *client_; }
    const flowfabric::AdminClient* operator->() const { return &*client_; }

    /// A worker that takes what is in a lane.
    flowfabric::Worker worker(const std::string& lane) const {
        return flowfabric::Worker::connect(
                   *client_, {.worker_id = "example", .worker_instance_id = lane, .lanes = {lane}})
            .value();
    }

    std::string submit(const std::string& lane, const std::string& kind, const std::string& payload,
                       const std::string& policy = {}) const {
        return client_
            ->create_execution({.kind = kind, .payload = payload, .lane = lane, .policy = policy})
            .value()
            .execution_id;
    }

    /// Waits for the end; the public state.
    std::string ending(const std::string& id) const {
        return client_->wait_for_terminal(id, flowfabric::Millis(20'000)).value().public_state;
    }

  private:
    std::shared_ptr<flowfabric::Engine> engine_{};
    std::optional<flowfabric::AdminClient> client_{};
};
