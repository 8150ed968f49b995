// A real server whose clock is set while it runs or while it is stopped, and one that is held up:
// nothing is lost by it, and workers that could not renew keep their leases.

#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::BootedServer;
using testing::Environment;
using testing::HttpReply;
using testing::wait_until;

using namespace std::chrono_literals;

class SetClock : public ::testing::Test {
  protected:
    SetClock() { set_clock(0ms); }

    /// So far is the server's clock ahead of this machine's from now on.
    void set_clock(Millis ahead) const {
        const std::int64_t bytes = ahead.count();
        std::fstream file(shift_, std::ios::binary | std::ios::in | std::ios::out);
        if (!file.is_open()) file.open(shift_, std::ios::binary | std::ios::out);
        file.write(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    }
    void start(Environment more = {}) {
        more.insert(more.end(), {{"FF_DATA_DIR", folder_.file("data")},
                                 {"LD_PRELOAD", FF_SHIFTED_CLOCK},
                                 {"FF_SHIFTED_CLOCK_FILE", shift_},
                                 {"FF_RETENTION_TRIMMER_INTERVAL_S", "1"},
                                 {"FF_LEASE_EXPIRY_INTERVAL_MS", "100"}});
        server_ = std::make_unique<BootedServer>(std::move(more));
        server_->port();
    }
    void stop() const {
        server_->process().signal(SIGTERM);
        ASSERT_EQ(server_->process().wait_for_exit(), 0) << server_->process().err();
    }
    struct Lease {
        std::string path{};
        std::string token{};
    };
    Lease claim(const std::string& worker, int ttl_ms, int wait_ms) const {
        const HttpReply reply = server_->post(
            "/v1/workers/" + worker + "/tasks/claim",
            R"({"worker_instance_id":")" + worker + R"(-1","lanes":["l"],"wait_ms":)" +
                std::to_string(wait_ms) + R"(,"lease_ttl_ms":)" + std::to_string(ttl_ms) + "}");
        if (reply.status != 200) return {};
        return {.path = "/v1/executions/" + BootedServer::value_of(reply.body, "execution_id"),
                .token = BootedServer::value_of(reply.body, "task_token")};
    }
    Lease create_and_claim(int ttl_ms) const {
        server_->create("l");
        Lease lease = claim("first", ttl_ms, 5'000);
        EXPECT_NE(lease.token, "");
        return lease;
    }
    HttpReply send(const Lease& lease, const std::string& what) const {
        return server_->post(lease.path + "/" + what, R"({"task_token":")" + lease.token + "\"}");
    }
    /// An execution that must have ended by then.
    std::string create_due_in(Millis span) const {
        const auto due = std::chrono::system_clock::now().time_since_epoch() + span;
        return server_->create("l", R"(,"execution_deadline_at":)" +
                                        std::to_string(std::chrono::floor<Millis>(due).count()));
    }
    /// An execution whose result is kept for a day.
    std::string end_one() const {
        const Lease lease = create_and_claim(30'000);
        EXPECT_EQ(send(lease, "complete").status, 200);
        return lease.path;
    }
    bool is_there(const std::string& path) const { return server_->get(path).status == 200; }
    std::string health() const { return server_->get("/healthz").body; }
    /// For how many seconds more health says that nothing is deleted; -1 if it does not say so.
    int held_for_s() const {
        const std::string text = health();
        const std::size_t end = text.find(" s more nothing is deleted or timed out");
        if (end == std::string::npos) return -1;
        return std::stoi(text.substr(text.rfind(' ', end - 1) + 1));
    }

    testing::TempDir folder_{};
    std::string shift_ = folder_.file("shift");
    std::unique_ptr<BootedServer> server_{};
};

TEST_F(SetClock, AJumpAheadThatIsTakenBackInTimeDeletesNothing) {
    start();
    const std::string ended = end_one();
    const Lease held = create_and_claim(30'000);
    set_clock(30h);
    ASSERT_TRUE(server_->process().wait_for_line("clock_jumped_ahead"));
    EXPECT_NE(health().find("the clock jumped ahead by 108000 s"), std::string::npos) << health();
    EXPECT_EQ(send(held, "renew").status, 200);
    set_clock(0ms);
    ASSERT_TRUE(wait_until([&] { return health() == R"({"status":"ok"})"; }));
    EXPECT_TRUE(is_there(ended));
    EXPECT_EQ(send(held, "complete").status, 200);
}

TEST_F(SetClock, AJumpAheadIsFollowedAfterTheGrace) {
    start({{"FF_CLOCK_GRACE_MS", "1500"}});
    const std::string ended = end_one();
    set_clock(30h);
    ASSERT_TRUE(server_->process().wait_for_line("clock_jump_followed"));
    ASSERT_TRUE(wait_until([&] { return !is_there(ended); }));
}

TEST_F(SetClock, WithoutALimitAJumpAheadIsFollowedAtOnce) {
    start({{"FF_CLOCK_JUMP_MAX_MS", "0"}});
    const std::string ended = end_one();
    set_clock(30h);
    ASSERT_TRUE(wait_until([&] { return !is_there(ended); }));
    EXPECT_EQ(server_->process().err().find("clock_jump"), std::string::npos);
}

TEST_F(SetClock, AStartWithAWrongClockDeletesNothingAndMayBeRepeatedWithARightOne) {
    start();
    const std::string ended = end_one();
    stop();
    set_clock(30h);
    const auto begun = std::chrono::steady_clock::now();
    start();
    const auto told = server_->process().wait_for_line("time_passed_unseen");
    ASSERT_TRUE(told);
    EXPECT_NE(told->find(R"("for_ms":600000)"), std::string::npos) << *told;
    const int left = held_for_s();
    EXPECT_LE(left, 600);
    EXPECT_GE(left, 599 - std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() -
                                                                  begun)
                              .count());
    EXPECT_TRUE(is_there(ended));
    server_->create("late");
    stop();
    set_clock(0ms);
    start();
    EXPECT_EQ(health(), R"({"status":"ok"})");
    EXPECT_TRUE(is_there(ended));
}

TEST_F(SetClock, AStartAfterAStopAboveTheBoundTimesNothingOut) {
    start({{"FF_CLOCK_JUMP_MAX_MS", "120000"}});
    const std::string waiting = create_due_in(60s);
    stop();
    set_clock(130s);
    start({{"FF_CLOCK_JUMP_MAX_MS", "120000"}});
    EXPECT_GT(held_for_s(), 0) << health();
    EXPECT_EQ(claim("first", 30'000, 5'000).path, "/v1/executions/" + waiting);
}

TEST_F(SetClock, AStartAfterAStopWithinTheBoundTimesOutWhatIsDue) {
    start({{"FF_CLOCK_JUMP_MAX_MS", "140000"}});
    const std::string waiting = create_due_in(60s);
    stop();
    set_clock(130s);
    start({{"FF_CLOCK_JUMP_MAX_MS", "140000"}});
    ASSERT_TRUE(wait_until([&] {
        return server_->get("/v1/executions/" + waiting).body.find(R"("terminal")") !=
               std::string::npos;
    })) << server_->get("/v1/executions/" + waiting).body;
    EXPECT_EQ(health(), R"({"status":"ok"})");
}

TEST_F(SetClock, AStartAfterALongStopDeletesWhatIsDueAfterTheGrace) {
    start();
    const std::string ended = end_one();
    stop();
    set_clock(30h);
    start({{"FF_CLOCK_GRACE_MS", "1500"}});
    ASSERT_TRUE(wait_until([&] { return !is_there(ended); }));
    EXPECT_EQ(health(), R"({"status":"ok"})");
}

TEST_F(SetClock, AWorkerKeepsItsLeaseOverARestartThatTookLonger) {
    start();
    const Lease held = create_and_claim(30'000);
    server_->process().kill();
    set_clock(60s);
    start();
    EXPECT_EQ(send(held, "renew").status, 200);
    EXPECT_EQ(send(held, "complete").status, 200);
}

TEST_F(SetClock, AWorkerThatDoesNotComeBackLosesItsLeaseAfterTheGrace) {
    start();
    const Lease held = create_and_claim(30'000);
    server_->process().kill();
    set_clock(60s);
    start({{"FF_LEASE_GRACE_MS", "1000"}});
    const Lease taken_over = claim("second", 30'000, 20'000);
    EXPECT_EQ(taken_over.path, held.path);
    EXPECT_EQ(send(held, "complete").status, 409);
    EXPECT_EQ(send(taken_over, "complete").status, 200);
}

TEST_F(SetClock, AWorkerKeepsItsLeaseOverAStallOfTheServer) {
    constexpr int kLeaseMs = 2'000;
    start();
    const Lease held = create_and_claim(kLeaseMs);
    server_->process().signal(SIGSTOP);
    // The time itself is what is tested.
    std::this_thread::sleep_for(Millis(kLeaseMs + 1'000));
    server_->process().signal(SIGCONT);
    EXPECT_EQ(send(held, "renew").status, 200);
    EXPECT_EQ(send(held, "complete").status, 200);
}

}  // namespace
}  // namespace ff::fault
