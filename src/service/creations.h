#pragma once

#include <cstdint>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/task.h"
#include "engine/create_execution.h"
#include "store/store.h"

namespace ff::service {

/// Hands new executions to the store. Lives on the loop; the store outlives it.
class Creations {
  public:
    using Outcome = engine::CreateExecution::Outcome;
    using Outcomes = std::vector<Result<Outcome>>;

    Creations(boost::asio::any_io_executor loop, store::Store& store)
        : loop_(std::move(loop)), store_(store) {}

    /// All that come in one turn of the loop share their calls: the indexes of a partition are then
    /// written once for all of them, and nobody waits for anything but that turn.
    /// Takes the operation's content.
    Task<Outcome> one(engine::CreateExecution& operation);
    /// Each on its own, in order; one call for each partition.
    boost::asio::awaitable<Outcomes> many(std::vector<engine::CreateExecution> operations);

  private:
    struct Waiting;

    /// Hands those that wait to the first of them.
    void start();
    boost::asio::awaitable<void> run(const std::vector<Waiting*>& turn);

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    /// In the frames of their coroutines. The first is the one that will run them.
    std::vector<Waiting*> waiting_{};
    /// How many groups were started.
    std::uint64_t groups_ = 0;
};

}  // namespace ff::service
