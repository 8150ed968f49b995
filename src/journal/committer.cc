#include "journal/committer.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "base/assert.h"

namespace ff::journal {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct BeginSnapshot {
    std::uint64_t snapshot = 0;
    std::function<void(const Result<Done>&)> done;
};
/// The next part of a snapshot, or its end.
struct SnapshotStep {
    enum class Kind : std::uint8_t { Chunk, Finish, Abandon };
    Kind kind = Kind::Chunk;
    std::uint64_t snapshot = 0;
    std::string chunk{};
};
using Item = std::variant<Tick, BeginSnapshot, SnapshotStep>;

/// The snapshot that is being written.
struct CurrentSnapshot {
    std::uint64_t number = 0;
    std::unique_ptr<SnapshotWriter> writer{};
    std::function<void(const Result<Done>&)> done;
};

/// What callers hear of a tick that is applied in memory but not stored: it may yet be.
Error not_stored(const Error& cause) {
    Error error{.code = "storage_error", .cls = ErrorClass::Terminal, .kind = "fatal_receive"};
    error.detail = cause.detail;
    error.message = "not stored: " + cause.text();
    return error;
}

Error refused(std::string_view why) {
    Error error{.code = "storage_error", .cls = ErrorClass::Retryable, .kind = "io_error"};
    error.message = why;
    return error;
}

}  // namespace

struct Committer::Impl {
    Impl(Journal& journal_used, CommitterOptions options_used, std::atomic<bool>& healthy_flag)
        : journal(journal_used), options(std::move(options_used)), healthy(healthy_flag) {}

    // Called by the shard's thread, under the mutex.
    bool is_full(std::size_t more) const;
    void push(std::unique_lock<std::mutex>& lock, Item item);
    bool can_release_at_once(const Tick& tick) const;

    // The committer's thread.
    void run();
    void wait_for_work(std::unique_lock<std::mutex>& lock);
    std::optional<SteadyClock::time_point> wake_at() const;
    void work(std::vector<Item> items);
    void store_ticks();
    void hold(Tick& tick);
    void conclude(const Result<Done>& stored);
    void retry();
    void sync_if_due();
    void get_stuck(const Error& cause);
    void get_well();
    void fail(const Error& cause);
    void tell_of_failure();
    void set_health(Health::State state_now, std::string text);
    void begin(BeginSnapshot request);
    void take_step(SnapshotStep step);
    void end_snapshot(const Result<Done>& outcome);
    void wind_up();
    Sync sync_mode() const { return options.fsync == Fsync::Always ? Sync::Yes : Sync::No; }

    Journal& journal;
    const CommitterOptions options;
    std::atomic<bool>& healthy;

    mutable std::mutex mutex;
    std::condition_variable work_came;
    std::condition_variable room_came;
    // Under the mutex.
    std::vector<Item> queue;
    std::size_t record_bytes = 0;  // queued or on their way
    std::size_t chunk_bytes = 0;
    bool busy = false;     // ticks are on their way
    bool waiting = false;  // the thread sleeps
    bool stopping = false;
    bool stopped = false;
    std::uint64_t snapshots_begun = 0;
    std::uint64_t open_snapshot = 0;  // takes chunks; 0 if none does
    Health health{};
    CommitterCounts counts{};

    // The committer's thread only.
    std::vector<Tick> ticks;  // of the next group
    std::deque<SnapshotStep> steps;
    std::optional<CurrentSnapshot> snapshot;
    Health::State state = Health::State::Good;
    std::optional<Error> trouble;  // why the state is not Good, as callers hear it
    std::vector<Records> held;     // applied in memory, refused for want of space, to be stored yet
    std::size_t held_bytes = 0;
    SteadyClock::time_point retry_at{};
    std::chrono::milliseconds retry_pause{};
    bool failure_told = false;
    bool unsynced = false;
    SteadyClock::time_point sync_at{};

    std::thread thread;
};

bool Committer::Impl::is_full(std::size_t more) const {
    return record_bytes > 0 && record_bytes + more > options.queue_bytes_max &&
           health.state == Health::State::Good && !stopping;
}

void Committer::Impl::push(std::unique_lock<std::mutex>& lock, Item item) {
    if (const Tick* tick = std::get_if<Tick>(&item)) record_bytes += tick->records.bytes();
    queue.push_back(std::move(item));
    const bool wake = std::exchange(waiting, false);
    lock.unlock();
    if (wake) work_came.notify_one();
}

bool Committer::Impl::can_release_at_once(const Tick& tick) const {
    return tick.records.empty() && !busy && queue.empty() && health.state == Health::State::Good;
}

void Committer::Impl::run() {
    std::unique_lock lock(mutex);
    while (true) {
        wait_for_work(lock);
        if (queue.empty() && stopping) break;
        std::vector<Item> items = std::exchange(queue, {});
        busy = !items.empty();
        lock.unlock();
        work(std::move(items));
        lock.lock();
    }
    lock.unlock();
    wind_up();
}

std::optional<SteadyClock::time_point> Committer::Impl::wake_at() const {
    if (state == Health::State::NoSpace) return retry_at;
    if (unsynced && options.fsync == Fsync::Interval) return sync_at;
    return std::nullopt;
}

/// Returns with work in the queue or none of it due, but never sleeps over a snapshot's next step.
void Committer::Impl::wait_for_work(std::unique_lock<std::mutex>& lock) {
    if (!steps.empty()) return;
    const std::optional<SteadyClock::time_point> until = wake_at();
    const auto has_work = [this] { return !queue.empty() || stopping; };
    if (has_work()) return;
    waiting = true;
    if (until) {
        work_came.wait_until(lock, *until, has_work);
    } else {
        work_came.wait(lock, has_work);
    }
    waiting = false;
}

void Committer::Impl::work(std::vector<Item> items) {
    if (state == Health::State::NoSpace && SteadyClock::now() >= retry_at) retry();
    for (Item& item : items) {
        if (Tick* tick = std::get_if<Tick>(&item)) ticks.push_back(std::move(*tick));
        if (SnapshotStep* step = std::get_if<SnapshotStep>(&item))
            steps.push_back(std::move(*step));
        if (BeginSnapshot* request = std::get_if<BeginSnapshot>(&item)) {
            // What came before it belongs into the snapshot, what comes after it does not.
            store_ticks();
            for (; !steps.empty(); steps.pop_front()) take_step(std::move(steps.front()));
            begin(std::move(*request));
        }
    }
    store_ticks();
    sync_if_due();
    tell_of_failure();
    {
        const std::lock_guard lock(mutex);
        busy = false;
    }
    // One step a turn, so that a snapshot delays a group by one chunk at most.
    if (!steps.empty()) {
        SnapshotStep step = std::move(steps.front());
        steps.pop_front();
        take_step(std::move(step));
    }
}

void Committer::Impl::store_ticks() {
    if (ticks.empty()) return;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    for (Tick& tick : ticks) {
        if (tick.records.empty()) continue;
        records += tick.records.count();
        bytes += tick.records.bytes();
        if (state == Health::State::Good) journal.append(tick.records);
        if (state == Health::State::NoSpace) hold(tick);
    }
    if (held_bytes > 2 * options.queue_bytes_max) {
        fail(refused("too much was applied while there was no space for it"));
    }
    Result<Done> stored = Done{};
    if (state != Health::State::Good) {
        stored = *trouble;
    } else if (records > 0) {
        stored = journal.commit(sync_mode());
        conclude(stored);
        if (!stored) stored = *trouble;
    }
    for (Tick& tick : ticks) tick.batch->release(stored);
    const std::lock_guard lock(mutex);
    counts.ticks += ticks.size();
    if (stored && records > 0) {
        ++counts.groups;
        counts.records += records;
        counts.bytes += bytes;
        counts.syncs += sync_mode() == Sync::Yes ? 1 : 0;
    }
    record_bytes -= bytes;
    ticks.clear();
    room_came.notify_all();
}

void Committer::Impl::hold(Tick& tick) {
    held_bytes += tick.records.bytes();
    held.push_back(std::move(tick.records));
    tick.records = Records{};
}

/// Draws the consequences of a commit.
void Committer::Impl::conclude(const Result<Done>& stored) {
    if (!stored) {
        if (journal.state() == JournalState::Stuck) {
            get_stuck(stored.error());
        } else {
            fail(stored.error());
        }
        return;
    }
    if (sync_mode() == Sync::Yes || unsynced) return;
    unsynced = true;
    sync_at = SteadyClock::now() + options.interval;
}

void Committer::Impl::sync_if_due() {
    if (!unsynced || options.fsync != Fsync::Interval || state != Health::State::Good) return;
    if (SteadyClock::now() < sync_at) return;
    const Result<Done> synced = journal.sync();
    if (!synced) return fail(synced.error());
    unsynced = false;
    const std::lock_guard lock(mutex);
    ++counts.syncs;
}

void Committer::Impl::set_health(Health::State state_now, std::string text) {
    state = state_now;
    {
        const std::lock_guard lock(mutex);
        health = Health{.state = state_now, .text = std::move(text)};
    }
    healthy.store(state_now == Health::State::Good, std::memory_order_release);
    room_came.notify_all();
}

void Committer::Impl::get_stuck(const Error& cause) {
    trouble = not_stored(cause);
    retry_pause = options.retry_least;
    retry_at = SteadyClock::now() + retry_pause;
    set_health(Health::State::NoSpace, "no space: " + cause.text());
    // What it has written so far may be just the space that is missing.
    end_snapshot(*trouble);
}

/// Stores what waited for space: the group inside the journal, then what was held since.
void Committer::Impl::retry() {
    Result<Done> stored = journal.retry_commit(sync_mode());
    if (stored && !held.empty()) {
        for (const Records& records : held) journal.append(records);
        held.clear();
        held_bytes = 0;
        stored = journal.commit(sync_mode());
    }
    if (stored) {
        trouble.reset();
        set_health(Health::State::Good, {});
        return conclude(stored);
    }
    if (journal.state() != JournalState::Stuck) return fail(stored.error());
    retry_pause = std::min(retry_pause * 2, options.retry_most);
    retry_at = SteadyClock::now() + retry_pause;
}

void Committer::Impl::fail(const Error& cause) {
    trouble = not_stored(cause);
    held.clear();
    held_bytes = 0;
    set_health(Health::State::Failed, cause.text());
    end_snapshot(*trouble);
}

/// Releases all that waits before anybody is told, because the process ends then.
void Committer::Impl::tell_of_failure() {
    if (state != Health::State::Failed || failure_told) return;
    failure_told = true;
    std::vector<Item> items;
    {
        const std::lock_guard lock(mutex);
        items = std::exchange(queue, {});
    }
    for (Item& item : items) {
        if (Tick* tick = std::get_if<Tick>(&item)) ticks.push_back(std::move(*tick));
        if (SnapshotStep* step = std::get_if<SnapshotStep>(&item)) take_step(std::move(*step));
        if (BeginSnapshot* request = std::get_if<BeginSnapshot>(&item)) begin(std::move(*request));
    }
    store_ticks();
    if (options.on_fatal) options.on_fatal(*trouble);
}

void Committer::Impl::begin(BeginSnapshot request) {
    if (snapshot) end_snapshot(refused("another snapshot was begun"));
    snapshot = CurrentSnapshot{.number = request.snapshot, .done = std::move(request.done)};
    if (state != Health::State::Good) return end_snapshot(*trouble);
    Result<std::unique_ptr<SnapshotWriter>> writer = journal.begin_snapshot();
    if (!writer) {
        if (journal.state() == JournalState::Failed) return fail(writer.error());
        return end_snapshot(writer.error());
    }
    // A new segment begins with everything before it on disk.
    unsynced = false;
    snapshot->writer = *std::move(writer);
}

void Committer::Impl::take_step(SnapshotStep step) {
    {
        const std::lock_guard lock(mutex);
        chunk_bytes -= step.chunk.size();
    }
    room_came.notify_all();
    if (!snapshot || snapshot->number != step.snapshot) return;
    switch (step.kind) {
        case SnapshotStep::Kind::Chunk: {
            const Result<Done> written = snapshot->writer->write(step.chunk);
            if (!written) end_snapshot(written.error());
            return;
        }
        case SnapshotStep::Kind::Finish: {
            const Result<Done> finished = snapshot->writer->finish();
            if (finished) {
                const std::lock_guard lock(mutex);
                ++counts.snapshots;
            }
            return end_snapshot(finished);
        }
        case SnapshotStep::Kind::Abandon:
            return end_snapshot(refused("the snapshot was abandoned"));
    }
}

/// Destroying an unfinished writer removes its file.
void Committer::Impl::end_snapshot(const Result<Done>& outcome) {
    if (!snapshot) return;
    CurrentSnapshot ended = *std::exchange(snapshot, std::nullopt);
    ended.writer.reset();
    {
        const std::lock_guard lock(mutex);
        if (open_snapshot == ended.number) open_snapshot = 0;
    }
    room_came.notify_all();
    ended.done(outcome);
}

void Committer::Impl::wind_up() {
    for (; !steps.empty(); steps.pop_front()) take_step(std::move(steps.front()));
    if (state == Health::State::NoSpace) retry();
    end_snapshot(refused("the store stops"));
    if (state == Health::State::Good && unsynced) {
        const Result<Done> synced = journal.sync();
        if (!synced) fail(synced.error());
        unsynced = false;
    }
    tell_of_failure();
}

Committer::Committer(std::unique_ptr<Journal> journal, CommitterOptions options)
    : journal_(std::move(journal)),
      impl_(std::make_unique<Impl>(*journal_, std::move(options), healthy_)) {
    impl_->thread = std::thread([this] { impl_->run(); });
}

Committer::~Committer() {
    stop();
}

void Committer::submit(Tick tick) {
    std::unique_lock lock(impl_->mutex);
    const std::size_t bytes = tick.records.bytes();
    impl_->room_came.wait(lock, [&] { return !impl_->is_full(bytes); });
    if (impl_->stopped) {
        lock.unlock();
        return tick.batch->release(refused("the store has stopped"));
    }
    if (impl_->can_release_at_once(tick)) {
        ++impl_->counts.ticks;
        lock.unlock();
        return tick.batch->release(Done{});
    }
    impl_->push(lock, std::move(tick));
}

bool Committer::try_submit(Tick& tick) {
    {
        const std::lock_guard lock(impl_->mutex);
        if (impl_->is_full(tick.records.bytes())) return false;
    }
    // Nobody else submits, so the room that was there still is.
    submit(std::move(tick));
    return true;
}

void Committer::begin_snapshot(std::function<void(const Result<Done>&)> done) {
    std::unique_lock lock(impl_->mutex);
    FF_ASSERT(impl_->open_snapshot == 0);
    if (impl_->stopped || impl_->health.state != Health::State::Good) {
        lock.unlock();
        return done(refused("the journal cannot write"));
    }
    impl_->open_snapshot = ++impl_->snapshots_begun;
    impl_->push(lock, BeginSnapshot{.snapshot = impl_->open_snapshot, .done = std::move(done)});
}

bool Committer::write_snapshot_chunk(std::string chunk) {
    std::unique_lock lock(impl_->mutex);
    const std::size_t bytes = chunk.size();
    impl_->room_came.wait(lock, [&] {
        return impl_->open_snapshot == 0 || impl_->chunk_bytes == 0 ||
               impl_->chunk_bytes + bytes <= impl_->options.chunk_bytes_max;
    });
    if (impl_->open_snapshot == 0) return false;
    impl_->chunk_bytes += bytes;
    impl_->push(lock, SnapshotStep{.snapshot = impl_->open_snapshot, .chunk = std::move(chunk)});
    return true;
}

bool Committer::snapshot_has_room(std::size_t bytes) const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->open_snapshot == 0 || impl_->chunk_bytes == 0 ||
           impl_->chunk_bytes + bytes <= impl_->options.chunk_bytes_max;
}

void Committer::finish_snapshot() {
    close_snapshot(true);
}

void Committer::abandon_snapshot() {
    close_snapshot(false);
}

void Committer::close_snapshot(bool finish) {
    std::unique_lock lock(impl_->mutex);
    const std::uint64_t number = std::exchange(impl_->open_snapshot, 0);
    if (number == 0) return;
    const auto kind = finish ? SnapshotStep::Kind::Finish : SnapshotStep::Kind::Abandon;
    impl_->push(lock, SnapshotStep{.kind = kind, .snapshot = number});
}

Health Committer::health() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->health;
}

CommitterCounts Committer::counts() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->counts;
}

void Committer::stop() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
    }
    impl_->work_came.notify_one();
    impl_->room_came.notify_all();
    if (impl_->thread.joinable()) impl_->thread.join();
    const std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
    impl_->open_snapshot = 0;
}

}  // namespace ff::journal
