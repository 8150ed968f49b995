#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "host/backup.h"
#include "host/channel_hub.h"
#include "host/held_clock.h"
#include "host/shard.h"
#include "host/shard_work.h"
#include "journal/committer.h"
#include "journal/file_system.h"
#include "store/store.h"

namespace ff::host {

struct EmbeddedOptions {
    /// Where the data lives. Empty: in memory only, gone with the store.
    std::string folder{};
    journal::Fsync fsync = journal::Fsync::Always;
    std::chrono::milliseconds fsync_interval{100};
    /// Fixed when the folder is made. 0: as many as it has, or half the cores for a new one.
    std::uint32_t shards = 0;
    /// A function library to load; replaces one of the same name that the folder holds.
    std::string library{};
    /// Performed by every shard while the store opens; empty: none.
    Rehearsal rehearsal{};
    /// Outlive the store; empty: the system's own.
    const Clock* clock = nullptr;
    journal::FileSystem* files = nullptr;
    /// Of what `clock` says.
    ClockDoubts doubts{};
    /// How the log grows; what follows from the other options is filled in.
    journal::JournalOptions journal{};
    /// Keep a copy of damaged files and go on without what is damaged.
    bool repair = false;
    /// Compile hot functions to machine code.
    bool compile = true;
    std::size_t lua_memory_max = 512U << 20;
    /// Of all shards together; 0: no limit. What starts work is refused before it is reached.
    std::uint64_t memory_limit = 0;
    /// `shard.by_hand` holds for the journals, too, and leaves everything to one thread.
    ShardOptions shard{};
    /// Called on a shard's thread for every call of a function that was undone.
    std::function<void(const UndoneCall& call)> on_undone{};
    SlowCallOptions slow_calls{};
    /// The journal has failed for good; nothing is acknowledged any more. The process should end.
    std::function<void(const Error&)> on_fatal{};
};

struct KeyFacts {
    std::string key{};
    /// As the TYPE command names it.
    std::string type{};
};

/// A Store in this process: shards of memory with a journal each (docs/spec/01, section 6).
/// A call that has begun is answered when the disk has answered, even if its deadline passes.
/// Its threads post to the executors of its callers: stop or destroy it before their loops go.
class EmbeddedStore final : public store::Store, public ShardWorkTaker {
  public:
    /// Reads what the folder holds, and waits meanwhile. Refused when another process uses the
    /// folder, when it was made with another number of shards, or when it is damaged.
    static Result<std::unique_ptr<EmbeddedStore>> open(EmbeddedOptions options);
    /// Stops, if it was not stopped.
    ~EmbeddedStore() override;

    Task<store::Reply> call(store::Call call) override;
    Task<store::Reply> fcall(store::Call call) override;
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        std::vector<store::Call> calls) override;
    /// Ends with `shutting_down` when the coroutine is cancelled.
    Task<store::Reply> blocking_read(store::Call call) override;
    Task<std::unique_ptr<store::Subscription>> subscribe(store::Channels channels) override;
    /// Waits for the disk once.
    boost::asio::awaitable<void> stop() override;

    /// As `call`, for a thread without a loop: it waits for the answer.
    Result<store::Reply> call_and_wait(const store::Call& call);
    /// As `stop`.
    void stop_and_wait();

    /// Copies the data of all shards, as they were at one moment, into a folder that is new or
    /// empty; service goes on meanwhile. The copy is a data folder to open. Waits for the disk.
    Result<BackupReport> backup_and_wait(const std::string& folder);

    std::size_t shard_count() const override { return shards_.size(); }
    std::size_t shard_of(std::uint16_t slot) const override { return slot % shards_.size(); }
    Result<Done> submit(std::size_t shard, Work& work) override;

    /// What each shard's journal said when it was opened; none in memory.
    const std::vector<journal::RecoveryReport>& recovery() const { return recovery_; }
    /// What was repaired when the folder was opened, if that was wanted.
    std::vector<journal::Cut> repaired() const;

    /// The worst of all shards.
    journal::Health health() const;
    std::vector<ShardFacts> facts() const;
    const MemoryGauge& memory() const { return memory_; }
    /// What its functions take for the time; never goes back.
    const Clock& clock() const { return *clock_; }
    /// What leases are judged by at `now` of that clock.
    std::chrono::microseconds lease_time(std::chrono::microseconds now) const {
        return clock_->lease_time(now);
    }
    /// Whether what its clock says is doubted at the moment.
    std::optional<ClockHold> clock_hold() const { return clock_->hold(); }
    /// Calls that were undone because they had not written what they answered: defects of the
    /// functions, or of what runs them.
    std::uint64_t broken_promises() const { return broken_promises_.load(); }
    /// Store calls of every function, over all shards; waits for each of them.
    std::vector<FunctionCount> function_counts();
    /// Every key and the name of its type, in no order; for tests and diagnosis. Waits for all
    /// shards.
    std::vector<KeyFacts> keys();
    ChannelHub& channels() { return hub_; }
    /// For whoever drives shards by hand.
    Shard& shard(std::size_t index) { return *shards_[index]; }

  private:
    explicit EmbeddedStore(EmbeddedOptions options);
    Result<std::vector<journal::JournalCopy>> copy_journals();
    Result<Done> open_folder();
    Result<Done> open_shards();
    Result<std::vector<std::unique_ptr<journal::Committer>>> open_journals();
    Result<std::unique_ptr<journal::Committer>> open_journal(std::size_t index);
    Result<Done> load_libraries();
    /// One thread for each shard.
    std::vector<std::jthread> rehearse();
    Result<std::uint32_t> stored_shards();
    ShardStateOptions state_options(std::size_t index);
    std::string info(std::string_view section) const;

    /// The shard of a command: of its slot, or the first one if it has no keys.
    Result<std::size_t> shard_of_command(const resp::Command& command) const;
    /// Hands the work over and waits for it; a refusal releases it.
    template <class Waiting>
    boost::asio::awaitable<void> wait_for(Shard& shard, Waiting& work);
    Task<store::Reply> on_every_shard(store::Call call);
    /// A pipeline with commands for all shards.
    boost::asio::awaitable<std::vector<Result<store::Reply>>> each_alone(
        std::vector<store::Call> calls);
    static Result<store::Reply> run_and_wait(Shard& shard, const resp::Command& command);
    /// Runs on one shard after the other while this thread waits; a shard that refuses is left out.
    void visit_shards(const std::function<void(Shard&)>& visit);

    EmbeddedOptions options_;
    SystemClock system_clock_{};
    std::optional<HeldClock> clock_{};
    std::unique_ptr<journal::FileSystem> own_files_{};
    std::unique_ptr<journal::FileLock> lock_{};
    std::mutex backup_mutex_{};
    ChannelHub hub_{};
    MemoryGauge memory_;
    SlowCalls slow_calls_;
    std::atomic<std::uint64_t> broken_promises_{0};
    std::vector<std::unique_ptr<Shard>> shards_{};
    std::vector<journal::RecoveryReport> recovery_{};
    std::vector<journal::Cut> repaired_facts_{};
};

}  // namespace ff::host
