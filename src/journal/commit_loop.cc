#include "journal/commit_loop.h"

#include <algorithm>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace ff::journal {
namespace {

constexpr std::chrono::microseconds kGatherMost{500};
/// Memory of stored records that is kept: as much as the ticks need that come during a sync.
constexpr std::size_t kSparesMax = 16;
constexpr std::size_t kSparesBytesMax = 16U << 20;
/// Of one of them: little is soon had anew, and much was an exception.
constexpr std::size_t kSpareBytesLeast = 4U << 10;
constexpr std::size_t kSpareBytesMost = 4U << 20;

/// Timeouts of this thread are short; the system rounds them up by 50 us unless told otherwise.
void ask_for_exact_timers() {
#if defined(__linux__)
    ::prctl(PR_SET_TIMERSLACK, 1000UL);
#endif
}

/// What callers hear of a tick that is applied in memory but not stored: it may yet be.
Error not_stored(const Error& cause) {
    Error error{.code = "storage_error", .cls = ErrorClass::Terminal, .kind = "fatal_receive"};
    error.detail = cause.detail;
    error.message = "not stored: " + cause.text();
    return error;
}

}  // namespace

Error refused(std::string_view why) {
    Error error{.code = "storage_error", .cls = ErrorClass::Retryable, .kind = "io_error"};
    error.message = why;
    return error;
}

void Committer::Impl::run() {
    ask_for_exact_timers();
    std::unique_lock lock(mutex);
    while (true) {
        wait_for_work(lock);
        if (queue.empty() && stopping) break;
        gather(lock);
        take_turn(lock);
    }
    lock.unlock();
    wind_up();
}

void Committer::Impl::take_turn(std::unique_lock<std::mutex>& lock) {
    std::vector<Item> items = std::exchange(queue, {});
    queued_records = 0;
    busy = !items.empty();
    lock.unlock();
    work(std::move(items));
    lock.lock();
}

std::optional<SteadyClock::time_point> Committer::Impl::wake_at() const {
    if (state == Health::State::Failed) return std::nullopt;
    if (state == Health::State::NoSpace) return retry_at;
    if (unsynced && options.fsync == Fsync::Interval) return std::min(sync_at, watch_at);
    return watch_at;
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

/// Callers that wait for their answers come back soon after the last group released them, from
/// several loops not at the same moment. To write for the first of them alone would make all others
/// wait for a second sync: with 64 callers that each wake the shard, a sync then carries 36 calls,
/// and 61 with this. Waits no longer than the last group took, and not at all for a lone caller.
void Committer::Impl::gather(std::unique_lock<std::mutex>& lock) {
    if (options.fsync != Fsync::Always || queued_records == 0) return;
    wake_at_records = last_records - last_records / 8;
    const auto has_come = [this] { return queued_records >= wake_at_records || stopping; };
    if (!has_come()) {
        waiting = true;
        work_came.wait_for(lock, std::min<SteadyClock::duration>(last_took, kGatherMost), has_come);
        waiting = false;
    }
    wake_at_records = 0;
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
        if (const BeginCopy* request = std::get_if<BeginCopy>(&item)) {
            store_ticks();
            copy(*request);
        }
    }
    store_ticks();
    sync_if_due();
    watch_if_due(items.empty());
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
        if (state == Health::State::Good) journal.append(std::move(tick.records));
        if (state == Health::State::NoSpace) hold(tick);
    }
    if (held_bytes > 2 * options.queue_bytes_max) {
        fail(refused("too much was applied while there was no space for it"));
    }
    Result<Done> stored = Done{};
    if (state != Health::State::Good) {
        stored = *trouble;
    } else if (records > 0) {
        const SteadyClock::time_point start = SteadyClock::now();
        stored = journal.commit(sync_mode());
        last_took = SteadyClock::now() - start;
        last_records = records;
        conclude(stored);
        if (!stored) stored = *trouble;
    }
    {
        // Before the release: whoever has an answer finds it counted.
        const std::lock_guard lock(mutex);
        counts.ticks += ticks.size();
        if (stored && records > 0) {
            ++counts.groups;
            counts.records += records;
            counts.bytes += bytes;
            counts.syncs += sync_mode() == Sync::Yes ? 1U : 0U;
            counts.sync_time += last_took;
        }
        keep_spares();
    }
    for (Tick& tick : ticks) tick.batch->release(stored);
    ticks.clear();
    const std::lock_guard lock(mutex);
    record_bytes -= bytes;
    room_came.notify_all();
}

/// Under the mutex.
void Committer::Impl::keep_spares() {
    for (Tick& tick : ticks) {
        const std::size_t capacity = tick.records.capacity();
        if (spares.size() == kSparesMax) return;
        if (capacity < kSpareBytesLeast || capacity > kSpareBytesMost) continue;
        if (spare_bytes + capacity > kSparesBytesMax) continue;
        tick.records.clear();
        spare_bytes += capacity;
        spares.push_back(std::move(tick.records));
    }
}

void Committer::Impl::hold(Tick& tick) {
    held_bytes += tick.records.bytes();
    tick.records.own();
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

/// Also while groups come all the time, but then without waiting for the mark: each of them was
/// told that the log is in its place.
void Committer::Impl::watch_if_due(bool idle) {
    if (state != Health::State::Good || SteadyClock::now() < watch_at) return;
    watch_at = SteadyClock::now() + options.watch;
    if (!idle && options.fsync == Fsync::Always) return;
    const Result<Done> watched = journal.look_after();
    if (!watched) fail(watched.error());
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
        queued_records = 0;
    }
    for (Item& item : items) {
        if (Tick* tick = std::get_if<Tick>(&item)) ticks.push_back(std::move(*tick));
        if (SnapshotStep* step = std::get_if<SnapshotStep>(&item)) take_step(std::move(*step));
        if (BeginSnapshot* request = std::get_if<BeginSnapshot>(&item)) begin(std::move(*request));
        if (const BeginCopy* request = std::get_if<BeginCopy>(&item)) copy(*request);
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

void Committer::Impl::copy(const BeginCopy& request) {
    if (state != Health::State::Good) return request.done(*trouble);
    Result<JournalCopy> made = journal.begin_copy();
    if (made) {
        unsynced = false;
    } else if (journal.state() == JournalState::Failed) {
        fail(made.error());
    }
    request.done(std::move(made));
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
            const Result<Done> written = snapshot->writer->write(step.chunk.view());
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

}  // namespace ff::journal
