// A store that would take long to start makes a snapshot before it does, and a server says what a
// slow call has waited for.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "host/embedded_store.h"
#include "journal/fault_file_system.h"
#include "support/temp_dir.h"

namespace ff::fault {
namespace {

using namespace std::chrono_literals;

/// A store without threads: the test runs its shard and its committer.
class StoreByHand {
  public:
    explicit StoreByHand(std::uint64_t replayed_in_a_second) {
        host::EmbeddedOptions options{.folder = "data", .shards = 1, .files = &files_};
        options.shard.by_hand = [] {};
        options.shard.snapshot_log_bytes = 4U << 10;
        options.shard.recovery_target = 1s;
        auto opened = host::EmbeddedStore::open(std::move(options));
        if (!opened.has_value()) throw std::runtime_error(opened.error().text());
        store_ = std::move(*opened);
        shard().expect_replay(replayed_in_a_second);
    }
    ~StoreByHand() { store_->stop_and_wait(); }

    void fill() {
        boost::asio::co_spawn(loop_, write_all(*this),
                              [](const std::exception_ptr& thrown) { EXPECT_FALSE(thrown); });
        while (!filled_) turn();
        // What is under way comes to its end.
        constexpr int kTurns = 1000;
        for (int i = 0; i < kTurns; ++i) turn();
    }
    host::ShardFacts facts() { return shard().facts(); }

  private:
    /// Many small values: in memory they are larger than in the log.
    static boost::asio::awaitable<void> write_all(StoreByHand& by_hand) {
        constexpr int kKeys = 4000;
        std::vector<store::Call> calls;
        for (int i = 0; i < kKeys; ++i)
            calls.push_back(store::plain({"SET", "key" + std::to_string(i), "v"}, true));
        const auto replies = co_await by_hand.store_->pipeline(std::move(calls));
        for (const auto& reply : replies) EXPECT_TRUE(reply.has_value());
        by_hand.filled_ = true;
    }
    host::Shard& shard() { return store_->shard(0); }
    void turn() {
        loop_.restart();
        loop_.poll();
        shard().turn();
        const auto next = shard().committer()->next_turn();
        if (next.has_value() && *next <= std::chrono::steady_clock::now())
            shard().committer()->turn();
    }

    boost::asio::io_context loop_{1};
    bool filled_ = false;
    journal::FaultyFileSystem files_{};
    std::unique_ptr<host::EmbeddedStore> store_{};
};

TEST(SlowStart, IsPreventedByASnapshotInTime) {
    constexpr std::uint64_t kSlow = 32U << 10;
    StoreByHand store(kSlow);
    store.fill();
    EXPECT_GT(store.facts().snapshots, 0U);
    EXPECT_LT(store.facts().journal_bytes, store.facts().keyspace_bytes / 4 + kSlow);
}

TEST(SlowStart, AQuickOneNeedsNoSnapshot) {
    constexpr std::uint64_t kQuick = 1U << 30;
    StoreByHand store(kQuick);
    store.fill();
    EXPECT_GT(store.facts().journal_bytes, store.facts().keyspace_bytes / 4);
    EXPECT_LT(store.facts().journal_bytes, store.facts().keyspace_bytes);
    EXPECT_EQ(store.facts().snapshots, 0U);
}

TEST(SlowCall, OfAServerIsLoggedAndCountedWithWhatItWaitedFor) {
    const testing::TempDir folder;
    testing::BootedServer server({{"FF_DATA_DIR", folder.file("data")}, {"FF_SLOW_CALL_MS", "1"}});
    const std::string one =
        R"({"execution_kind":"k","lane_id":"l","payload":")" + std::string(2000, 'x') + "\"}";
    std::string batch = R"({"executions":[)" + one;
    constexpr int kMany = 1000;
    for (int i = 1; i < kMany; ++i) batch += "," + one;
    ASSERT_EQ(server.post("/v1/executions/batch", batch + "]}").status, 200);
    const auto line = server.process().wait_for_line(R"("event":"slow_call")");
    ASSERT_TRUE(line) << server.process().err();
    for (const char* part :
         {"queue_ms", "snapshot_ms", "functions_ms", "collector_ms", "commit_ms"})
        EXPECT_NE(line->find(part), std::string::npos) << *line;
    const std::string metrics = server.get("/metrics").body;
    EXPECT_NE(metrics.find("ff_store_slow_call_seconds_count{cause="), std::string::npos);
}

}  // namespace
}  // namespace ff::fault
