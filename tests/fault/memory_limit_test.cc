// A real server filled until it refuses: it ends by refusals, never by a signal, comes up again
// with what it holds, and lets it be worked off.

#include <optional>

#include <gtest/gtest.h>

#include "support/http_connection.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::HttpReply;

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";
constexpr int kBatch = 8;

class MemoryLimit : public ::testing::Test {
  protected:
    /// `before`: what the program is started by.
    void start(std::vector<std::string> before,
               std::vector<std::pair<std::string, std::string>> more) {
        std::vector<std::string> args = std::move(before);
        args.insert(args.end(), {FF_PROGRAM, "server"});
        more.insert(more.end(), {{"FF_LISTEN_ADDR", "127.0.0.1:0"},
                                 {"FF_DATA_DIR", folder_.file("data")},
                                 {"FF_RETENTION_DEFAULT_MS", "1000"},
                                 {"FF_RETENTION_TRIMMER_INTERVAL_S", "1"}});
        process_.reset();
        process_.emplace(testing::ProcessOptions{.args = args, .env = more});
        const auto line = process_->wait_for_line(kServing, Millis(60'000));
        ASSERT_TRUE(line) << process_->err();
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }
    HttpReply post(const std::string& target, const std::string& body) const {
        return testing::HttpConnection::connect(port_).post(target, body);
    }
    HttpReply create(std::size_t payload_bytes) const {
        return post("/v1/executions", R"({"execution_kind":"k","lane_id":"full","payload":")" +
                                          std::string(payload_bytes, 'x') + "\"}");
    }
    /// Batches until one is refused; answers how many executions were acknowledged.
    std::size_t fill(std::size_t payload_bytes) const {
        std::string one = R"({"execution_kind":"k","lane_id":"full","payload":")" +
                          std::string(payload_bytes, 'x') + "\"}";
        std::string body = R"({"executions":[)" + one;
        for (int i = 1; i < kBatch; ++i) body += "," + one;
        body += "]}";
        constexpr std::size_t kMost = 100'000;
        for (std::size_t created = 0; created < kMost;) {
            const HttpReply reply = post("/v1/executions/batch", body);
            if (reply.status == 503) {
                EXPECT_NE(reply.body.find(R"("store_full")"), std::string::npos) << reply.body;
                EXPECT_NE(reply.header("Retry-After"), "");
                return created;
            }
            if (reply.status != 200) {
                ADD_FAILURE() << reply.status << " " << reply.body;
                return created;
            }
            for (std::size_t at = 0;
                 (at = reply.body.find(R"("created")", at)) != std::string::npos; ++at)
                ++created;
            if (reply.body.find(R"("store_full")") != std::string::npos) return created;
        }
        ADD_FAILURE() << "never full";
        return 0;
    }
    static std::string value_of(const std::string& json, const std::string& name,
                                std::size_t& from) {
        const std::string start = "\"" + name + "\":\"";
        const std::size_t at = json.find(start, from);
        if (at == std::string::npos) return {};
        from = at + start.size();
        return json.substr(from, json.find('"', from) - from);
    }
    /// Claims and completes all there is, like a worker; answers how many it were.
    std::size_t drain() const {
        std::size_t done = 0;
        for (;;) {
            const HttpReply claimed = post(
                "/v1/workers/w/tasks/claim",
                R"({"worker_instance_id":"w-1","lanes":["full"],"max_tasks":64,"include_payload":false})");
            if (claimed.status != 200) return done;
            for (std::size_t at = 0;;) {
                const std::string id = value_of(claimed.body, "execution_id", at);
                if (id.empty()) break;
                const std::string token = value_of(claimed.body, "task_token", at);
                const HttpReply reply = post("/v1/executions/" + id + "/complete",
                                             R"({"task_token":")" + token + "\"}");
                EXPECT_EQ(reply.status, 200) << reply.body;
                ++done;
            }
        }
    }
    std::string metrics() const { return testing::http_get(port_, "/metrics").body; }

    testing::TempDir folder_{};
    std::optional<testing::Process> process_{};
    std::uint16_t port_ = 0;
};

TEST_F(MemoryLimit, AFullStoreRefusesNewWorkAndLetsWhatIsThereEnd) {
    start({}, {{"FF_MEMORY_LIMIT", "64MiB"}, {"FF_SHARDS", "1"}});
    const std::size_t created = fill(64U << 10U);
    EXPECT_GT(created, 400U);
    EXPECT_LT(created, 1000U);
    EXPECT_EQ(create(10).status, 503);
    EXPECT_EQ(testing::http_get(port_, "/healthz").status, 200);
    const HttpReply ready = testing::http_get(port_, "/readyz");
    EXPECT_EQ(ready.status, 200);
    EXPECT_NE(ready.body.find(R"("state":"full")"), std::string::npos) << ready.body;
    EXPECT_NE(metrics().find("ff_store_memory_full 1"), std::string::npos);
    EXPECT_NE(metrics().find("ff_store_memory_limit_bytes 67108864"), std::string::npos);
    EXPECT_EQ(testing::http_get(port_, "/v1/executions?lane=full&state=eligible").status, 200);

    process_->kill();
    start({}, {{"FF_MEMORY_LIMIT", "48MiB"}});
    EXPECT_EQ(create(10).status, 503) << "a start that finds more than may be there comes up full";
    EXPECT_EQ(drain(), created);
    EXPECT_TRUE(testing::wait_until([&] { return create(10).status == 201; }, Millis(60'000)))
        << "what has ended is dropped, and makes room";
}

TEST_F(MemoryLimit, UnderALimitOfAddressesItRefusesAndIsNotKilled) {
    const std::vector<std::string> limited = {"prlimit", "--as=734003200"};
    start(limited, {{"FF_SHARDS", "1"}});
    const std::size_t created = fill(256U << 10U);
    EXPECT_GT(created, 800U);
    EXPECT_TRUE(process_->running()) << process_->err();

    process_->kill();
    start(limited, {});
    EXPECT_EQ(drain(), created);
    EXPECT_TRUE(process_->running()) << process_->err();
}

}  // namespace
}  // namespace ff::fault
