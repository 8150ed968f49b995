#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>

#include "base/task.h"
#include "base/task_group.h"
#include "valkey/caller.h"
#include "valkey/event.h"
#include "valkey/options.h"

namespace ff::valkey {

/// Holds answers back until replicas have what they speak of (WAIT). Those that are held at one
/// time share one WAIT. Lives on the store's loop.
class ReplicaGate {
  public:
    ReplicaGate(boost::asio::any_io_executor loop, Caller& caller, const Options& options);

    bool is_open() const { return options_.wait_replicas == 0; }
    /// Whether the command may have written.
    static bool concerns(const store::Call& call);
    /// Returns when enough replicas of the node have all that its connection wrote until now.
    /// `storage_error` of kind `io_error` when they have not in time: what was called may have
    /// happened, and whoever repeats the call learns it.
    Task<Done> pass(net::Address node);
    boost::asio::awaitable<void> stop();

  private:
    /// One WAIT and those who are held by it.
    struct Run {
        std::optional<Result<Done>> result{};
        std::list<Event*> held{};
    };
    struct Node {
        bool waiting = false;
        /// Sent when the one under way has ended, which may have begun too early for its people.
        std::shared_ptr<Run> next{};
    };
    boost::asio::awaitable<void> perform(net::Address address);
    Task<Done> wait_at(net::Address address);

    boost::asio::any_io_executor loop_;
    Caller& caller_;
    const Options& options_;
    std::map<std::string, Node> nodes_{};
    bool stopping_ = false;
    TaskGroup tasks_;
};

}  // namespace ff::valkey
