#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/steady_clock.h"
#include "journal/journal.h"

namespace ff::journal {

enum class Fsync : std::uint8_t {
    Always,    // released when durable
    Interval,  // released when written; durable at most `interval` later
    Off,       // released when written; durable when the system likes
};

struct CommitterOptions {
    Fsync fsync = Fsync::Always;
    std::chrono::milliseconds interval{100};
    /// Bytes of records waiting to be written; a submitter beyond it waits.
    std::size_t queue_bytes_max = 64U << 20;
    /// Bytes of snapshot chunks waiting to be written; the same.
    std::size_t chunk_bytes_max = 8U << 20;
    std::chrono::milliseconds retry_least{100};
    std::chrono::milliseconds retry_most{1000};
    /// How often it looks whether the log is still where it was, when there is nothing to write.
    std::chrono::milliseconds watch{1000};
    /// No thread: whoever has the committer calls `turn`. Nothing may wait for room then.
    bool by_hand = false;
    /// Called once, on the committer's thread, when the journal has failed for good. By then every
    /// waiting tick has been released with an error. The server ends itself.
    std::function<void(const Error&)> on_fatal{};
};

/// What waits for a tick: replies to send, coroutines to resume.
class Batch {
  public:
    virtual ~Batch() = default;
    /// Called exactly once, on the committer's thread or inside `submit`; must not wait, and must
    /// not call the committer.
    virtual void release(const Result<Done>& outcome) = 0;
};

/// One turn of a shard: the records of its calls, and what to release when they are stored. A tick
/// that only read has no records.
struct Tick {
    Records records{};
    std::unique_ptr<Batch> batch;
};

struct Health {
    enum class State : std::uint8_t { Good, NoSpace, Failed };
    State state = State::Good;
    /// For people; empty while good.
    std::string text{};
};

struct CommitterCounts {
    std::uint64_t groups = 0;
    std::uint64_t ticks = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    std::uint64_t syncs = 0;
    /// Spent on writing groups and waiting for the disk.
    std::chrono::nanoseconds sync_time{};
    std::uint64_t snapshots = 0;
};

/// Writes the ticks of one shard on a thread of its own: all that were submitted while one group
/// was on its way to the disk become the next group, with one write and one sync.
///
/// `submit` and the snapshot calls belong to the shard's thread; everything else may be called
/// from any thread. Batches are released in the order of submission.
///
/// Without space: every waiting tick is released with code "storage_error", kind "fatal_receive"
/// (it may yet be stored), and so is every tick submitted until space returns. Their records are
/// kept and stored then, because the shard has already applied them. The shard must look at
/// `healthy` before it runs anything and refuse it: twice queue_bytes_max of such records ends in
/// Failed. Any other failure of the log is Failed at once, for good.
class Committer {
  public:
    Committer(std::unique_ptr<Journal> journal, CommitterOptions options);
    /// Stops, if `stop` was not called.
    ~Committer();

    /// Waits while the queue is full. A tick without records is released in here when nothing is
    /// on its way, otherwise after all earlier ticks.
    void submit(Tick tick);
    /// As submit, but answers false and leaves `tick` alone instead of waiting.
    bool try_submit(Tick& tick);
    /// No records, but the memory of some that were stored, if any is left: fresh memory costs as
    /// much as filling it does.
    Records spare_records();

    /// Starts a snapshot of the state after all ticks submitted so far. Then
    /// come its chunks and `finish_snapshot` or `abandon_snapshot`. A chunk is written only after
    /// all ticks submitted before it are stored. `done` is called once, on the committer's thread
    /// (or in here, if refused). One snapshot at a time.
    void begin_snapshot(std::function<void(const Result<Done>&)> done);
    /// Waits while too many bytes of chunks are waiting. False: the snapshot has failed or there is
    /// none, so that the rest need not be made.
    bool write_snapshot_chunk(ByteBuffer chunk);
    /// Whether a chunk of that size would not have to wait: a shard that has work to do makes the
    /// next one later.
    bool snapshot_has_room(std::size_t bytes) const;
    void finish_snapshot();
    void abandon_snapshot();

    /// Opens a copy of the journal after all ticks submitted so far, see Journal::begin_copy.
    /// `done` is called once, on the committer's thread (or in here, if refused); the copying
    /// itself is for a thread that may wait.
    void begin_copy(std::function<void(Result<JournalCopy>)> done);

    /// By hand only: writes what was submitted, and one step of a snapshot.
    void turn();
    /// When there is something to do, if nothing more is submitted; nothing if never.
    std::optional<SteadyClock::time_point> next_turn() const;

    bool healthy() const { return healthy_.load(std::memory_order_acquire); }
    Health health() const;
    CommitterCounts counts() const;
    /// Bytes to replay on top of the newest snapshot: when to begin the next one.
    std::uint64_t replay_bytes() const { return journal_->replay_bytes(); }

    /// Stores and releases all that was submitted, ends an unfinished snapshot, syncs, joins. A
    /// journal without space gets one last attempt.
    void stop();

  private:
    struct Impl;
    void close_snapshot(bool finish);

    std::unique_ptr<Journal> journal_;
    std::atomic<bool> healthy_{true};
    std::unique_ptr<Impl> impl_;
};

}  // namespace ff::journal
