#include "hub/stream_watch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/timer.h"

namespace ff::hub {
namespace asio = boost::asio;
namespace {

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
/// What a read may take beyond its BLOCK time.
constexpr Millis kReadPatience{5'000};
/// One in so many reads never blocks long, so that newcomers find room at once.
constexpr std::size_t kShortShare = 4;

/// Nothing if it is no frame: a close marker, or nothing that we know.
std::optional<engine::StreamEntry> read_frame(const store::Reply& item) {
    const auto parts = item.items();
    if (parts.size() != 2 || !parts[0].text()) return std::nullopt;
    engine::StreamEntry entry{.id = std::string(*parts[0].text())};
    const auto fields = parts[1].items();
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        const auto name = fields[i].text();
        const auto value = fields[i + 1].text();
        if (!name || !value || (*name == "mode" && *value == "control")) return std::nullopt;
        entry.fields.emplace_back(*name, *value);
    }
    return entry;
}

}  // namespace

StreamWatch::StreamWatch(asio::any_io_executor loop, store::Store& store, WatchOptions options)
    : loop_(loop), store_(store), options_(options), tasks_(std::move(loop), "stream_watch") {}

StreamWatch::~StreamWatch() = default;

StreamWatch::Interest::Interest(StreamWatch& watch, std::shared_ptr<Group> group)
    : watch_(watch), group_(std::move(group)) {
    ++group_->users;
}

StreamWatch::Interest::~Interest() {
    watch_.leave(group_);
}

EntryId StreamWatch::Interest::position() const {
    return group_->position;
}

const std::shared_ptr<const Arrival>& StreamWatch::Interest::arrival() const {
    return group_->arrival;
}

void StreamWatch::Interest::raise(EntryId id) {
    if (id <= group_->position) return;
    group_->position = id;
    wake(*group_);
}

asio::awaitable<WatchEnd> StreamWatch::Interest::wait(EntryId seen, Deadline until) {
    std::vector<Awaited> awaited;
    awaited.push_back({.interest = this, .seen = seen});
    return watch_.wait_any(std::move(awaited), until);
}

asio::awaitable<WatchEnd> StreamWatch::wait_any(std::vector<Awaited> awaited, Deadline until) {
    if (stopped_) co_return WatchEnd::Stopped;
    const bool ready = std::ranges::any_of(
        awaited, [](const Awaited& stream) { return stream.seen < stream.interest->position(); });
    if (ready) co_return WatchEnd::Ready;
    if (until.passed()) co_return WatchEnd::Timeout;
    // Who was told to leave while it could not hear it, as between two steps, is not told again.
    const asio::cancellation_state told = co_await asio::this_coro::cancellation_state;
    if (told.cancelled() != asio::cancellation_type::none) co_return WatchEnd::Timeout;
    Sleeper sleeper{.timer = Timer(loop_, until.at())};
    std::vector<std::pair<std::shared_ptr<Group>, std::list<Waiter>::iterator>> places;
    places.reserve(awaited.size());
    for (const Awaited& stream : awaited) {
        const std::shared_ptr<Group>& group = stream.interest->group_;
        const Waiter waiter{.seen = stream.seen, .sleeper = &sleeper};
        places.emplace_back(group, group->waiters.insert(group->waiters.end(), waiter));
        want_read(group);
    }
    pump();
    co_await sleeper.timer.async_wait(kToken);
    for (const auto& [group, place] : places) group->waiters.erase(place);
    if (stopped_) co_return WatchEnd::Stopped;
    co_return sleeper.woken ? WatchEnd::Ready : WatchEnd::Timeout;
}

std::unique_ptr<StreamWatch::Interest> StreamWatch::enter(const StreamKeys& keys) {
    auto& group = groups_[keys.keys.front()];
    if (!group) {
        group = std::make_shared<Group>();
        group->partition = keys.partition;
        group->keys = keys.keys;
    }
    return std::make_unique<Interest>(*this, group);
}

void StreamWatch::leave(const std::shared_ptr<Group>& group) {
    if (--group->users == 0) groups_.erase(group->keys.front());
}

void StreamWatch::want_read(const std::shared_ptr<Group>& group) {
    if (group->queued || group->reading || group->waiters.empty() || stopped_) return;
    group->queued = true;
    queue_.push_back(group);
}

void StreamWatch::pump() {
    while (!queue_.empty() && reads_ < options_.reads_max && !stopped_) {
        const bool crowded = queue_.size() > options_.reads_max - reads_;
        const std::size_t long_max =
            options_.reads_max - std::max<std::size_t>(options_.reads_max / kShortShare, 1);
        const bool is_long = !crowded && long_reads_ < long_max;
        Batch batch = take_batch(!is_long);
        if (batch.empty()) continue;
        ++reads_;
        ++reads_made_;
        if (is_long) ++long_reads_;
        const Millis block = is_long ? options_.block : block_for(queue_.size());
        tasks_.spawn(read(std::move(batch), block, is_long));
    }
}

/// The longest waiting stream and, if it shares its read, others of its partition.
StreamWatch::Batch StreamWatch::take_batch(bool shared) {
    Batch batch;
    const std::uint16_t partition = queue_.front()->partition;
    for (auto it = queue_.begin(); it != queue_.end() && batch.size() < options_.shared_max;) {
        if ((*it)->partition != partition) {
            ++it;
            continue;
        }
        (*it)->queued = false;
        if (!(*it)->waiters.empty()) {
            (*it)->reading = true;
            batch.push_back(std::move(*it));
        }
        it = queue_.erase(it);
        if (!shared && !batch.empty()) break;
    }
    return batch;
}

/// Short enough that each of those that wait has its turn in time.
Millis StreamWatch::block_for(std::size_t waiting_batches) const {
    const auto turns = static_cast<std::int64_t>(waiting_batches / options_.reads_max + 1);
    return std::clamp(options_.turn / turns, options_.slice_least, options_.block);
}

asio::awaitable<void> StreamWatch::read(Batch batch, Millis block, bool is_long) {
    store::Call call;
    call.command.arg("XREAD")
        .arg("COUNT")
        .arg(options_.read_count)
        .arg("BLOCK")
        .arg(block.count())
        .arg("STREAMS");
    for (const auto& group : batch) {
        for (const std::string& key : group->keys) call.command.arg(key);
    }
    for (const auto& group : batch) {
        group->read_after = group->position;
        const std::string after = group->position.to_string();
        for (std::size_t i = 0; i < group->keys.size(); ++i) call.command.arg(after);
    }
    call.deadline = Deadline::after(block + kReadPatience);
    call.resend_safe = true;
    const Result<store::Reply> reply = co_await store_.blocking_read(std::move(call));
    if (!reply.has_value() && !stopped_) {
        log::debug("hub", "watch_failed", {{"error", reply.error().text()}});
        co_await pause_after_failure();
    }
    --reads_;
    if (is_long) --long_reads_;
    for (const auto& group : batch) group->reading = false;
    if (reply.has_value()) {
        take_up(batch, *reply);
    } else {
        for (const auto& group : batch) wake_all(*group);
    }
    for (const auto& group : batch) {
        const bool waited_for = std::ranges::any_of(
            group->waiters, [](const Waiter& waiter) { return !waiter.sleeper->woken; });
        if (waited_for) want_read(group);
    }
    pump();
}

asio::awaitable<void> StreamWatch::pause_after_failure() {
    Timer timer(loop_, options_.retry_pause);
    co_await timer.async_wait(kToken);
}

/// The reply names each stream that has something, with its first entries above our position.
void StreamWatch::take_up(const Batch& batch, const store::Reply& reply) const {
    for (const auto& group : batch) {
        if (options_.read_count > 1 && !reply.is_null()) {
            if (auto arrival = collect(*group, reply)) {
                const auto last = EntryId::parse(arrival->entries.back().id);
                group->position = std::max(group->position, last.value_or(EntryId{}));
                group->arrival = std::move(arrival);
            }
        }
        for (const std::string& key : group->keys) {
            const store::Reply* entries = reply.find(key);
            if (entries == nullptr || entries->items().empty()) continue;
            const auto fields = entries->items().front().items();
            const auto id = fields.empty() ? std::nullopt : fields.front().text();
            const auto parsed = id ? EntryId::parse(*id) : std::nullopt;
            if (parsed) group->position = std::max(group->position, *parsed);
        }
        wake(*group);
    }
}

std::shared_ptr<const Arrival> StreamWatch::collect(const Group& group,
                                                    const store::Reply& reply) const {
    std::vector<std::pair<std::uint64_t, engine::StreamEntry>> found;
    auto arrival = std::make_shared<Arrival>(Arrival{.after = group.read_after});
    for (const std::string& key : group.keys) {
        const store::Reply* entries = reply.find(key);
        if (entries == nullptr) continue;
        for (const store::Reply& item : entries->items()) {
            auto entry = read_frame(item);
            const auto id = entry ? EntryId::parse(entry->id) : std::nullopt;
            if (!id) return nullptr;
            for (const auto& [name, value] : entry->fields) arrival->bytes += value.size();
            found.emplace_back(id->n, *std::move(entry));
        }
    }
    if (found.empty() || arrival->bytes > options_.kept_bytes_max) return nullptr;
    std::ranges::sort(found, {}, [](const auto& entry) { return entry.first; });
    std::uint64_t expected = group.read_after.n;
    for (auto& [n, entry] : found) {
        if (n != ++expected) return nullptr;
        arrival->entries.push_back(std::move(entry));
    }
    return arrival;
}

void StreamWatch::wake(Group& group) {
    for (const Waiter& waiter : group.waiters) {
        if (waiter.sleeper->woken || waiter.seen >= group.position) continue;
        waiter.sleeper->woken = true;
        waiter.sleeper->timer.cancel();
    }
}

void StreamWatch::wake_all(Group& group) {
    for (const Waiter& waiter : group.waiters) {
        waiter.sleeper->woken = true;
        waiter.sleeper->timer.cancel();
    }
}

void StreamWatch::stop_waiting() {
    stopped_ = true;
    queue_.clear();
    for (const auto& [key, group] : groups_) wake_all(*group);
    tasks_.cancel();
}

asio::awaitable<void> StreamWatch::stop() {
    stop_waiting();
    co_await tasks_.join();
}

}  // namespace ff::hub
