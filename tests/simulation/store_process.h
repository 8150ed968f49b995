#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/task_group.h"
#include "base/timer.h"
#include "host/embedded_store.h"
#include "journal/fault_file_system.h"
#include "simulation/chances.h"
#include "simulation/history.h"
#include "simulation/planted_bugs.h"
#include "simulation/virtual_clock.h"

namespace ff::simulation {

/// The process that has the store, and the disk below it: the real shards and journals, turned by
/// hand in virtual time. It dies and comes back; what the disk has kept by then is all it knows.
class StoreProcess {
  public:
    enum class Death : std::uint8_t {
        Kill,      // all that was written is still there
        PowerCut,  // what was not synced may vanish, tear or survive in any order
    };
    struct Options {
        std::uint32_t shards = 1;
        DiskPlan disk{};
        std::string library{};
        PlantedBug::Place broken = PlantedBug::Place::Library;
    };

    StoreProcess(boost::asio::any_io_executor loop, Chances& chances, History& history,
                 Options options);

    /// One life of the process.
    struct Life {
        std::unique_ptr<journal::FaultyFileSystem> files;
        std::unique_ptr<host::EmbeddedStore> store;
        bool alive = true;
        bool fatal = false;
        std::vector<std::unique_ptr<Timer>> wakes{};
    };
    /// Of the current life; empty while it is down. Shared with the calls under way.
    std::shared_ptr<Life> life() const { return life_ && life_->alive ? life_ : nullptr; }
    /// Reads what the disk holds and runs. An error is a broken promise unless the power fails
    /// again.
    Result<Done> open();
    void die(Death death);
    /// The power fails in one of the next operations of the disk.
    void lose_power_soon(std::uint64_t operations_most);
    void set_full(bool full);
    void fail_next_sync();
    void jump_clock(Millis span);
    /// Somebody moves a log away, and back when the store has stopped. Nothing if it is down.
    boost::asio::awaitable<void> take_log_away();
    /// What servers ask before they delete or end anything.
    bool time_is_doubted() const;
    /// What leases are judged by: not later than this, and not before.
    Timestamp leases_end_by() const;
    Timestamp leases_last_until(Timestamp now) const;
    /// It uses more than its limit, the reserve for work that ends and one large call together
    /// allow.
    bool is_overfull() const;
    /// True for a time at which a clock that had leapt over a restart was still doubted.
    bool was_held(Timestamp at) const;
    /// Told of every death.
    std::function<void(Death)> on_death{};
    /// Told of a leap of the clock while it was down: that of a machine nobody was at work on.
    std::function<void()> on_leap{};

    /// The answer of a command that only reads, without time passing.
    resp::Value look(std::initializer_list<std::string_view> argv);
    void each_key(const std::function<void(std::string_view key)>& visit);
    boost::asio::awaitable<void> stop();
    /// What the store takes for the time, also while it is down.
    const Clock& clock() const { return store_time_; }

  private:
    boost::asio::awaitable<void> run_shard(std::shared_ptr<Life> life, std::size_t index);
    boost::asio::awaitable<void> run_committer(std::shared_ptr<Life> life, std::size_t index);
    /// What a store that opens has read.
    struct Content {
        std::size_t keys = 0;
        std::uint64_t records = 0;
        std::uint64_t memory = 0;
    };
    std::optional<Content> content_of(std::unique_ptr<journal::FaultyFileSystem> files);
    std::vector<std::string> shard_files() const;
    std::vector<std::string> draw_lost_files();
    /// A copy of the disk that lacks files: the store refuses it, or lacks nothing.
    void try_without_files();
    /// A copy whose newest log ends early: the store refuses it, or lacks nothing.
    void try_with_a_cut_log();
    void try_damage();
    void limit_memory();
    void set_clock_right();
    void leap_while_down();
    /// The time that nobody saw pass.
    void note_absence();
    void bring_log_back();
    void forget_marks(journal::FaultyFileSystem& files) const;
    void let_disk_lie(journal::FaultyFileSystem& files);
    host::EmbeddedOptions store_options(const std::shared_ptr<Life>& life);

    boost::asio::any_io_executor loop_;
    Chances& chances_;
    History& history_;
    Options options_;
    /// That of the machine goes wherever it is set; that of the store never back.
    class StoreTime final : public Clock {
      public:
        explicit StoreTime(const StoreProcess& process) : process_(process) {}
        std::chrono::microseconds now_us() const override;

      private:
        const StoreProcess& process_;
    };

    struct Window {
        std::chrono::microseconds from{};
        std::chrono::microseconds until{};
    };

    VirtualClock clock_{};
    std::chrono::microseconds died_at_{0};
    /// While destructive timers are held.
    std::vector<Window> holds_{};
    /// Of the last absence: leases are judged by its beginning until then.
    Window leases_{};
    /// Where a log is, and where it belongs.
    std::optional<std::pair<std::string, std::string>> away_{};
    StoreTime store_time_{*this};
    std::shared_ptr<Life> life_{};
    /// Of the store; zero for none.
    std::uint64_t memory_limit_ = 0;
    /// What the next life finds.
    std::unique_ptr<journal::FaultyFileSystem> disk_;
    bool power_fails_ = false;
    /// All that was written is on the disk, so that the marks are exact.
    bool was_killed_ = false;
    TaskGroup tasks_;
};

}  // namespace ff::simulation
