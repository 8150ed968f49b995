#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "base/steady_clock.h"
#include "journal/committer.h"

namespace ff::journal {

struct BeginSnapshot {
    std::uint64_t snapshot = 0;
    std::function<void(const Result<Done>&)> done;
};
/// The next part of a snapshot, or its end.
struct SnapshotStep {
    enum class Kind : std::uint8_t { Chunk, Finish, Abandon };
    Kind kind = Kind::Chunk;
    std::uint64_t snapshot = 0;
    ByteBuffer chunk{};
};
struct BeginCopy {
    std::function<void(Result<JournalCopy>)> done;
};
using Item = std::variant<Tick, BeginSnapshot, SnapshotStep, BeginCopy>;

/// The snapshot that is being written.
struct CurrentSnapshot {
    std::uint64_t number = 0;
    std::unique_ptr<SnapshotWriter> writer{};
    std::function<void(const Result<Done>&)> done;
};

/// What callers hear when nothing was even tried.
Error refused(std::string_view why);

/// What the shard's thread and the committer's thread share, and the loop of the latter.
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
    void gather(std::unique_lock<std::mutex>& lock);
    void take_turn(std::unique_lock<std::mutex>& lock);
    std::optional<SteadyClock::time_point> wake_at() const;
    void work(std::vector<Item> items);
    void store_ticks();
    void hold(Tick& tick);
    void keep_spares();
    void conclude(const Result<Done>& stored);
    void retry();
    void sync_if_due();
    void watch_if_due(bool idle);
    void get_stuck(const Error& cause);
    void get_well();
    void fail(const Error& cause);
    void tell_of_failure();
    void set_health(Health::State state_now, std::string text);
    void begin(BeginSnapshot request);
    void take_step(SnapshotStep step);
    void copy(const BeginCopy& request);
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
    std::uint64_t queued_records = 0;
    std::uint64_t wake_at_records = 0;  // until then it need not be woken
    bool stopping = false;
    bool stopped = false;
    std::uint64_t snapshots_begun = 0;
    std::uint64_t open_snapshot = 0;  // takes chunks; 0 if none does
    Health health{};
    CommitterCounts counts{};
    std::vector<Records> spares;  // empty, for the next ticks
    std::size_t spare_bytes = 0;

    // The committer's thread only.
    std::vector<Tick> ticks;         // of the next group
    std::uint64_t last_records = 0;  // of the last group, and how long it took
    SteadyClock::duration last_took{};
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
    SteadyClock::time_point watch_at = SteadyClock::now();

    std::thread thread;
};

}  // namespace ff::journal
