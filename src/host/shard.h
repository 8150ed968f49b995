#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "host/read_waiters.h"
#include "host/shard_state.h"
#include "host/shard_work.h"
#include "host/work.h"
#include "journal/committer.h"

namespace ff::host {

struct ShardOptions {
    /// Works waiting to be run; more are refused, and may be sent again.
    std::size_t queue_max = 65536;
    /// Reads waiting for entries.
    std::size_t waiting_reads_max = 65536;
    /// Works, and bytes of records, after which a tick is handed to the journal.
    std::size_t tick_works_max = 256;
    std::size_t tick_bytes_max = 1U << 20;
    /// After so long, what was run is handed to the journal before the next work: a sync takes
    /// less, and callers whose long works share a tick would all be answered, and come back,
    /// together.
    std::chrono::microseconds tick_time_max{500};
    /// Keys deleted at once because their time has come.
    std::size_t expire_keys_max = 200;
    /// A snapshot starts when the log to replay is longer than this, and than the data in memory.
    std::uint64_t snapshot_log_bytes = 256U << 20;
    /// It starts earlier when the next start would replay the log for longer than this, but not
    /// before the log is a quarter of the data: each snapshot writes all of them. Zero: it does
    /// not.
    std::chrono::seconds recovery_target{0};
    std::size_t snapshot_slice_bytes = 64U << 10;
    /// If set, the shard has no thread: this is told when something was submitted, and whoever has
    /// the shard calls `turn`, so that a simulation decides what runs when.
    std::function<void()> by_hand{};
    /// It looks at the clock at least this often. Nothing: when it has to.
    std::optional<std::chrono::seconds> beat{};
    /// Told of all memory that the shard uses; outlives it. Null: nobody counts.
    MemoryGauge* memory = nullptr;
    /// Told of calls that took long; outlives it. Null: nobody cares.
    SlowCalls* slow_calls = nullptr;
};

/// What a shard has done so far; any thread may read it.
struct ShardFacts {
    std::uint64_t commands = 0;
    std::uint64_t ticks = 0;
    std::uint64_t keys = 0;
    std::uint64_t keyspace_bytes = 0;
    std::uint64_t lua_bytes = 0;
    /// Of the log that a start would replay.
    std::uint64_t journal_bytes = 0;
    std::uint64_t syncs = 0;
    std::chrono::nanoseconds sync_time{};
    std::uint64_t snapshots = 0;
    std::uint64_t waiting_reads = 0;
    std::uint64_t queued = 0;
};

/// One thread with one keyspace, one Lua state and one journal. Whatever is queued runs as one
/// tick; its records and releases go to the committer together, and the next tick runs meanwhile.
class Shard final : public CommandRunner {
  public:
    /// `hub` and `clock` outlive the shard.
    Shard(ChannelHub& hub, const Clock& clock, ShardStateOptions state, ShardOptions options);
    /// Stops, if `stop` was not called.
    ~Shard() override;

    /// Before `start`, for replay; then for works only, on the shard's thread.
    ShardState& state() { return state_; }
    /// What a start replays in a second, if one has told; before `start`.
    void expect_replay(std::uint64_t bytes_per_second) { replay_rate_ = bytes_per_second; }
    /// Without a committer nothing is stored, and everything is released at once.
    void start(std::unique_ptr<journal::Committer> committer);

    /// Any thread. Refused with a retryable error when the queue is full or the journal cannot
    /// write, with `shutting_down` after `stop`: then the work is left alone.
    Result<Done> submit(Work& work);
    /// Runs what was queued, ends waits with Wake::Stop, stores and releases everything, joins.
    void stop();

    /// By hand only: one tick of what is queued or due.
    void turn() { tick(queue_.take_queued(), false); }
    /// When there is something to do, if nothing more is submitted: the past while works wait.
    ReadWaiters::Time next_turn() const;
    journal::Committer* committer() { return committer_.get(); }

    journal::Health health() const;
    ShardFacts facts() const;
    /// Bytes of the log that a start would replay.
    std::uint64_t replay_bytes() const;

    // For works, on the shard's thread.

    /// As CommandRunner says.
    void run(std::span<const std::string_view> argv, keyspace::ReplySink& reply) override;
    /// The work runs again when an entry is added to one of the streams, or at that time. False if
    /// too many wait already.
    bool wait(Work& work, std::span<const std::string_view> keys, ReadWaiters::Time until);
    /// Runs the work that has this address and ticket a last time, if it still waits.
    void end_wait(Work& work, std::uint64_t ticket);
    /// Opens a copy of the journal as it is after all that ran so far; see Committer::begin_copy.
    void copy_journal(std::function<void(Result<journal::JournalCopy>)> done);
    /// When the tick under way began.
    ReadWaiters::Time tick_time() const { return tick_time_; }

  private:
    class Batch;
    using Time = ReadWaiters::Time;

    void loop();
    void wind_up();
    void tick(WorkList works, bool last);
    void run_queued(WorkList& works);
    /// False: the work waits, and will run again.
    bool perform(Work& work, Work::Wake why);
    void refuse(WorkList& works);
    void begin_record();
    void end_record();
    void expire();
    void serve_waiters(bool last);
    void commit();
    void continue_snapshot();
    void begin_snapshot();
    /// How long a log may be that comes on top of the data.
    std::uint64_t log_bytes_max() const;
    Time next_wake() const;
    void note_facts();
    void note_memory();
    bool refuses() const { return committer_ != nullptr && !committer_->healthy(); }
    Error cannot_write() const;

    ChannelHub& hub_;
    const Clock& clock_;
    ShardOptions options_;
    ShardState state_;
    WorkQueue queue_;
    std::unique_ptr<journal::Committer> committer_{};
    std::thread thread_{};
    std::atomic<bool> stopping_{false};

    // The tick under way.
    Time tick_time_{};
    std::unique_ptr<Batch> batch_{};
    journal::Records records_{};
    std::size_t batch_works_ = 0;

    ReadWaiters waiters_{};
    std::vector<std::string> appended_{};
    std::vector<Work*> woken_{};

    /// Spent on slices of snapshots; written by the shard alone.
    std::atomic<std::int64_t> snapshot_ns_{0};
    /// As last told to the gauge.
    std::size_t told_bytes_ = 0;
    std::uint64_t replay_rate_ = 64U << 20;
    bool snapshot_open_ = false;
    /// The committer has not answered for the last snapshot yet.
    std::atomic<bool> snapshot_pending_{false};
    /// The log length below which no snapshot is tried after one that failed.
    std::atomic<std::uint64_t> snapshot_not_before_{0};

    struct Facts;
    std::unique_ptr<Facts> facts_;
};

}  // namespace ff::host
