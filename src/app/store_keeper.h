#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>

#include "base/task.h"
#include "base/task_group.h"
#include "model/partition.h"
#include "store/store.h"
#include "valkey/event.h"

namespace ff::app {

/// Puts back what a server needs in a store that came back without it: a Valkey that keeps nothing
/// on disk is empty after a restart, and so is one that was flushed. Lives on the server's loop.
class StoreKeeper {
  public:
    /// What the boot does; it leaves alone what is there.
    using Prepare = std::function<Task<Done>()>;

    StoreKeeper(boost::asio::any_io_executor loop, Prepare prepare);

    /// Returns when everything is in place again. Those who ask at the same time share one run.
    Task<Done> restore();
    /// The same without waiting. A failure is logged; the next call that needs it tries again.
    void restore_soon();
    /// Whether every partition has the secret of its waitpoint tokens; if not, the store lost what
    /// it had: a run is started and `hmac_secret_not_initialized` tells meanwhile.
    Task<Done> check(store::Store& store, model::PartitionConfig partitions);
    boost::asio::awaitable<void> stop();

  private:
    /// One run and those who wait for it.
    struct Run {
        std::optional<Result<Done>> result{};
        std::list<valkey::Event*> joiners{};
    };
    boost::asio::awaitable<void> perform(std::shared_ptr<Run> run);
    void begin();

    boost::asio::any_io_executor loop_;
    Prepare prepare_;
    std::shared_ptr<Run> run_{};  // shared with those who wait for it
    bool stopping_ = false;
    TaskGroup tasks_;
};

}  // namespace ff::app
