// A copy taken from a server at work, and a second server that starts from it.

#include <gtest/gtest.h>

#include "base/random.h"
#include "fault/server_load.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::HttpConnection;
using testing::HttpReply;
using testing::Process;
using testing::wait_until;

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";

class ServerRestore : public ::testing::Test {
  protected:
    std::uint16_t start(const std::string& folder) {
        process_.emplace(
            testing::ProcessOptions{.args = {FF_PROGRAM, "server"},
                                    .env = {{"FF_LISTEN_ADDR", "127.0.0.1:0"},
                                            {"FF_DATA_DIR", folder},
                                            {"FF_BACKUP_DIR", folder_.path().string()}}});
        const auto line = process_->wait_for_line(kServing);
        if (!line) throw std::runtime_error("not serving: " + process_->err());
        return static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }
    /// Everything that clients had been told before `history` was written down.
    static void check(std::uint16_t port, const History& history) {
        for (const auto& [key, id] : history.created) {
            const HttpReply info = testing::http_get(port, "/v1/executions/" + id);
            ASSERT_EQ(info.status, 200) << key << info.body;
        }
        for (const auto& [id, times] : history.completed) {
            const HttpReply info = testing::http_get(port, "/v1/executions/" + id + "/state");
            EXPECT_NE(info.body.find(R"("public_state":"completed")"), std::string::npos)
                << info.body;
            EXPECT_EQ(testing::http_get(port, "/v1/executions/" + id + "/result").status, 200);
        }
        for (const std::string& id : history.suspended) {
            EXPECT_EQ(testing::http_get(port, "/v1/executions/" + id + "/suspension").status, 200);
        }
        for (const std::string& flow : history.flows) {
            EXPECT_EQ(testing::http_get(port, "/v1/flows/" + flow).status, 200) << flow;
        }
    }

    testing::TempDir folder_{};
    std::optional<Process> process_{};
};

TEST_F(ServerRestore, HoldsWhatWasAcknowledgedBeforeTheBackupBegan) {
    SecureRandom random;
    ServerLoad load(random.below(0xffffffffU));
    const std::uint16_t port = start(folder_.file("data"));
    load.set_port(port);
    ASSERT_TRUE(wait_until([&] { return load.acknowledged() >= 300; }, Millis(60'000)));
    const History before = load.history();
    const HttpReply copied =
        HttpConnection::connect(port).post("/v1/admin/backup", R"({"folder":"copy"})");
    ASSERT_EQ(copied.status, 200) << copied.body;
    EXPECT_NE(copied.body.find(R"("status":"copied")"), std::string::npos);
    // The work went on meanwhile and after it.
    const std::size_t at_copy = load.acknowledged();
    EXPECT_TRUE(wait_until([&] { return load.acknowledged() > at_copy + 20; }));
    load.stop();
    process_->kill();

    const std::uint16_t restored = start(folder_.file("copy"));
    EXPECT_GT(before.created.size(), 10U);
    EXPECT_GT(before.completed.size(), 10U);
    check(restored, before);
    // Tokens of waitpoints are those of the first server: its secret came along.
    EXPECT_EQ(testing::read_file(folder_.file("copy/waitpoint_hmac.secret")),
              testing::read_file(folder_.file("data/waitpoint_hmac.secret")));
    // And it is a server like any other.
    const HttpReply created = HttpConnection::connect(restored).post(
        "/v1/executions", R"({"execution_kind":"noop","lane_id":"afterwards"})");
    EXPECT_EQ(created.status, 201) << created.body;
    const HttpReply claimed = HttpConnection::connect(restored).post(
        "/v1/workers/w/tasks/claim",
        R"({"worker_instance_id":"w-1","lanes":["afterwards"],"wait_ms":9000})");
    EXPECT_EQ(claimed.status, 200) << claimed.body;
}

}  // namespace
}  // namespace ff::fault
