#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/steady_clock.h"
#include "base/task.h"
#include "base/timer.h"
#include "hub/entry_id.h"
#include "hub/feed_event.h"
#include "store/store.h"

namespace ff::hub {

/// The tags of an execution as they were read.
struct ExecutionTags {
    std::map<std::string, std::string> tags{};
    /// The change of tags that they include, if one passed by.
    EntryId as_of{};
    SteadyClock::time_point read_at{};

    bool has_all(const std::vector<std::pair<std::string, std::string>>& wanted) const;
};

/// Remembers tags of executions for subscribers that filter by them, so that an event costs at
/// most one look-up however many they are. What is remembered lasts until a change of the tags
/// passes by, and for a second at most. Lives on one loop.
class TagCache {
  public:
    using Found = std::map<std::string, std::shared_ptr<const ExecutionTags>, std::less<>>;

    TagCache(boost::asio::any_io_executor loop, store::Store& store)
        : loop_(std::move(loop)), store_(store) {}

    /// Of the executions of those entries that are wanted, by their ids; an entry without an
    /// execution has none.
    Task<Found> of(const std::vector<FeedEntry>& entries, const std::vector<bool>& wanted);

    std::uint64_t reads() const { return reads_; }

  private:
    boost::asio::awaitable<void> take_turn();
    void end_turn();
    /// Nothing if it is not known, or out of date.
    std::shared_ptr<const ExecutionTags> known(const std::string& id, EntryId changed) const;
    Task<Found> read(const std::map<std::string, EntryId>& asked);

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    Found remembered_{};
    /// One asks at a time; those behind it find what it found.
    bool busy_ = false;
    std::list<Timer*> waiting_{};
    std::uint64_t reads_ = 0;
};

}  // namespace ff::hub
