#pragma once

#include <list>
#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>

#include "base/task.h"
#include "base/task_group.h"
#include "valkey/caller.h"
#include "valkey/event.h"
#include "valkey/library_check.h"

namespace ff::valkey {

/// Keeps the function library on every primary. Lives on the store's loop.
class LibraryLoader {
  public:
    LibraryLoader(boost::asio::any_io_executor loop, Caller& caller, Router& router, Probe& probe,
                  const Options& options);

    /// Returns when every primary has the library, or why not. Those who ask at the same time
    /// share one run.
    Task<Done> ensure(Deadline deadline);
    boost::asio::awaitable<void> stop();

  private:
    /// One run and those who wait for it.
    struct Run {
        std::optional<Result<Done>> result{};
        std::list<Event*> joiners{};
    };

    boost::asio::awaitable<void> perform(std::shared_ptr<Run> run);
    Task<Done> ensure_everywhere();
    /// Every primary once; the first that needs another attempt, or fails, ends the round.
    boost::asio::awaitable<LibraryCheck::Step> round(Error& error);
    boost::asio::awaitable<LibraryCheck::Step> ensure_at(net::Address address, Error& error);
    Task<store::Reply> ask(net::Address address, LibraryCheck::Step step);

    boost::asio::any_io_executor loop_;
    Caller& caller_;
    Router& router_;
    Probe& probe_;
    const Options& options_;
    std::shared_ptr<Run> run_{};
    bool stopping_ = false;
    Event pause_;
    TaskGroup tasks_;
};

}  // namespace ff::valkey
