#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "journal/fault_file_system.h"
#include "store_fixture.h"
#include "support/temp_dir.h"

namespace ff::host {
namespace {

using journal::Fault;
using journal::FaultyFileSystem;
using journal::Operation;
using namespace std::chrono_literals;

/// Holds the disk's syncs until told otherwise.
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
        if (closed_) arrived_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !closed_; });
    }
    void await_arrival() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return arrived_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool closed_ = false;
    bool arrived_ = false;
};

class Durable : public StoreTest {
  protected:
    // The store goes before its disk.
    ~Durable() override { store_.reset(); }

    EmbeddedOptions options(std::uint32_t shards = 1) {
        return {.folder = "data",
                .shards = shards,
                .library = library(kLibrary),
                .files = files_.get()};
    }
    void reopen(std::unique_ptr<FaultyFileSystem> files, std::uint32_t shards = 0) {
        store_.reset();
        files_ = std::move(files);
        open(options(shards));
    }

    static constexpr std::string_view kLibrary =
        "register('both', function(keys, args) redis.call('SET', keys[1], args[1]) "
        "redis.call('SET', keys[2], args[1]) return 'ok' end)\n"
        "register('keep', function(keys, args) for i = 1, 2 do redis.ff_text('SET') "
        "redis.ff_text(keys[i]) redis.ff_argument(i) redis.ff_run() end return 'ok' end)\n"
        "register('raises', function(keys) redis.call('PUBLISH', 'c', 'never said') "
        "redis.call('XADD', keys[2], '*', 'f', 'v') redis.call('SET', keys[1], 'lost') "
        "error('after') end)\n"
        "register('tell', function(keys) redis.call('SET', keys[1], 'v') "
        "local n = redis.call('PUBLISH', 'c', 'm') return n end)";
    std::unique_ptr<FaultyFileSystem> files_ = std::make_unique<FaultyFileSystem>();
    ManualClock wall_{Timestamp(Millis(1'700'000'000'000))};
};

TEST_F(Durable, KeepsEverythingOverAStop) {
    open(options(3));
    for (int i = 0; i < 50; ++i) call({"SET", "key" + std::to_string(i), std::to_string(i)});
    call({"HSET", "h", "f", "v"});
    call({"ZADD", "z", "1.5", "m"});
    call({"XADD", "s", "MAXLEN", "~", "10", "1-1", "f", "v"});
    testing::run(loop_, store_->stop());
    reopen(files_->restart());
    EXPECT_EQ(store_->shard_count(), 3U);
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(call({"GET", "key" + std::to_string(i)}), "\"" + std::to_string(i) + "\"");
    EXPECT_EQ(call({"HGETALL", "h"}), R"({"f": "v"})");
    EXPECT_EQ(call({"ZSCORE", "z", "m"}), "(double) 1.5");
    EXPECT_EQ(call({"XLEN", "s"}), "1");
}

TEST_F(Durable, TimeDoesNotGoBackOverAKill) {
    EmbeddedOptions told = options();
    told.clock = &wall_;
    open(told);
    const Timestamp then = wall_.now();
    call({"SET", "k", "v", "PX", "1000"});
    std::unique_ptr<FaultyFileSystem> kept = files_->restart();
    wall_.set(then - 6h);
    store_.reset();
    files_ = std::move(kept);
    told.files = files_.get();
    open(told);
    EXPECT_EQ(store_->clock().now(), then);
    EXPECT_EQ(call({"GET", "k"}), "\"v\"");
    wall_.advance(1s);
    EXPECT_EQ(store_->clock().now(), then + 1s);
    EXPECT_EQ(call({"GET", "k"}), "null");
}

TEST_F(Durable, AnAnsweredWriteSurvivesAPowerCut) {
    open(options());
    for (int i = 0; i < 20; ++i) {
        call({"SET", "k", std::to_string(i)});
        auto disk = files_->crash(static_cast<std::uint64_t>(i));
        auto after = EmbeddedStore::open({.folder = "data", .files = disk.get()});
        ASSERT_TRUE(after.has_value()) << after.error().text();
        EXPECT_EQ(shown((*after)->call_and_wait(words({"GET", "k"}))),
                  "\"" + std::to_string(i) + "\"");
    }
}

/// How many records the log holds, as the start reports it.
std::uint64_t records_found(EmbeddedOptions options) {
    std::string seen;
    log::Sink former = log::set_sink([&seen](std::string_view line) { seen += line; });
    const auto store = EmbeddedStore::open(std::move(options));
    log::set_sink(std::move(former));
    constexpr std::string_view kLabel = "\"records\":";
    const std::size_t at = seen.find(kLabel);
    EXPECT_NE(at, std::string::npos) << seen;
    return at == std::string::npos ? 0 : std::stoull(seen.substr(at + kLabel.size()));
}

TEST_F(Durable, OneCallIsOneRecord) {
    open(options());
    call({"FCALL", "both", "2", "a{x}", "b{x}", "1"});
    call({"FCALL", "raises", "2", "k{x}", "x{x}"});
    call({"GET", "a{x}"});
    call({"SET", "k", "v"});
    store_.reset();
    EXPECT_EQ(records_found(options(0)), 2U) << "a call that fails and a read are none";
}

TEST_F(Durable, LongArgumentsOfFunctionsAreStoredWhole) {
    open(options());
    std::string bytes(5000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
    const std::string other(2000, 'o');
    // The first call is the one that finds out what the host offers.
    for (int i = 0; i < 3; ++i) {
        const std::string number = std::to_string(i);
        call({"FCALL", "keep", "2", "a{" + number + "}", "b{" + number + "}", bytes, other});
    }
    auto disk = files_->crash(0);
    auto after = EmbeddedStore::open({.folder = "data", .files = disk.get()});
    ASSERT_TRUE(after.has_value()) << after.error().text();
    for (int i = 0; i < 3; ++i) {
        const std::string number = std::to_string(i);
        const auto found = [&](const std::string& name) {
            return (*after)->call_and_wait(words({"GET", name + "{" + number + "}"}));
        };
        EXPECT_EQ(found("a")->text(), bytes);
        EXPECT_EQ(found("b")->text(), other);
    }
}

TEST_F(Durable, AnotherNumberOfShardsIsRefused) {
    open(options(2));
    store_.reset();
    auto opened = EmbeddedStore::open(options(3));
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, "invalid_input");
    open(options(0));
    EXPECT_EQ(store_->shard_count(), 2U);
}

TEST_F(Durable, AFolderInUseIsRefused) {
    open(options());
    EXPECT_FALSE(EmbeddedStore::open(options()).has_value());
}

TEST_F(Durable, LibrariesAreKept) {
    open(options(2));
    call({"FUNCTION", "LOAD",
          "#!lua name=more\nredis.register_function('more', function() return 'more' end)"});
    reopen(files_->crash(1));
    EXPECT_EQ(call({"FCALL", "more", "1", "a"}), "\"more\"");
    EXPECT_EQ(call({"FCALL", "more", "1", "b"}), "\"more\"");
}

TEST_F(Durable, ARefusedLibraryIsNotKept) {
    open(options());
    EXPECT_EQ(call({"FUNCTION", "LOAD", "#!lua name=bad\nx"}).substr(0, 5), "! ERR");
    reopen(files_->crash(1));
    EXPECT_EQ(call({"FUNCTION", "LIST", "LIBRARYNAME", "bad"}), "[]");
}

TEST(Ch01, S47_AllOrNoneOfACallsWritesSurviveACrash) {
    int kept = 0;
    int lost = 0;
    // A crash in each of the file operations that a call causes, with several fates of what was
    // not synced.
    for (std::uint64_t operation = 0; operation < 12; ++operation) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            FaultyFileSystem files;
            const std::string text = library(
                "register('both', function(keys, args) redis.call('SET', keys[1], args[1]) "
                "redis.call('SET', keys[2], args[1]) return 'ok' end)");
            std::unique_ptr<FaultyFileSystem> disk;
            {
                auto store = EmbeddedStore::open(
                    {.folder = "data", .shards = 1, .library = text, .files = &files});
                ASSERT_TRUE(store.has_value());
                ASSERT_TRUE((*store)
                                ->call_and_wait(words({"FCALL", "both", "2", "a{x}", "b{x}", "0"}))
                                .has_value());
                files.fail_at(files.operations() + operation, Fault::Crash);
                for (int i = 1; i < 4; ++i)
                    static_cast<void>((*store)->call_and_wait(
                        words({"FCALL", "both", "2", "a{x}", "b{x}", std::to_string(i)})));
                disk = files.crash(seed);
            }
            auto after = EmbeddedStore::open({.folder = "data", .files = disk.get()});
            ASSERT_TRUE(after.has_value()) << after.error().text();
            const std::string a = shown((*after)->call_and_wait(words({"GET", "a{x}"})));
            EXPECT_EQ(a, shown((*after)->call_and_wait(words({"GET", "b{x}"}))));
            ++(a == "\"3\"" ? kept : lost);
        }
    }
    EXPECT_GT(kept, 0);
    EXPECT_GT(lost, 0);
}

TEST(Ch01, S48_WritesBeforeAnErrorAreUndone) {
    FaultyFileSystem files;
    const std::string text = library(
        "register('raises', function(keys) redis.call('SET', keys[1], 'lost') "
        "redis.call('HSET', keys[2], 'f', 'lost', 'g', 'lost') redis.call('SET', keys[3], 'lost') "
        "error('after') end)");
    auto store =
        EmbeddedStore::open({.folder = "data", .shards = 1, .library = text, .files = &files});
    const auto run = [](EmbeddedStore& on, const std::vector<std::string>& command) {
        return shown(on.call_and_wait(words(command)));
    };
    run(**store, {"SET", "s{x}", "before"});
    run(**store, {"HSET", "h{x}", "f", "before"});
    EXPECT_EQ(run(**store, {"FCALL", "raises", "3", "s{x}", "h{x}", "n{x}"}),
              "! ERR user_function:3: after script: raises, on @user_function:3.");
    const auto unchanged = [&run](EmbeddedStore& on) {
        EXPECT_EQ(run(on, {"GET", "s{x}"}), "\"before\"");
        EXPECT_EQ(run(on, {"HGETALL", "h{x}"}), "{\"f\": \"before\"}");
        EXPECT_EQ(run(on, {"EXISTS", "n{x}"}), "0");
    };
    unchanged(**store);
    run(**store, {"SET", "later{x}", "v"});
    auto disk = files.crash(1);
    auto after = EmbeddedStore::open({.folder = "data", .files = disk.get()});
    ASSERT_TRUE(after.has_value()) << after.error().text();
    unchanged(**after);
    EXPECT_EQ(run(**after, {"GET", "later{x}"}), "\"v\"");
}

TEST_F(Durable, ACallThatFailsIsNeitherToldNorStored) {
    open(options());
    auto subscription = std::move(*testing::run(loop_, store_->subscribe({.names = {"c"}})));
    EXPECT_EQ(call({"FCALL", "raises", "2", "k{x}", "x{x}"}).substr(0, 5), "! ERR");
    EXPECT_EQ(call({"FCALL", "tell", "1", "k{x}"}), "1");
    const auto heard = testing::run(loop_, subscription->next(Deadline::after(20s)));
    ASSERT_TRUE(heard->has_value());
    EXPECT_EQ((*heard)->message, "m") << "what the failed call had published is not the first";
    subscription.reset();
    reopen(files_->crash(1));
    EXPECT_EQ(call({"EXISTS", "x{x}"}), "0");
}

TEST_F(Durable, NothingIsAnsweredOrToldBeforeItIsOnDisk) {
    open(options());
    auto subscription = std::move(*testing::run(loop_, store_->subscribe({.names = {"c"}})));
    Gate gate;
    files_->set_hook([&gate](Operation operation, const std::string&) {
        if (operation == Operation::Sync) gate.pass();
    });
    gate.close();
    std::atomic<bool> written{false};
    std::atomic<bool> read{false};
    std::thread writer([&] {
        EXPECT_EQ(shown(store_->call_and_wait(words({"FCALL", "tell", "1", "k"}))), "1");
        written = true;
    });
    gate.await_arrival();
    // The read sees the write, so it must wait for it too.
    std::thread reader([&] {
        EXPECT_EQ(shown(store_->call_and_wait(words({"GET", "k"}))), "\"v\"");
        read = true;
    });
    ASSERT_TRUE(testing::wait_until([&] { return store_->facts()[0].commands == 2; }));
    EXPECT_FALSE(written);
    EXPECT_FALSE(read);
    const auto silence = testing::run(loop_, subscription->next(Deadline::after(20ms)));
    EXPECT_FALSE(silence->has_value());
    gate.open();
    writer.join();
    reader.join();
    EXPECT_TRUE(written);
    EXPECT_TRUE(read);
    const auto heard = testing::run(loop_, subscription->next(Deadline::after(20s)));
    ASSERT_TRUE(heard->has_value());
    EXPECT_EQ((*heard)->message, "m");
}

TEST_F(Durable, AFullDiskIsRefusedAtOnceAndRecoversAlone) {
    open(options());
    ASSERT_EQ(call({"SET", "k", "before"}), "OK");
    files_->set_full(true);
    // A write larger than what the log has in reserve.
    const std::string large(3U << 20, 'x');
    const auto stuck = testing::run(loop_, store_->call(words({"SET", "large", large})));
    ASSERT_FALSE(stuck.has_value());
    EXPECT_EQ(stuck.error().code, "storage_error");
    EXPECT_EQ(stuck.error().kind, "fatal_receive");
    EXPECT_EQ(store_->health().state, journal::Health::State::NoSpace);
    for (const char* command : {"GET", "EXISTS"}) {
        const auto refused = testing::run(loop_, store_->call(words({command, "k"})));
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().kind, "try_again");
        EXPECT_EQ(refused.error().cls, ErrorClass::Retryable);
        EXPECT_NE(refused.error().message.find("cannot write"), std::string::npos);
    }
    files_->set_full(false);
    ASSERT_TRUE(testing::wait_until(
        [&] { return store_->health().state == journal::Health::State::Good; }));
    // What was applied and not answered is there, and is stored now.
    EXPECT_EQ(call({"STRLEN", "large"}), std::to_string(large.size()));
    EXPECT_EQ(call({"SET", "k", "after"}), "OK");
    reopen(files_->crash(0));
    EXPECT_EQ(call({"GET", "k"}), "\"after\"");
    EXPECT_EQ(call({"STRLEN", "large"}), std::to_string(large.size()));
}

TEST_F(Durable, AFailedSyncIsFinal) {
    std::atomic<int> fatal{0};
    EmbeddedOptions with_alarm = options();
    with_alarm.on_fatal = [&fatal](const Error&) { ++fatal; };
    open(std::move(with_alarm));
    call({"SET", "k", "good"});
    files_->fail_next(Operation::Sync, Fault::Io);
    const auto failed = testing::run(loop_, store_->call(words({"SET", "k", "bad"})));
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, "storage_error");
    ASSERT_TRUE(testing::wait_until([&] { return fatal == 1; }));
    EXPECT_EQ(store_->health().state, journal::Health::State::Failed);
    EXPECT_FALSE(testing::run(loop_, store_->call(words({"GET", "k"}))).has_value());
    reopen(files_->crash(0));
    EXPECT_EQ(call({"GET", "k"}), "\"good\"");
}

TEST_F(Durable, SnapshotsBoundTheLogWhileWritesGoOn) {
    EmbeddedOptions small = options();
    small.shard.snapshot_log_bytes = 64U << 10;
    small.shard.snapshot_slice_bytes = 1U << 10;
    open(std::move(small));
    const std::string value(500, 'v');
    for (int round = 0; round < 20; ++round) {
        std::vector<store::Call> calls;
        for (int i = 0; i < 40; ++i)
            calls.push_back(
                words({"SET", "key" + std::to_string(i), value + std::to_string(round)}));
        for (const auto& reply : testing::run(loop_, store_->pipeline(std::move(calls))))
            ASSERT_EQ(shown(reply), "OK");
    }
    const auto has_snapshot = [&] {
        for (const std::string& path : files_->paths())
            if (path.ends_with(".ffs")) return true;
        return false;
    };
    EXPECT_TRUE(testing::wait_until(has_snapshot));
    reopen(files_->crash(3));
    for (int i = 0; i < 40; ++i)
        EXPECT_EQ(call({"GET", "key" + std::to_string(i)}), "\"" + value + "19\"");
}

TEST_F(Durable, KeysThatAreDueGoWithoutBeingTouched) {
    ManualClock clock(timestamp_from_ms(1'000'000));
    EmbeddedOptions with_clock = options();
    with_clock.clock = &clock;
    open(std::move(with_clock));
    for (int i = 0; i < 500; ++i) call({"SET", "key" + std::to_string(i), "v", "PX", "100"});
    call({"SET", "stays", "v"});
    clock.advance(200ms);
    EXPECT_TRUE(testing::wait_until([&] { return store_->facts()[0].keys == 1; }));
    EXPECT_EQ(call({"GET", "key1"}), "null");
    EXPECT_EQ(call({"GET", "stays"}), "\"v\"");
}

TEST_F(Durable, RealFilesWork) {
    const testing::TempDir folder;
    for (const auto fsync :
         {journal::Fsync::Always, journal::Fsync::Interval, journal::Fsync::Off}) {
        const std::string key = "key" + std::to_string(static_cast<int>(fsync));
        {
            auto store =
                EmbeddedStore::open({.folder = folder.file("data"), .fsync = fsync, .shards = 2});
            ASSERT_TRUE(store.has_value()) << store.error().text();
            EXPECT_EQ(shown((*store)->call_and_wait(words({"SET", key, "v"}))), "OK");
        }
        auto again = EmbeddedStore::open({.folder = folder.file("data")});
        ASSERT_TRUE(again.has_value()) << again.error().text();
        EXPECT_EQ(shown((*again)->call_and_wait(words({"GET", key}))), "\"v\"");
    }
}

}  // namespace
}  // namespace ff::host
