// A server is killed with SIGKILL again and again while flows run through it: in the middle of
// submissions, claims, completions, cascades and cancels. Its clients repeat what was not answered,
// as clients do. In the end every flow has come to the end that the rules give it, nothing that was
// acknowledged is lost, and nothing ran twice. FF_SEED repeats a run, FF_SOAK makes it long.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/random.h"
#include "fault/flow_plan.h"
#include "model/graph_ids.h"
#include "support/http_connection.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using ff::testing::HttpConnection;
using ff::testing::HttpReply;
using ff::testing::Process;
using ff::testing::TempDir;
using ff::testing::ValkeyServer;

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";
constexpr std::string_view kSecret =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
constexpr int kWorkers = 3;
/// Longer than a server is away, shorter than a test waits.
constexpr std::string_view kLeaseMs = "15000";

bool is_long() {
    return std::getenv("FF_SOAK") != nullptr;
}

std::string text_in(const json::Value& object, std::string_view name) {
    const auto value = object.find(name);
    return value ? std::string(value->as_string().value_or("")) : std::string();
}

/// The program that is killed, on data that stays.
class Server {
  public:
    explicit Server(const std::string& store) {
        if (store == "valkey") valkey_.emplace(ValkeyServer::start());
    }

    void start() {
        std::vector<std::pair<std::string, std::string>> env{
            {"FF_LISTEN_ADDR", "127.0.0.1:0"},
            {"FF_WAITPOINT_HMAC_SECRET", std::string(kSecret)},
            {"FF_CANCEL_RECONCILER_INTERVAL_S", "1"},
            {"FF_LOG", "error"}};
        if (valkey_) {
            env.emplace_back("FF_BACKEND", "valkey");
            env.emplace_back("FF_HOST", "127.0.0.1");
            env.emplace_back("FF_PORT", std::to_string(valkey_->port()));
        } else {
            env.emplace_back("FF_DATA_DIR", folder_.path().string());
        }
        process_.emplace(Process({.args = {FF_PROGRAM, "server"}, .env = std::move(env)}));
        const auto line = process_->wait_for_line(kServing, Millis(60'000));
        if (!line) throw std::runtime_error("not serving: " + process_->err());
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }
    void kill() {
        port_ = 0;
        process_->kill();
    }
    std::uint16_t port() const { return port_; }

  private:
    TempDir folder_{};
    std::optional<ValkeyServer> valkey_{};
    std::optional<Process> process_{};
    std::atomic<std::uint16_t> port_ = 0;
};

class FlowCrash : public ::testing::TestWithParam<std::string> {
  protected:
    FlowCrash() : server_(GetParam()) {}

    static std::uint64_t seed() {
        if (const char* given = std::getenv("FF_SEED")) return std::stoull(given);
        return is_long() ? std::random_device()() : 7;
    }

    void plan_flows(std::uint64_t from, std::size_t count) {
        random_.seed(from);
        for (std::size_t i = 0; i < count; ++i) {
            SeededRandom ids(from * 1'000 + i);
            const model::FlowId id = model::FlowId::mint(ids);
            flows_.emplace_back(from + i, id.to_string(), "crash");
            for (std::size_t n = 0; n < flows_.back().size(); ++n) {
                const auto member = model::node_execution_id(id, FlowPlan::name(n), {});
                nodes_.emplace(member.to_string(), std::pair(i, n));
            }
            if (i % 5 == 4) to_cancel_.insert(i);
        }
    }

    /// Repeats a request until the server has answered it; nothing when the run is over.
    std::optional<HttpReply> insist(std::string_view method, std::string_view target,
                                    std::string_view body) {
        constexpr Millis kBetweenAttempts{10};
        while (!over_) {
            const std::uint16_t port = server_.port();
            Result<HttpConnection> connection = port == 0
                                                    ? Result<HttpConnection>(Error{.code = "away"})
                                                    : HttpConnection::try_connect(port);
            if (connection) {
                try {
                    const HttpReply reply = connection->request(
                        method, target, {{"Content-Type", "application/json"}}, body);
                    if (reply.status != 503) return reply;
                } catch (const std::runtime_error&) {
                    // It died with the request under way.
                }
            }
            std::this_thread::sleep_for(kBetweenAttempts);
        }
        return std::nullopt;
    }

    void note_progress() {
        ++progress_;
        progress_.notify_all();
    }

    void submit_all() {
        for (const FlowPlan& flow : flows_) {
            const auto reply = insist("POST", "/v1/flows/submit", flow.document());
            if (!reply) return;
            EXPECT_TRUE(reply->status == 201 || reply->status == 200) << reply->body;
            note_progress();
        }
    }

    void cancel_some() {
        for (const std::size_t i : to_cancel_) {
            for (std::uint64_t seen = progress_; !over_ && seen < 8 * i; seen = progress_) {
                progress_.wait(seen);
            }
            const auto reply =
                insist("POST", "/v1/flows/" + flows_[i].id() + "/cancel", R"({"reason":"enough"})");
            if (!reply) return;
            // Who asks before the flow is there asks again; the submitter comes along.
            EXPECT_TRUE(reply->status == 200 || reply->status == 404) << reply->body;
            if (reply->status == 200) {
                const std::lock_guard lock(mutex_);
                cancelled_.insert(i);
            }
            note_progress();
        }
    }

    void work(const std::string& worker) {
        for (int turn = 0; !over_; ++turn) {
            const auto reply =
                insist("POST", "/v1/workers/" + worker + "/tasks/claim",
                       R"({"worker_instance_id":")" + worker +
                           R"(","lanes":["crash"],"max_tasks":4,"wait_ms":200,"lease_ttl_ms":)" +
                           std::string(kLeaseMs) + R"(,"claim_id":")" + worker + "-" +
                           std::to_string(turn) + "\"}");
            if (!reply || reply->status == 204) continue;
            ASSERT_EQ(reply->status, 200) << reply->body;
            const auto document = json::Document::parse(reply->body);
            const auto tasks = document->root().find("tasks");
            for (std::size_t i = 0; i < tasks->size(); ++i) finish_task(tasks->element(i));
        }
    }

    void finish_task(const json::Value& task) {
        const std::string id = text_in(task, "execution_id");
        const auto node = nodes_.find(id);
        ASSERT_NE(node, nodes_.end()) << id;
        {
            const std::lock_guard lock(mutex_);
            const bool is_first = handed_out_.insert(id).second;
            EXPECT_TRUE(is_first || text_in(task, "attempt_type") == "reclaim")
                << id << " was handed out twice";
        }
        const auto [flow, index] = node->second;
        const bool succeeds = flows_[flow].succeeds(index);
        const std::string lease = R"({"task_token":")" + text_in(task, "task_token") + "\"";
        const auto reply =
            succeeds ? insist("POST", path_of(id) + "/complete", lease + R"(,"result":"r"})")
                     : insist("POST", path_of(id) + "/fail",
                              lease + R"(,"reason":"planned","category":"test","no_retry":true})");
        if (!reply) return;
        EXPECT_TRUE(reply->status == 200 || reply->status == 409) << reply->body;
        if (reply->status == 200) {
            const std::lock_guard lock(mutex_);
            const bool is_first = ended_.emplace(id, succeeds ? "completed" : "failed").second;
            EXPECT_TRUE(is_first) << id << " ended twice";
        }
        note_progress();
    }

    static std::string path_of(const std::string& id) {
        std::string path = "/v1/executions/";
        for (const char c : id) {
            if (c == '{') {
                path += "%7B";
            } else if (c == '}') {
                path += "%7D";
            } else {
                path += c;
            }
        }
        return path;
    }

    void run(int kills) {
        server_.start();
        std::vector<std::thread> clients;
        clients.emplace_back([this] { submit_all(); });
        clients.emplace_back([this] { cancel_some(); });
        for (int i = 0; i < kWorkers; ++i) {
            clients.emplace_back([this, i] { work("w" + std::to_string(i)); });
        }
        for (int i = 0; i < kills; ++i) {
            const std::uint64_t until = progress_ + 1 + (random_() % 25);
            // Where nothing happens any more, it is killed all the same.
            ff::testing::wait_until([&] { return progress_ >= until; }, Millis(3'000));
            server_.kill();
            server_.start();
        }
        const bool came_to_an_end =
            ff::testing::wait_until([this] { return all_ended(); }, Millis(120'000));
        EXPECT_TRUE(came_to_an_end) << "progress " << progress_;
        over_ = true;
        note_progress();
        for (std::thread& client : clients) client.join();
    }

    std::optional<json::Document> get(const std::string& target) {
        Result<HttpConnection> connection = HttpConnection::try_connect(server_.port());
        if (!connection) return std::nullopt;
        const HttpReply reply = connection->get(target);
        auto document = json::Document::parse(reply.body);
        if (reply.status != 200 || !document) return std::nullopt;
        return *std::move(document);
    }

    bool has_ended(std::size_t i) {
        const auto flow = get("/v1/flows/" + flows_[i].id());
        if (!flow) return false;
        const std::string state = text_in(flow->root(), "public_flow_state");
        if (state == "open") return false;
        // A cancelled flow, or one that failed fast, has ended when it owes nothing any more.
        const bool owes = flow->root().find("cancelled_at") &&
                          !flow->root().find("cancel_completed_at") && !members_over(i);
        if (owes && !is_long()) {
            HttpConnection::connect(server_.port())
                .post("/v1/flows/" + flows_[i].id() + "/cancel?wait=true", "{}");
        }
        return !owes;
    }

    bool members_over(std::size_t i) {
        const FlowEnd end = end_of(i);
        return std::ranges::all_of(end.states, [](const auto& entry) {
            return entry.second == "completed" || entry.second == "failed" ||
                   entry.second == "cancelled" || entry.second == "skipped";
        });
    }

    bool all_ended() {
        while (first_open_ < flows_.size() && has_ended(first_open_)) ++first_open_;
        return first_open_ == flows_.size();
    }

    FlowEnd end_of(std::size_t i) {
        FlowEnd end;
        const std::string base = "/v1/flows/" + flows_[i].id();
        const auto flow = get(base);
        const auto members = get(base + "/members?limit=1000");
        if (!flow || !members) return end;
        end.public_flow_state = text_in(flow->root(), "public_flow_state");
        const auto list = members->root().find("members");
        for (std::size_t n = 0; n < list->size(); ++n) {
            end.states[text_in(list->element(n), "name")] =
                text_in(list->element(n), "public_state");
        }
        return end;
    }

    void verify(std::size_t i) {
        const FlowEnd end = end_of(i);
        EXPECT_EQ(end.states.size(), flows_[i].size());
        EXPECT_TRUE(members_over(i)) << "a member was left";
        for (std::size_t n = 0; n < flows_[i].size(); ++n) {
            const auto id = model::node_execution_id(*model::FlowId::parse(flows_[i].id()),
                                                     FlowPlan::name(n), {});
            const auto told = ended_.find(id.to_string());
            if (told == ended_.end()) continue;
            EXPECT_EQ(end.states.at(FlowPlan::name(n)), told->second) << "an answer was lost";
        }
        if (end.public_flow_state == "cancelled") {
            EXPECT_TRUE(to_cancel_.contains(i));
        } else if (flows_[i].fails_fast() && end.public_flow_state == "failed") {
            const bool has_failed = std::ranges::any_of(
                end.states, [](const auto& entry) { return entry.second == "failed"; });
            EXPECT_TRUE(has_failed);
        } else {
            EXPECT_EQ(flows_[i].differences(end), "");
        }
    }

    std::mt19937_64 random_{};
    Server server_;
    std::vector<FlowPlan> flows_{};
    /// Execution to its flow and node.
    std::map<std::string, std::pair<std::size_t, std::size_t>> nodes_{};
    std::set<std::size_t> to_cancel_{};
    std::mutex mutex_{};
    std::set<std::size_t> cancelled_{};
    std::set<std::string> handed_out_{};
    /// What was acknowledged.
    std::map<std::string, std::string> ended_{};
    std::atomic<std::uint64_t> progress_ = 0;
    std::atomic<bool> over_ = false;
    std::size_t first_open_ = 0;
};

TEST_P(FlowCrash, EveryFlowComesToTheEndOfTheRules) {
    const std::uint64_t from = seed();
    std::printf("FF_SEED=%llu\n", static_cast<unsigned long long>(from));
    plan_flows(from, is_long() ? 300 : 24);
    run(is_long() ? 60 : 6);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        SCOPED_TRACE("flow " + std::to_string(i) + " " + flows_[i].document());
        verify(i);
    }
    EXPECT_GT(ended_.size(), flows_.size());
}

TEST_P(FlowCrash, ACancelThatWasAcknowledgedReachesEveryMember) {
    constexpr int kMembers = 1'000;
    server_.start();
    std::string nodes;
    for (int i = 0; i < kMembers; ++i) {
        nodes += (i == 0 ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(i) + "\"}";
    }
    SeededRandom ids(seed());
    const std::string id = model::FlowId::mint(ids).to_string();
    const auto submitted =
        insist("POST", "/v1/flows/submit",
               R"({"flow_id":")" + id + R"(","namespace":"crash","nodes":[)" + nodes + "]}");
    ASSERT_EQ(submitted->status, 201) << submitted->body;
    const std::string base = "/v1/flows/" + id;
    const auto cancelled = insist("POST", base + "/cancel", R"({"reason":"enough"})");
    EXPECT_NE(cancelled->body.find("cancellation_scheduled"), std::string::npos);
    server_.kill();
    server_.start();
    // The next server finds the flow in its backlog when the grace is over; who does not want to
    // wait for that asks again.
    if (!is_long()) insist("POST", base + "/cancel?wait=true", R"({"reason":"another"})");
    const auto is_done = [&] {
        const auto flow = get(base);
        return flow && flow->root().find("cancel_completed_at");
    };
    EXPECT_TRUE(ff::testing::wait_until(is_done, Millis(60'000)));
    const auto members = get(base + "/members?limit=1000");
    const auto list = members->root().find("members");
    ASSERT_EQ(list->size(), static_cast<std::size_t>(kMembers));
    for (std::size_t i = 0; i < list->size(); ++i) {
        ASSERT_EQ(text_in(list->element(i), "public_state"), "cancelled");
        ASSERT_EQ(text_in(list->element(i), "cancellation_reason"), "enough");
    }
}

INSTANTIATE_TEST_SUITE_P(On, FlowCrash, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::fault
