#include "journal/committer.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "journal/fault_file_system.h"

namespace ff::journal {
namespace {

constexpr std::chrono::seconds kPatience{20};

/// What the released ticks were told, in the order of their release.
class Releases {
  public:
    void add(std::string name, const Result<Done>& outcome) {
        const std::lock_guard lock(mutex_);
        names_.push_back(std::move(name));
        if (!outcome) errors_.push_back(outcome.error());
        came_.notify_all();
    }
    bool wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        return came_.wait_for(lock, kPatience, [&] { return names_.size() >= count; });
    }
    std::vector<std::string> names() const {
        const std::lock_guard lock(mutex_);
        return names_;
    }
    std::vector<Error> errors() const {
        const std::lock_guard lock(mutex_);
        return errors_;
    }

  private:
    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::vector<std::string> names_;
    std::vector<Error> errors_;
};

class NamedBatch final : public Batch {
  public:
    NamedBatch(Releases& releases, std::string name)
        : releases_(releases), name_(std::move(name)) {}
    void release(const Result<Done>& outcome) override { releases_.add(name_, outcome); }

  private:
    Releases& releases_;
    std::string name_;
};

/// Lets a test hold the disk.
class Gate {
  public:
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    void open() {
        const std::lock_guard lock(mutex_);
        closed_ = false;
        changed_.notify_all();
    }
    void pass() {
        std::unique_lock lock(mutex_);
        arrived_ = arrived_ || closed_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !closed_; });
    }
    bool wait_for_arrival() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kPatience, [this] { return arrived_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool closed_ = false;
    bool arrived_ = false;
};

class Content final : public RecordVisitor {
  public:
    Result<Done> snapshot_chunk(std::string_view chunk) override { return add(chunk); }
    Result<Done> record(std::string_view payload) override { return add(payload); }
    std::vector<std::string> items;

  private:
    Result<Done> add(std::string_view item) {
        items.emplace_back(item);
        return Done{};
    }
};

class CommitterTest : public testing::Test {
  protected:
    void start(CommitterOptions options = {}) {
        Content content;
        Result<Opened> opened = Journal::open(files, "shard", journal_options, content);
        ASSERT_TRUE(opened);
        options.retry_least = std::chrono::milliseconds(1);
        options.retry_most = std::chrono::milliseconds(2);
        committer = std::make_unique<Committer>(std::move(opened->journal), std::move(options));
    }
    Tick tick(const std::string& name, const std::vector<std::string>& records) {
        Tick made{.batch = std::make_unique<NamedBatch>(releases, name)};
        for (const std::string& record : records) made.records.add(record);
        return made;
    }
    void hold_syncs() {
        gate.close();
        files.set_hook([this](Operation operation, const std::string&) {
            if (operation == Operation::Sync) gate.pass();
        });
    }
    std::vector<std::string> found_after_power_cut() {
        Content content;
        const std::unique_ptr<FaultyFileSystem> found = files.crash(0);
        EXPECT_TRUE(Journal::open(*found, "shard", journal_options, content));
        return content.items;
    }
    bool wait_for_health(Health::State state) {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (committer->health().state != state) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::yield();
        }
        return true;
    }

    using Names = std::vector<std::string>;
    FaultyFileSystem files;
    JournalOptions journal_options{.segment_bytes = 1U << 20, .grow_bytes = 4096};
    Releases releases;
    Gate gate;
    std::unique_ptr<Committer> committer;
};

TEST_F(CommitterTest, ReleasesATickOnlyWhenItsRecordsAreDurable) {
    start();
    hold_syncs();
    committer->submit(tick("a", {"one"}));
    ASSERT_TRUE(gate.wait_for_arrival());
    EXPECT_TRUE(releases.names().empty());
    EXPECT_TRUE(found_after_power_cut().empty());
    gate.open();
    ASSERT_TRUE(releases.wait_for(1));
    EXPECT_TRUE(releases.errors().empty());
    EXPECT_EQ(found_after_power_cut(), Names{"one"});
}

TEST_F(CommitterTest, AReadWaitsForTheWritesItMayHaveSeen) {
    start();
    hold_syncs();
    committer->submit(tick("write", {"one"}));
    ASSERT_TRUE(gate.wait_for_arrival());
    committer->submit(tick("read", {}));
    EXPECT_TRUE(releases.names().empty());
    gate.open();
    ASSERT_TRUE(releases.wait_for(2));
    EXPECT_EQ(releases.names(), (Names{"write", "read"}));
}

TEST_F(CommitterTest, AReadOfAQuietShardIsReleasedAtOnce) {
    start();
    committer->submit(tick("read", {}));
    EXPECT_EQ(releases.names(), Names{"read"});
    EXPECT_EQ(committer->counts().groups, 0U);
}

TEST_F(CommitterTest, WhatComesDuringASyncBecomesOneGroup) {
    start();
    hold_syncs();
    committer->submit(tick("first", {"0"}));
    ASSERT_TRUE(gate.wait_for_arrival());
    const std::uint64_t syncs = files.count(Operation::Sync);
    const std::uint64_t writes = files.count(Operation::Write);
    for (int i = 1; i <= 20; ++i) {
        committer->submit(tick(std::to_string(i), {std::to_string(i)}));
    }
    gate.open();
    ASSERT_TRUE(releases.wait_for(21));
    // The one that was held, and one for all the others.
    EXPECT_EQ(files.count(Operation::Sync) - syncs, 2U);
    EXPECT_EQ(files.count(Operation::Write) - writes, 1U);
    EXPECT_EQ(releases.names()[20], "20");
    EXPECT_EQ(found_after_power_cut().size(), 21U);
    EXPECT_EQ(committer->counts().groups, 2U);
    EXPECT_EQ(committer->counts().records, 21U);
}

TEST_F(CommitterTest, TheMemoryOfStoredRecordsCanBeUsedAgain) {
    start();
    EXPECT_LT(committer->spare_records().capacity(), 1000U);
    committer->submit(tick("a", {std::string(100'000, 'a')}));
    ASSERT_TRUE(releases.wait_for(1));
    committer->submit(tick("b", {std::string(50'000, 'b')}));
    ASSERT_TRUE(releases.wait_for(2));
    // The journal has kept the memory of the last group.
    Tick next = tick("c", {});
    next.records = committer->spare_records();
    EXPECT_GE(next.records.capacity(), 100'000U);
    EXPECT_TRUE(next.records.empty());
    EXPECT_EQ(next.records.bytes(), 0U);
    EXPECT_LT(committer->spare_records().capacity(), 1000U);
    next.records.add("c");
    committer->submit(std::move(next));
    ASSERT_TRUE(releases.wait_for(3));
    EXPECT_EQ(found_after_power_cut(),
              (Names{std::string(100'000, 'a'), std::string(50'000, 'b'), "c"}));
}

TEST_F(CommitterTest, KeepsSpareMemoryWithinBounds) {
    start();
    hold_syncs();
    committer->submit(tick("first", {"0"}));
    ASSERT_TRUE(gate.wait_for_arrival());
    for (int i = 0; i < 7; ++i) committer->submit(tick("t", {std::string(3U << 20, 'x')}));
    committer->submit(tick("too large", {std::string(5U << 20, 'x')}));
    for (int i = 0; i < 40; ++i) committer->submit(tick("small", {std::string(5000, 'x')}));
    gate.open();
    ASSERT_TRUE(releases.wait_for(49));
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (true) {
        const std::size_t spare = committer->spare_records().capacity();
        if (spare < 1000) break;
        EXPECT_LE(spare, 4U << 20);
        ++count;
        bytes += spare;
    }
    EXPECT_EQ(count, 16U);
    EXPECT_GE(bytes, 12U << 20);
    EXPECT_LE(bytes, 16U << 20);
}

TEST_F(CommitterTest, AFullQueueRefusesOrWaits) {
    start({.queue_bytes_max = 1000});
    hold_syncs();
    committer->submit(tick("a", {std::string(900, 'a')}));
    ASSERT_TRUE(gate.wait_for_arrival());
    Tick second = tick("b", {std::string(900, 'b')});
    EXPECT_FALSE(committer->try_submit(second));
    EXPECT_EQ(second.records.count(), 1U);
    std::thread shard([&] { committer->submit(std::move(second)); });
    gate.open();
    shard.join();
    ASSERT_TRUE(releases.wait_for(2));
    EXPECT_EQ(releases.names(), (Names{"a", "b"}));
}

TEST_F(CommitterTest, WithoutSpaceNothingIsAcknowledgedAndItRecoversAlone) {
    start();
    files.set_full(true);
    committer->submit(tick("a", {std::string(8000, 'a')}));
    ASSERT_TRUE(releases.wait_for(1));
    EXPECT_FALSE(committer->healthy());
    EXPECT_EQ(committer->health().state, Health::State::NoSpace);
    committer->submit(tick("b", {"b"}));
    committer->submit(tick("read", {}));
    ASSERT_TRUE(releases.wait_for(3));
    ASSERT_EQ(releases.errors().size(), 3U);
    EXPECT_EQ(releases.errors()[0].code, "storage_error");
    EXPECT_EQ(releases.errors()[0].kind, "fatal_receive");
    files.set_full(false);
    ASSERT_TRUE(wait_for_health(Health::State::Good));
    EXPECT_TRUE(committer->healthy());
    committer->submit(tick("c", {"c"}));
    ASSERT_TRUE(releases.wait_for(4));
    EXPECT_EQ(releases.errors().size(), 3U);
    // What was refused was applied in memory, so it must be in the log before anything after it.
    EXPECT_EQ(found_after_power_cut(), (Names{std::string(8000, 'a'), "b", "c"}));
}

TEST_F(CommitterTest, WithoutSpaceWhatWasLentIsKept) {
    start();
    files.set_full(true);
    std::string stuck(8000, 'a');
    std::string held(5000, 'b');
    const auto lending = [&](const std::string& name, const std::string& bytes) {
        Tick made = tick(name, {});
        made.records.begin();
        made.records.lent().add(made.records.buffer().size(), bytes);
        made.records.end();
        return made;
    };
    committer->submit(lending("a", stuck));
    ASSERT_TRUE(releases.wait_for(1));
    committer->submit(lending("b", held));
    ASSERT_TRUE(releases.wait_for(2));
    // Whoever was answered, if only with an error, does what he likes with them.
    stuck.assign(stuck.size(), '?');
    held.assign(held.size(), '?');
    files.set_full(false);
    ASSERT_TRUE(wait_for_health(Health::State::Good));
    EXPECT_EQ(found_after_power_cut(), (Names{std::string(8000, 'a'), std::string(5000, 'b')}));
}

TEST_F(CommitterTest, TooMuchAppliedWithoutSpaceIsFatal) {
    start({.queue_bytes_max = 1000});
    files.set_full(true);
    for (int i = 0; i < 40; ++i) committer->submit(tick("t", {std::string(900, 'a')}));
    ASSERT_TRUE(wait_for_health(Health::State::Failed));
    ASSERT_TRUE(releases.wait_for(40));
}

TEST_F(CommitterTest, AFailedSyncIsFatalAndToldOnceAfterAllWereReleased) {
    std::atomic<int> fatal = 0;
    std::size_t released_before = 0;
    start({.on_fatal = [&](const Error&) {
        released_before = releases.names().size();
        ++fatal;
    }});
    files.fail_next(Operation::Sync, Fault::Io);
    hold_syncs();
    committer->submit(tick("a", {"a"}));
    ASSERT_TRUE(gate.wait_for_arrival());
    committer->submit(tick("b", {"b"}));
    committer->submit(tick("read", {}));
    gate.open();
    ASSERT_TRUE(releases.wait_for(3));
    EXPECT_EQ(releases.errors().size(), 3U);
    committer->submit(tick("later", {}));
    ASSERT_TRUE(releases.wait_for(4));
    committer->stop();
    EXPECT_EQ(fatal, 1);
    EXPECT_GE(released_before, 3U);
    EXPECT_EQ(committer->health().state, Health::State::Failed);
    EXPECT_TRUE(found_after_power_cut().empty());
}

TEST_F(CommitterTest, IntervalReleasesWhenWrittenAndSyncsLater) {
    start({.fsync = Fsync::Interval, .interval = std::chrono::milliseconds(1)});
    hold_syncs();
    committer->submit(tick("a", {"a"}));
    ASSERT_TRUE(releases.wait_for(1));
    ASSERT_TRUE(gate.wait_for_arrival());
    EXPECT_TRUE(found_after_power_cut().empty());
    gate.open();
    committer->stop();
    EXPECT_EQ(found_after_power_cut(), Names{"a"});
}

TEST_F(CommitterTest, OffSyncsOnlyWhenItStops) {
    start({.fsync = Fsync::Off});
    const std::uint64_t syncs = files.count(Operation::Sync);
    for (int i = 0; i < 5; ++i) committer->submit(tick("t", {"x"}));
    ASSERT_TRUE(releases.wait_for(5));
    EXPECT_EQ(files.count(Operation::Sync), syncs);
    committer->stop();
    EXPECT_EQ(found_after_power_cut().size(), 5U);
}

TEST_F(CommitterTest, ASnapshotReplacesTheLogBeforeItAndNothingAfter) {
    start();
    committer->submit(tick("a", {"a"}));
    committer->submit(tick("b", {"b"}));
    Releases snapshots;
    committer->begin_snapshot([&](const Result<Done>& outcome) { snapshots.add("s", outcome); });
    committer->submit(tick("c", {"c"}));
    EXPECT_TRUE(committer->write_snapshot_chunk(ByteBuffer("A")));
    committer->submit(tick("d", {"d"}));
    EXPECT_TRUE(committer->write_snapshot_chunk(ByteBuffer("B")));
    committer->finish_snapshot();
    ASSERT_TRUE(snapshots.wait_for(1));
    EXPECT_TRUE(snapshots.errors().empty());
    ASSERT_TRUE(releases.wait_for(4));
    EXPECT_EQ(found_after_power_cut(), (Names{"A", "B", "c", "d"}));
    EXPECT_FALSE(files.has("shard/" + segment_name(1)));
    EXPECT_EQ(committer->counts().snapshots, 1U);
    EXPECT_LT(committer->replay_bytes(), 100U);
}

TEST_F(CommitterTest, AnAbandonedOrFailedSnapshotLeavesTheLogAlone) {
    start();
    committer->submit(tick("a", {"a"}));
    Releases snapshots;
    const auto done = [&](const Result<Done>& outcome) { snapshots.add("s", outcome); };
    committer->begin_snapshot(done);
    EXPECT_TRUE(committer->write_snapshot_chunk(ByteBuffer("A")));
    committer->abandon_snapshot();
    EXPECT_FALSE(committer->write_snapshot_chunk(ByteBuffer("B")));
    ASSERT_TRUE(snapshots.wait_for(1));

    files.fail_next(Operation::Remove, Fault::Io);
    files.fail_next(Operation::Write, Fault::NoSpace);
    committer->begin_snapshot(done);
    ASSERT_TRUE(snapshots.wait_for(2));
    EXPECT_FALSE(committer->write_snapshot_chunk(ByteBuffer("A")));
    committer->finish_snapshot();
    EXPECT_EQ(snapshots.errors().size(), 2U);

    committer->submit(tick("b", {"b"}));
    ASSERT_TRUE(releases.wait_for(2));
    EXPECT_TRUE(releases.errors().empty());
    EXPECT_EQ(found_after_power_cut(), (Names{"a", "b"}));
}

TEST_F(CommitterTest, ACopyHoldsExactlyWhatWasSubmittedBeforeIt) {
    start();
    committer->submit(tick("a", {"a"}));
    Releases snapshots;
    committer->begin_snapshot([&](const Result<Done>& outcome) { snapshots.add("s", outcome); });
    EXPECT_TRUE(committer->write_snapshot_chunk(ByteBuffer("A")));
    committer->finish_snapshot();
    ASSERT_TRUE(snapshots.wait_for(1));
    committer->submit(tick("b", {"b"}));
    std::promise<Result<JournalCopy>> promise;
    committer->begin_copy([&](Result<JournalCopy> copy) { promise.set_value(std::move(copy)); });
    committer->submit(tick("c", {"c"}));
    // The names of the copied files may go before they are read.
    committer->begin_snapshot([&](const Result<Done>& outcome) { snapshots.add("s", outcome); });
    committer->finish_snapshot();
    ASSERT_TRUE(snapshots.wait_for(2));
    Result<JournalCopy> copy = promise.get_future().get();
    ASSERT_TRUE(copy) << copy.error().text();
    EXPECT_EQ(copy->records(), 2U);
    ASSERT_TRUE(copy->write_to(files, "copy"));
    Content content;
    ASSERT_TRUE(Journal::open(*files.crash(0), "copy", journal_options, content));
    EXPECT_EQ(content.items, (Names{"A", "b"}));
}

TEST_F(CommitterTest, StopStoresWhatWasSubmittedAndRefusesTheRest) {
    start();
    for (int i = 0; i < 10; ++i) committer->submit(tick("t", {"x"}));
    Releases snapshots;
    committer->begin_snapshot([&](const Result<Done>& outcome) { snapshots.add("s", outcome); });
    committer->stop();
    EXPECT_EQ(releases.names().size(), 10U);
    EXPECT_EQ(snapshots.errors().size(), 1U);
    EXPECT_EQ(found_after_power_cut().size(), 10U);
    committer->submit(tick("late", {"y"}));
    EXPECT_EQ(releases.errors().size(), 1U);
}

}  // namespace
}  // namespace ff::journal
