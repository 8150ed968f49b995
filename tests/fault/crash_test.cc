#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "base/random.h"
#include "store_process.h"
#include "support/temp_dir.h"

// A store is killed with SIGKILL in the middle of its work, again and again on one folder. After
// each restart everything that was acknowledged is there, and everything that anybody was shown.

namespace ff::fault {
namespace {

using ff::testing::RespConnection;
using ff::testing::RespValue;
using ff::testing::TempDir;

constexpr int kWriters = 3;
constexpr std::uint64_t kAcksMost = 3000;

constexpr const char* kLibrary =
    "#!lua name=crash\n"
    "redis.register_function('pair', function(keys, args)\n"
    "  redis.call('SET', keys[1], args[1])\n"
    "  redis.call('HSET', keys[2], 'n', args[1])\n"
    "  redis.call('XADD', keys[3], 'MAXLEN', '=', '50', args[1] .. '-1', 'n', args[1])\n"
    "  return args[1]\n"
    "end)\n";

std::string key_of(int writer, std::string_view what) {
    return "{w" + std::to_string(writer) + "}:" + std::string(what);
}

/// What one writer was promised. Its numbers only grow; each is written to several keys at once.
struct Promise {
    std::atomic<std::uint64_t> tried = 0;
    std::atomic<std::uint64_t> acknowledged = 0;
    std::atomic<std::uint64_t> shown = 0;  // the highest that a read has answered

    std::uint64_t least() const { return std::max(acknowledged.load(), shown.load()); }
};

class CrashRun {
  public:
    explicit CrashRun(std::uint64_t seed) : random_(seed) {}

    /// One life of the store: work until some number of acknowledgements, then SIGKILL.
    void live_and_die() {
        StoreProcess store(folder_.path().string(), kSettings);
        verify(store);
        if (::testing::Test::HasFatalFailure()) return;
        const std::uint64_t acks = 1 + random_.below(kAcksMost);
        std::atomic<std::uint64_t> acked = 0;
        std::atomic<bool> over = false;
        std::vector<std::thread> clients;
        for (int writer = 0; writer < kWriters; ++writer) {
            clients.emplace_back([&, writer] { write(store.port(), writer, acked, over); });
        }
        clients.emplace_back([&] { read(store.port(), over); });
        while (acked < acks && !over) acked.wait(acked.load());
        store.process().kill();
        over = true;
        for (std::thread& client : clients) client.join();
    }

    void verify(StoreProcess& store) {
        RespConnection connection = store.connect();
        const RespValue loaded = connection("FUNCTION", "LOAD", "REPLACE", kLibrary);
        ASSERT_EQ(loaded.text, "crash");
        for (int writer = 0; writer < kWriters; ++writer) verify_writer(connection, writer);
    }

    std::uint64_t acknowledged() const {
        std::uint64_t sum = 0;
        for (const Promise& promise : promises_) sum += promise.acknowledged;
        return sum;
    }
    std::string folder() const { return folder_.path().string(); }

    static inline const std::vector<std::string> kSettings = {"shards=2", "snapshot=60000"};

  private:
    void verify_writer(RespConnection& connection, int writer) {
        Promise& promise = promises_[static_cast<std::size_t>(writer)];
        const RespValue value = connection("GET", key_of(writer, "text"));
        const std::uint64_t found = value.is_null() ? 0 : std::stoull(value.text);
        ASSERT_GE(found, promise.least()) << "writer " << writer << " lost what was acknowledged";
        ASSERT_LE(found, promise.tried) << "writer " << writer;
        // A call is there whole or not at all.
        const RespValue field = connection("HGET", key_of(writer, "hash"), "n");
        EXPECT_EQ(field.is_null() ? 0 : std::stoull(field.text), found);
        const RespValue last =
            connection("XREVRANGE", key_of(writer, "stream"), "+", "-", "COUNT", "1");
        if (found > 0) {
            ASSERT_EQ(last.items.size(), 1U);
            EXPECT_EQ(last.items[0].items[0].text, std::to_string(found) + "-1");
        }
        promise.acknowledged = found;
        promise.tried = found;
        promise.shown = found;
    }

    /// Pipelines of calls, each with a greater number than the one before.
    void write(std::uint16_t port, int writer, std::atomic<std::uint64_t>& acked,
               std::atomic<bool>& over) {
        Promise& promise = promises_[static_cast<std::size_t>(writer)];
        Result<RespConnection> connection = RespConnection::try_connect(port);
        const std::size_t depth = writer == 0 ? 1 : 8;
        while (connection && !over) {
            std::string bytes;
            std::uint64_t number = promise.acknowledged;
            for (std::size_t i = 0; i < depth; ++i) {
                bytes += RespConnection::encode({"FCALL", "pair", "3", key_of(writer, "text"),
                                                 key_of(writer, "hash"), key_of(writer, "stream"),
                                                 std::to_string(++number)});
            }
            promise.tried = number;
            if (!connection->send_raw(bytes)) break;
            for (std::size_t i = 0; i < depth; ++i) {
                Result<RespValue> reply = connection->read();
                if (!reply) return finish(acked, over);
                EXPECT_FALSE(reply->is_error()) << reply->text;
                promise.acknowledged = promise.acknowledged + 1;
                ++acked;
                acked.notify_all();
            }
        }
        finish(acked, over);
    }

    /// The connection is gone: nobody may wait for more acknowledgements.
    static void finish(std::atomic<std::uint64_t>& acked, std::atomic<bool>& over) {
        over = true;
        ++acked;
        acked.notify_all();
    }

    void read(std::uint16_t port, std::atomic<bool>& over) {
        Result<RespConnection> connection = RespConnection::try_connect(port);
        while (connection && !over) {
            for (int writer = 0; writer < kWriters; ++writer) {
                const Result<RespValue> value =
                    connection->try_command({"GET", key_of(writer, "text")});
                if (!value) return;
                if (value->is_null()) continue;
                promises_[static_cast<std::size_t>(writer)].shown = std::stoull(value->text);
            }
        }
    }

    SeededRandom random_;
    TempDir folder_;
    std::array<Promise, kWriters> promises_;
};

TEST(Crash, LosesNothingThatWasAcknowledgedOrShown) {
    const int rounds = std::getenv("FF_SOAK") != nullptr ? 200 : 20;
    constexpr std::uint64_t kSeed = 20;
    CrashRun run(kSeed);
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        run.live_and_die();
        if (HasFailure()) return;
    }
    StoreProcess store(run.folder(), CrashRun::kSettings);
    run.verify(store);
    EXPECT_GT(run.acknowledged(), static_cast<std::uint64_t>(rounds));
    store.process().signal(SIGTERM);
    EXPECT_EQ(store.process().wait_for_exit(), 0);
}

TEST(Crash, ASecondProcessOnTheFolderIsRefusedAndToldTheFirst) {
    const TempDir folder;
    StoreProcess first(folder.path().string(), {"shards=1"});
    const ff::testing::CommandResult second =
        StoreProcess::run(folder.path().string(), {"shards=1"});
    EXPECT_EQ(second.exit_code, 3);
    EXPECT_NE(second.err.find("in use by process " + std::to_string(first.process().pid())),
              std::string::npos)
        << second.err;
    EXPECT_NE(second.err.find(folder.path().string()), std::string::npos);
    EXPECT_EQ(first.connect()("PING").text, "PONG");
    // A killed process leaves no lock behind.
    first.process().kill();
    StoreProcess third(folder.path().string(), {"shards=1"});
    EXPECT_EQ(third.connect()("PING").text, "PONG");
}

TEST(Crash, AnotherNumberOfShardsIsRefused) {
    const TempDir folder;
    {
        StoreProcess first(folder.path().string(), {"shards=2"});
    }
    const ff::testing::CommandResult other =
        StoreProcess::run(folder.path().string(), {"shards=3"});
    EXPECT_EQ(other.exit_code, 3);
    EXPECT_NE(other.err.find("2 shards"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace ff::fault
