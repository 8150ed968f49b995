#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/task.h"
#include "base/task_group.h"
#include "store/call.h"
#include "valkey/blocking_read.h"
#include "valkey/event.h"
#include "valkey/options.h"
#include "valkey/redirect.h"
#include "valkey/router.h"
#include "valkey/session.h"

namespace ff::valkey {

/// Connections for reads that wait, each used by one read at a time. While there are enough, a
/// read keeps its connection for all of its BLOCK time; beyond that all share them in short slices,
/// so that no read waits for the end of another. Lives on the store's loop.
///
/// A read may be sent several times: the ids after which it reads should be ids, not `$`, or what
/// is added between two slices is not seen.
class BlockingPool {
  public:
    BlockingPool(boost::asio::any_io_executor loop, Router& router, Probe& probe,
                 const Options& options);

    Task<store::Reply> read(const store::Call& call);
    /// Ends all reads at once.
    boost::asio::awaitable<void> stop();

    std::size_t connections() const { return seats_.size(); }

  private:
    /// A place for a connection.
    struct Seat {
        net::Address address{};
        std::shared_ptr<Session> session{};
        bool busy = true;
        /// Its read ends soon by itself.
        bool sliced = false;
        /// It was closed to make room; its read goes to the end of the queue.
        bool interrupted = false;
        std::chrono::steady_clock::time_point since{};
    };
    using Place = std::list<Seat>::iterator;
    struct Claim;
    /// One read through its attempts.
    struct Progress;
    /// A connection being made.
    struct Opening;

    Task<store::Reply> read_in_slices(Progress& progress);
    /// One slice on one connection. Null when nothing came.
    boost::asio::awaitable<Outcome> read_once(Progress& progress, Place seat);
    /// Leaves at once when the pool stops, however long the network takes.
    Task<Done> connect(Place seat);
    boost::asio::awaitable<void> open_session(std::shared_ptr<Opening> opening,
                                              net::Address address);
    Task<resp::Value> exchange(Progress& progress, Place seat);
    /// Nothing by the deadline, or when stopping.
    boost::asio::awaitable<std::optional<Place>> acquire(net::Address address, Deadline deadline);
    std::optional<Place> try_take(const net::Address& address);
    void release(Place seat, bool healthy);
    void interrupt_one();
    void wake_next();
    boost::asio::awaitable<void> close_idle();

    boost::asio::any_io_executor loop_;
    Router& router_;
    Probe& probe_;
    const Options& options_;
    std::list<Seat> seats_{};
    std::deque<Claim*> queue_{};
    std::size_t readers_ = 0;
    bool stopping_ = false;
    Event idle_;
    Event left_;
    TaskGroup tasks_;
};

}  // namespace ff::valkey
