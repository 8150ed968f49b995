#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace ff {

/// Owns the coroutines that a component starts: whatever is spawned is joined before the group
/// goes. Lives on one single-threaded loop: construct, call and destroy it there.
class TaskGroup {
  public:
    TaskGroup(boost::asio::any_io_executor executor, std::string name);
    /// Destroying a group with work in it is our mistake: join() first.
    ~TaskGroup();

    /// Starts the work. An exception that leaves it is logged as an error and ends the process:
    /// our coroutines answer with values.
    void spawn(boost::asio::awaitable<void> work);
    /// Asks all work to leave at its next wait. May be called more than once.
    void cancel();
    /// Returns when the group is empty. One caller at a time.
    boost::asio::awaitable<void> join();
    std::size_t size() const;

  private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the completion of each piece of work
};

}  // namespace ff
