#include "hub/stream_hub.h"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/steady_clock.h"
#include "base/timer.h"
#include "engine/operation.h"
#include "model/exec_keys.h"
#include "store/reply_errors.h"

namespace ff::hub {
namespace asio = boost::asio;
namespace {

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::int64_t kCountMost = 10'000;
constexpr std::string_view kLatest = "latest";
constexpr std::string_view kShuttingDown = "shutting_down";

EntryId id_or_zero(std::string_view text) {
    return EntryId::parse(text).value_or(EntryId{});
}

Result<Done> check(const TailRequest& request) {
    if (request.count_max < 1) return invalid_input("count_limit", "must be >= 1");
    if (request.count_max > kCountMost) return invalid_input("count_limit", "exceeds hard cap");
    if (request.after != kLatest && !EntryId::parse(request.after))
        return invalid_input("after", "is neither an entry id nor latest");
    return Done{};
}

}  // namespace

/// A range read on its way, and those who wait for it.
struct StreamHub::PageRead {
    EntryId position{};
    std::optional<Result<SharedRead>> result{};
    std::list<Timer*> waiting{};
};

struct StreamHub::Stream {
    Stream(StreamHub& hub, std::string name, std::unique_ptr<StreamWatch::Interest> watched)
        : owner(hub), data_key(std::move(name)), interest(std::move(watched)) {}
    ~Stream() { owner.streams_.erase(data_key); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    StreamHub& owner;
    std::string data_key;
    std::unique_ptr<StreamWatch::Interest> interest;
    std::map<Place, std::shared_ptr<PageRead>> reads{};
    /// An arrival, and the page that it makes for all who stand in front of it.
    std::shared_ptr<const Arrival> presented{};
    SharedRead presented_as{};
};

struct StreamHub::Round {
    TailRequest request;
    std::shared_ptr<Stream> stream{};
    EntryId cursor{};
    /// The position of the stream before the last look.
    EntryId seen{};
    SharedRead last = std::make_shared<TailPage::Read>();
    /// Look again without waiting.
    bool again = false;
    std::optional<Deadline> trouble_until{};
    Millis pause{0};

    TailPage page(bool stopped = false) const {
        return {.read = last, .next = cursor.to_string(), .stopped = stopped};
    }
};

std::uint64_t TailPage::lost_after(const std::string& after) const {
    const EntryId cursor = id_or_zero(after);
    if (frames().empty()) return 0;
    const EntryId first = id_or_zero(frames().front().id);
    return first.n > cursor.n + 1 ? first.n - cursor.n - 1 : 0;
}

StreamHub::StreamHub(asio::any_io_executor loop, store::Store& store, StreamHubOptions options)
    : loop_(loop),
      store_(store),
      options_(options),
      watch_(loop, store, options.watch),
      tasks_(std::move(loop), "stream_hub") {}

StreamHub::~StreamHub() = default;

Task<TailPage> StreamHub::tail(TailRequest request) {
    FF_CO_CHECK(check(request));
    if (watch_.stopped()) co_return store::shutting_down();
    Round round{.request = std::move(request)};
    round.stream = enter(round.request.stream);
    if (round.request.after != kLatest) round.cursor = id_or_zero(round.request.after);
    co_return co_await run_rounds(round);
}

/// The newest entry that is known is the one the tail has: there is nothing to look for. It looks
/// when its time is up, should the stream have closed without being noticed.
bool StreamHub::at_tip(Round& round) {
    const EntryId newest = round.stream->interest->position();
    if (round.cursor == EntryId{} || newest != round.cursor) return false;
    if (round.request.after == kLatest || round.request.until.passed()) return false;
    round.seen = newest;
    return true;
}

Task<TailPage> StreamHub::run_rounds(Round& round) {
    while (true) {
        if (at_tip(round)) {
            const WatchEnd end =
                co_await round.stream->interest->wait(round.seen, round.request.until);
            if (end == WatchEnd::Stopped) co_return round.page(true);
            if (end == WatchEnd::Timeout) round.request.until = Deadline::after(Millis(0));
            continue;
        }
        Result<std::unique_ptr<TailPage>> found = co_await look(round);
        if (!found.has_value()) {
            const bool again = co_await sit_out(round, found.error());
            if (!again) co_return std::move(found).error();
            continue;
        }
        round.trouble_until.reset();
        if (*found) co_return std::move(**found);
        if (round.again) continue;
        const WatchEnd end = co_await round.stream->interest->wait(round.seen, round.request.until);
        if (end != WatchEnd::Ready) co_return round.page(end == WatchEnd::Stopped);
    }
}

/// One range read; for a stream that nobody opened also its opening, so that its end is told.
Task<std::unique_ptr<TailPage>> StreamHub::look(Round& round) {
    if (round.request.after == kLatest) {
        FF_CO_TRY(round.cursor, co_await newest(round.request.stream));
        round.request.after = round.cursor.to_string();
    }
    if (SharedRead here = arrived(round)) {
        round.last = std::move(here);
        round.cursor = id_or_zero(round.last->next_id);
        co_return std::make_unique<TailPage>(round.page());
    }
    FF_CO_TRY(round.last, co_await page(round));
    const TailPage::Read& read = *round.last;
    round.cursor = std::max(round.cursor, id_or_zero(read.next_id));
    const bool waits = read.entries.empty() && !round.page().ended();
    if (!waits || round.request.until.passed()) co_return std::make_unique<TailPage>(round.page());
    round.again = read.more;
    if (round.again) co_return std::unique_ptr<TailPage>();
    if (!read.exists) {
        const engine::OpenStream open{.stream = round.request.stream};
        FF_CO_TRY(const engine::StreamState state, co_await engine::run(store_, open));
        if (state.closed()) {
            auto closed = std::make_shared<TailPage::Read>(read);
            closed->state = state;
            round.last = closed;
            co_return std::make_unique<TailPage>(round.page());
        }
        round.seen = std::max(round.seen, id_or_zero(state.last_sequence));
        round.again = state.frame_count > 0;
    }
    co_return std::unique_ptr<TailPage>();
}

StreamHub::SharedRead StreamHub::arrived(const Round& round) {
    const std::shared_ptr<const Arrival>& arrival = round.stream->interest->arrival();
    if (!arrival || arrival->after != round.cursor) return nullptr;
    const TailRequest& request = round.request;
    const bool all = !request.exclude_best_effort && request.frame_types_csv.empty();
    const bool fits = std::cmp_less_equal(arrival->entries.size(), request.count_max) &&
                      std::cmp_less_equal(arrival->bytes, request.bytes_max);
    if (!all || !fits) return nullptr;
    Stream& stream = *round.stream;
    if (stream.presented != arrival) {
        const std::string& last = arrival->entries.back().id;
        const auto count = static_cast<std::int64_t>(id_or_zero(last).n);
        stream.presented = arrival;
        stream.presented_as = std::make_shared<const TailPage::Read>(
            TailPage::Read{.entries = arrival->entries,
                           .state = {.last_sequence = last, .frame_count = count},
                           .exists = true,
                           .next_id = last});
    }
    return stream.presented_as;
}

Task<EntryId> StreamHub::newest(const engine::StreamAddress& stream) {
    const engine::OpenStream open{.stream = stream};
    FF_CO_TRY(const engine::StreamState state, co_await engine::run(store_, open));
    co_return id_or_zero(state.last_sequence);
}

/// The page at the round's cursor, shared with whoever asks for the same while it is on its way.
Task<StreamHub::SharedRead> StreamHub::page(Round& round) {
    const TailRequest& request = round.request;
    const std::shared_ptr<Stream> stream = round.stream;
    const EntryId position = stream->interest->position();
    Place place{round.cursor.to_string(), request.count_max, request.exclude_best_effort,
                request.frame_types_csv, request.bytes_max};
    std::shared_ptr<PageRead>& slot = stream->reads[place];
    if (!slot || slot->position != position) {
        slot = std::make_shared<PageRead>();
        slot->position = position;
        engine::ReadAttemptStream operation{.stream = request.stream,
                                            .from_id = "(" + round.cursor.to_string(),
                                            .count_max = request.count_max,
                                            .exclude_best_effort = request.exclude_best_effort,
                                            .frame_types_csv = request.frame_types_csv,
                                            .bytes_max = request.bytes_max};
        ++pages_read_;
        tasks_.spawn(read_page(stream, std::move(place), slot, std::move(operation)));
    }
    const std::shared_ptr<PageRead> read = slot;
    Timer timer(loop_, SteadyClock::time_point::max());
    const auto seat = read->waiting.insert(read->waiting.end(), &timer);
    co_await timer.async_wait(kToken);
    read->waiting.erase(seat);
    if (!read->result) co_return store::shutting_down();
    round.seen = std::max(round.seen, read->position);
    if (read->result->has_value())
        round.seen = std::max(round.seen, id_or_zero((**read->result)->state.last_sequence));
    co_return *read->result;
}

asio::awaitable<void> StreamHub::read_page(std::shared_ptr<Stream> stream, Place place,
                                           std::shared_ptr<PageRead> read,
                                           engine::ReadAttemptStream operation) {
    Result<TailPage::Read> page = co_await engine::run(store_, std::move(operation));
    const auto found = stream->reads.find(place);
    if (found != stream->reads.end() && found->second == read) stream->reads.erase(found);
    if (page.has_value()) {
        stream->interest->raise(id_or_zero(page->state.last_sequence));
        read->result.emplace(std::make_shared<const TailPage::Read>(*std::move(page)));
    } else {
        read->result.emplace(std::move(page).error());
    }
    for (Timer* waiting : read->waiting) waiting->cancel();
}

asio::awaitable<bool> StreamHub::sit_out(Round& round, Error error) {
    if (error.cls != ErrorClass::Retryable || error.code == kShuttingDown || watch_.stopped())
        co_return false;
    if (!round.trouble_until) {
        round.trouble_until = Deadline::after(options_.trouble_max);
        round.pause = options_.retry_pause_least;
    }
    if (round.trouble_until->passed()) co_return false;
    Timer timer(loop_, round.pause);
    co_await timer.async_wait(kToken);
    round.pause = std::min(round.pause * 2, options_.retry_pause_most);
    co_return true;
}

std::shared_ptr<StreamHub::Stream> StreamHub::enter(const engine::StreamAddress& address) {
    const model::ExecKeys keys(address.execution_id);
    std::string data_key = keys.stream(address.attempt_index);
    std::weak_ptr<Stream>& known = streams_[data_key];
    if (std::shared_ptr<Stream> stream = known.lock()) return stream;
    const StreamKeys watched{.partition = address.execution_id.partition_index(),
                             .keys = {data_key, keys.stream_live(address.attempt_index)}};
    auto stream = std::make_shared<Stream>(*this, std::move(data_key), watch_.enter(watched));
    streams_[stream->data_key] = stream;
    return stream;
}

asio::awaitable<void> StreamHub::stop() {
    co_await watch_.stop();
    co_await tasks_.join();
}

}  // namespace ff::hub
