// A server that has much to load listens meanwhile, tells how far it is, and can be stopped.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "host/embedded_store.h"
#include "journal/journal.h"
#include "journal/posix_file_system.h"
#include "journal/store_file.h"
#include "support/http_connection.h"
#include "support/ports.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::HttpReply;
using testing::wait_until;

/// Remembers the last record of a journal.
class LastRecord final : public journal::RecordVisitor {
  public:
    Result<Done> snapshot_chunk(std::string_view) override { return Done{}; }
    Result<Done> record(std::string_view payload) override {
        payload_ = payload;
        return Done{};
    }
    const std::string& payload() const { return payload_; }

  private:
    std::string payload_{};
};

class LoadingServer : public ::testing::Test {
  protected:
    /// A log whose records are quickly written and slowly applied: all set the same many fields.
    void make_log() const {
        host::EmbeddedOptions options;
        options.folder = data();
        options.shards = 1;
        auto store = host::EmbeddedStore::open(std::move(options));
        ASSERT_TRUE(store.has_value()) << store.error().text();
        store::Call call = store::plain({"HSET", "ballast"}, true);
        constexpr int kFields = 2000;
        for (int i = 0; i < kFields; ++i) call.command.arg("f" + std::to_string(i)).arg("v");
        ASSERT_TRUE((*store)->call_and_wait(call).has_value());
        (*store)->stop_and_wait();
        store->reset();
        repeat_last_record();
    }
    void repeat_last_record() const {
        journal::PosixFileSystem files;
        LastRecord last;
        journal::JournalOptions options;
        options.mark_path = journal::join_path(data(), journal::mark_name(0));
        auto opened =
            journal::Journal::open(files, journal::shard_folder(data(), 0), options, last);
        ASSERT_TRUE(opened.has_value()) << opened.error().text();
        constexpr int kTimes = 6000;
        for (int i = 0; i < kTimes; ++i) {
            opened->journal->append(last.payload());
            ASSERT_TRUE(opened->journal->commit(journal::Sync::No).has_value());
        }
        ASSERT_TRUE(opened->journal->sync().has_value());
    }
    void start() {
        server_.emplace(testing::ProcessOptions{
            .args = {FF_PROGRAM, "server"},
            .env = {{"FF_LISTEN_ADDR", "127.0.0.1:0"},
                    {"FF_DATA_DIR", data()},
                    {"FF_LISTEN_UNIX", socket()},
                    {"FF_METRICS_ADDR", "127.0.0.1:" + std::to_string(metrics_port_)}}});
        constexpr std::string_view kUrl = "http://127.0.0.1:";
        const auto line = server_->wait_for_line(R"("event":"listening")");
        ASSERT_TRUE(line) << server_->err();
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(line->find(kUrl) + kUrl.size())));
    }
    HttpReply get(std::string_view target) const { return testing::http_get(port_, target); }
    int percent() const {
        const std::string body = get("/readyz").body;
        constexpr std::string_view kPercent = R"("percent":)";
        const std::size_t at = body.find(kPercent);
        return at == std::string::npos ? -1 : std::stoi(body.substr(at + kPercent.size()));
    }
    std::string data() const { return folder_.file("data"); }
    std::string socket() const { return folder_.file("socket"); }

    testing::TempDir folder_{};
    std::optional<testing::Process> server_{};
    std::uint16_t port_ = 0;
    std::uint16_t metrics_port_ = testing::free_port();
};

TEST_F(LoadingServer, TellsHowFarItIsAndServesInTheEnd) {
    ASSERT_NO_FATAL_FAILURE(make_log());
    ASSERT_NO_FATAL_FAILURE(start());
    const HttpReply ready = get("/readyz");
    EXPECT_EQ(ready.status, 503) << ready.body;
    EXPECT_NE(ready.body.find(R"("status":"loading")"), std::string::npos) << ready.body;
    EXPECT_EQ(ready.header("Retry-After"), "1");
    EXPECT_EQ(get("/healthz").status, 503);
    EXPECT_EQ(testing::http_get(metrics_port_, "/metrics").status, 503);
    const HttpReply early = testing::HttpConnection::connect(port_).post(
        "/v1/executions", R"({"execution_kind":"noop","lane_id":"l"})");
    EXPECT_EQ(early.status, 503);
    EXPECT_NE(early.body.find(R"("retryable":true)"), std::string::npos) << early.body;
    const int first = percent();
    EXPECT_TRUE(wait_until([&] { return percent() > first; }));
    EXPECT_TRUE(server_->wait_for_line(R"("event":"loading")"));
    EXPECT_TRUE(server_->wait_for_line("flowfabric: serving", Millis(120'000)));
    EXPECT_EQ(get("/readyz").status, 200);
    EXPECT_EQ(get("/healthz").status, 200);
    EXPECT_EQ(testing::http_get(metrics_port_, "/metrics").status, 200);
}

TEST_F(LoadingServer, StartsWhereAnEndedStartLeftItsSocket) {
    ASSERT_NO_FATAL_FAILURE(start());
    ASSERT_TRUE(server_->wait_for_line("flowfabric: serving"));
    server_->kill();
    ASSERT_TRUE(std::filesystem::is_socket(socket()));
    ASSERT_NO_FATAL_FAILURE(start());
    ASSERT_TRUE(server_->wait_for_line("flowfabric: serving")) << server_->err();
    const testing::CommandResult asked = testing::run_command(
        {FF_PROGRAM, "doctor", "--server", "unix:" + socket()}, Millis(30'000));
    EXPECT_EQ(asked.exit_code, 0) << asked.out << asked.err;
}

TEST_F(LoadingServer, StopsAtOnceAndDamagesNothing) {
    ASSERT_NO_FATAL_FAILURE(make_log());
    for (const int number : {SIGTERM, SIGINT}) {
        ASSERT_NO_FATAL_FAILURE(start());
        ASSERT_TRUE(wait_until([&] { return percent() >= 1; }));
        const int before = percent();
        ASSERT_LT(before, 50) << "loaded too fast to show anything";
        server_->signal(number);
        EXPECT_EQ(server_->wait_for_exit(Millis(2'000)), 0) << server_->err();
        EXPECT_EQ(server_->out().find("serving"), std::string::npos);
    }
    const testing::CommandResult verified =
        testing::run_command({FF_PROGRAM, "verify", data()}, Millis(120'000));
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

/// One that takes connections and never answers.
TEST(LoadingFromValkey, StopsAtOnceWhileTheStoreIsSilent) {
    const testing::ValkeyServer silent = testing::ValkeyServer::start();
    silent.pause();
    for (const int number : {SIGTERM, SIGINT}) {
        testing::Process server({.args = {FF_PROGRAM, "server"},
                                 .env = {{"FF_LISTEN_ADDR", "127.0.0.1:0"},
                                         {"FF_BACKEND", "valkey"},
                                         {"FF_HOST", "127.0.0.1"},
                                         {"FF_PORT", std::to_string(silent.port())},
                                         {"FF_WAITPOINT_HMAC_SECRET", std::string(64, 'a')}}});
        ASSERT_TRUE(server.wait_for_line(R"("event":"listening")")) << server.err();
        server.signal(number);
        EXPECT_EQ(server.wait_for_exit(Millis(2'000)), 0) << server.err();
    }
    silent.resume();
}

}  // namespace
}  // namespace ff::fault
