#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/task_group.h"
#include "base/time.h"
#include "base/timer.h"
#include "engine/stream_read.h"
#include "hub/entry_id.h"
#include "store/store.h"

namespace ff::hub {

struct WatchOptions {
    /// Blocking reads at once. An embedded store bears thousands, a pool as many as it has
    /// connections.
    std::size_t reads_max = 64;
    /// How long a read blocks while there are reads enough for all. Also the most that `stop`
    /// takes.
    Millis block{800};
    /// Beyond that streams take turns: a stream is looked at this often.
    Millis turn{200};
    Millis slice_least{10};
    /// Streams of one partition that share a read when they take turns.
    std::size_t shared_max = 64;
    /// Entries of each key that a read brings along, and how many bytes of them are kept for those
    /// who wait. With 1 they are not kept: the read only tells that there is something.
    std::int64_t read_count = 1;
    std::size_t kept_bytes_max = 256U << 10;
    /// After a failed read; its waiters look for themselves then.
    Millis retry_pause{100};
};

/// Some stream keys of one partition that share their order of ids, as frames do in data and live
/// key.
struct StreamKeys {
    std::uint16_t partition = 0;
    std::vector<std::string> keys{};
};

/// What the last read of a stream brought: all entries of its keys from `after` on without a hole,
/// as far as it goes.
struct Arrival {
    EntryId after{};
    std::vector<engine::StreamEntry> entries{};
    std::size_t bytes = 0;
};

enum class WatchEnd : std::uint8_t {
    Ready,
    Timeout,
    Stopped,
};

/// Waits for new entries of streams: one blocking read serves all who wait for the same. Lives on
/// one loop: construct, call and destroy it there.
class StreamWatch {
  private:
    struct Group;

  public:
    StreamWatch(boost::asio::any_io_executor loop, store::Store& store, WatchOptions options);
    ~StreamWatch();

    /// One user's interest in a stream; what is known of its newest entry lasts as long as anybody
    /// has such an interest.
    class Interest {
      public:
        Interest(StreamWatch& watch, std::shared_ptr<Group> group);
        ~Interest();
        Interest(const Interest&) = delete;
        Interest& operator=(const Interest&) = delete;

        /// An entry with this id exists, or none above it did when the caller began to look.
        EntryId position() const;
        /// Nothing if the last read brought something else than frames in a row.
        const std::shared_ptr<const Arrival>& arrival() const;
        /// The caller has seen this id in the store.
        void raise(EntryId id);
        /// Ready when there is or may be an entry above `seen`: look again. `seen` is the
        /// position before the caller's last look, or better. A caller that is cancelled, or was
        /// before, gets a timeout.
        boost::asio::awaitable<WatchEnd> wait(EntryId seen, Deadline until);

      private:
        friend class StreamWatch;
        StreamWatch& watch_;
        std::shared_ptr<Group> group_;
    };

    std::unique_ptr<Interest> enter(const StreamKeys& keys);

    /// A stream, and what is known to its user.
    struct Awaited {
        const Interest* interest = nullptr;
        EntryId seen{};
    };
    /// As `Interest::wait`, for any of several streams.
    boost::asio::awaitable<WatchEnd> wait_any(std::vector<Awaited> awaited, Deadline until);
    /// Ends all waits at once, and allows no more.
    void stop_waiting();
    /// Ends all reads soon, too.
    boost::asio::awaitable<void> stop();

    bool stopped() const { return stopped_; }
    std::size_t reads_in_flight() const { return reads_; }
    std::uint64_t reads_made() const { return reads_made_; }
    std::size_t streams() const { return groups_.size(); }

  private:
    struct Sleeper {
        Timer timer;
        bool woken = false;
    };
    struct Waiter {
        EntryId seen{};
        Sleeper* sleeper = nullptr;
    };
    struct Group {
        std::uint16_t partition = 0;
        std::vector<std::string> keys{};
        EntryId position{};
        /// Of the read under way.
        EntryId read_after{};
        /// Shared with those who present it.
        std::shared_ptr<const Arrival> arrival{};
        std::size_t users = 0;
        std::list<Waiter> waiters{};
        bool queued = false;
        bool reading = false;
    };
    using Batch = std::vector<std::shared_ptr<Group>>;

    void leave(const std::shared_ptr<Group>& group);
    void want_read(const std::shared_ptr<Group>& group);
    void pump();
    Batch take_batch(bool shared);
    Millis block_for(std::size_t waiting_batches) const;
    boost::asio::awaitable<void> read(Batch batch, Millis block, bool is_long);
    boost::asio::awaitable<void> pause_after_failure();
    void take_up(const Batch& batch, const store::Reply& reply) const;
    /// Nothing if there is a hole, a close marker or too much.
    std::shared_ptr<const Arrival> collect(const Group& group, const store::Reply& reply) const;
    static void wake(Group& group);
    static void wake_all(Group& group);

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    WatchOptions options_;
    /// By first key. Shared with interests and reads under way.
    std::unordered_map<std::string, std::shared_ptr<Group>> groups_{};
    /// Those that need a read, in the order of their coming.
    std::deque<std::shared_ptr<Group>> queue_{};
    std::size_t reads_ = 0;
    std::size_t long_reads_ = 0;
    std::uint64_t reads_made_ = 0;
    bool stopped_ = false;
    TaskGroup tasks_;
};

}  // namespace ff::hub
