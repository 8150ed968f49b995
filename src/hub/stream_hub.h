#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/task.h"
#include "base/task_group.h"
#include "engine/stream_read.h"
#include "hub/entry_id.h"
#include "hub/probe.h"
#include "hub/stream_watch.h"
#include "store/store.h"

namespace ff::hub {

struct StreamHubOptions {
    WatchOptions watch{.read_count = 16};
    /// A store that does not answer is asked again for so long before a tail fails.
    Millis trouble_max{10'000};
    Millis retry_pause_least{100};
    Millis retry_pause_most{500};
    /// Outlives the hub.
    Probe* probe = &no_probe();
};

/// One look at an attempt stream from a cursor on, waiting for frames if there are none.
struct TailRequest {
    engine::StreamAddress stream;
    /// Exclusive: `<ms>`, `<ms>-<n>`, or `latest`, the newest frame there is now.
    std::string after = "0-0";
    Deadline until = Deadline::after(Millis(0));
    std::int64_t count_max = 50;
    bool exclude_best_effort = false;
    std::string frame_types_csv{};
    std::int64_t bytes_max = 1 << 20;
};

struct TailPage {
    using Read = engine::ReadAttemptStream::Outcome;

    /// Shared by all tails that stood at the same place.
    std::shared_ptr<const Read> read{};
    /// Where the next request goes on; never empty.
    std::string next{};
    /// The hub stopped while the tail waited.
    bool stopped = false;

    const std::vector<engine::StreamEntry>& frames() const { return read->entries; }
    /// Nothing is left and nothing will come.
    bool ended() const { return read->state.closed() && !read->more; }
    /// Frames between the cursor and this page that are no longer stored. Means something only of
    /// a tail that sees all modes and types.
    std::uint64_t lost_after(const std::string& after) const;
};

/// Serves many tails of attempt streams with few reads: one blocking read for all who wait at one
/// stream, one range read for all who stand at the same place. A tail holds a page at most: one
/// that falls behind reads from the store at its own pace. Lives on one loop.
class StreamHub {
  public:
    StreamHub(boost::asio::any_io_executor loop, store::Store& store, StreamHubOptions options);
    ~StreamHub();

    /// The next frames, or the end of the stream, or an empty page at the deadline or a stop.
    Task<TailPage> tail(TailRequest request);
    /// Tails answer at once with what they have; no new ones are taken.
    void stop_waiting() { watch_.stop_waiting(); }
    boost::asio::awaitable<void> stop();

    /// A reader has been told of a loss.
    void note_lost(std::uint64_t frames) const { options_.probe->frames_lost(frames); }

    /// Range reads sent to the store, for tests and figures.
    std::uint64_t pages_read() const { return pages_read_; }
    const StreamWatch& watch() const { return watch_; }

  private:
    using SharedRead = std::shared_ptr<const TailPage::Read>;
    /// Where tails stand, and what they want to see.
    using Place = std::tuple<std::string, std::int64_t, bool, std::string, std::int64_t>;
    struct PageRead;
    struct Stream;
    /// A tail through its rounds.
    struct Round;

    static bool at_tip(Round& round);
    Task<TailPage> run_rounds(Round& round);
    /// Nothing: wait, or look again if the round says so.
    Task<std::unique_ptr<TailPage>> look(Round& round);
    /// What the wait itself brought, if it is just what the tail wants to see.
    static SharedRead arrived(const Round& round);
    Task<EntryId> newest(const engine::StreamAddress& stream);
    Task<SharedRead> page(Round& round);
    boost::asio::awaitable<void> read_page(std::shared_ptr<Stream> stream, Place place,
                                           std::shared_ptr<PageRead> read,
                                           engine::ReadAttemptStream operation);
    /// False when it has lasted too long.
    boost::asio::awaitable<bool> sit_out(Round& round, Error error);
    std::shared_ptr<Stream> enter(const engine::StreamAddress& address);

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    StreamHubOptions options_;
    StreamWatch watch_;
    /// By data key; shared by the tails of a stream.
    std::unordered_map<std::string, std::weak_ptr<Stream>> streams_{};
    std::uint64_t pages_read_ = 0;
    TaskGroup tasks_;
};

}  // namespace ff::hub
