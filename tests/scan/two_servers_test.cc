#include <gtest/gtest.h>

#include "support/http_connection.h"
#include "support/process.h"
#include "support/valkey_server.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";

/// A server process on a Valkey that it shares with others.
class Server {
  public:
    Server(const ValkeyServer& valkey, const std::string& shard)
        : process_({.args = {FF_PROGRAM, "server"},
                    .env = {{"FF_BACKEND", "valkey"},
                            {"FF_HOST", "127.0.0.1"},
                            {"FF_PORT", std::to_string(valkey.port())},
                            {"FF_WAITPOINT_HMAC_SECRET", std::string(64, 'a')},
                            {"FF_LISTEN_ADDR", "127.0.0.1:0"},
                            {"FF_SCANNER_SHARD", shard}}}) {
        const auto line = process_.wait_for_line(kServing);
        if (!line) throw std::runtime_error("not serving: " + process_.err());
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }
    void kill() { process_.kill(); }

    /// The id of a new execution; `fields` are further members of the request.
    std::string create(const std::string& lane, const std::string& fields) const {
        HttpConnection connection = HttpConnection::connect(port_);
        const HttpReply reply =
            connection.post("/v1/executions",
                            R"({"lane_id":")" + lane +
                                R"(","namespace":"acme","execution_kind":"noop",)" + fields + "}");
        EXPECT_EQ(reply.status, 201) << reply.body;
        return value_of(reply.body, "execution_id");
    }
    std::string state(const std::string& id) const {
        std::string target = "/v1/executions/";
        for (const char c : id) {
            if (c == '{') target += "%7B";
            if (c == '}') target += "%7D";
            if (c != '{' && c != '}') target += c;
        }
        return value_of(http_get(port_, target + "/state").body, "public_state");
    }
    bool all_are(const std::vector<std::string>& ids, std::string_view wanted) const {
        return wait_until([&] {
            return std::ranges::all_of(ids, [&](const auto& id) { return state(id) == wanted; });
        });
    }
    HttpReply get(const std::string& target) const { return http_get(port_, target); }
    HttpReply post(const std::string& target, const std::string& body) const {
        return HttpConnection::connect(port_).post(target, body);
    }
    /// The id of a new flow.
    std::string submit(const std::string& graph) const {
        const HttpReply reply = post("/v1/flows/submit", graph);
        EXPECT_EQ(reply.status, 201) << reply.body;
        return value_of(reply.body, "flow_id");
    }
    /// How many items a scanner of this server has dealt with.
    int items(const std::string& scanner) const {
        const std::string text = http_get(port_, "/metrics").body;
        const std::string name = R"(ff_scanner_items_total{scanner=")" + scanner + R"("} )";
        const std::size_t at = text.find(name);
        return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
    }

    static std::string value_of(const std::string& json, const std::string& name) {
        const std::string start = "\"" + name + "\":\"";
        const std::size_t at = json.find(start);
        if (at == std::string::npos) return {};
        const std::size_t from = at + start.size();
        return json.substr(from, json.find('"', from) - from);
    }

  private:
    Process process_;
    std::uint16_t port_ = 0;
};

/// The solo partitions of the lanes differ, so that both shards have some.
std::string lane_of(int number) {
    return "lane-" + std::to_string(number % 16);
}

TEST(TwoServers, ShareTheWork) {
    const ValkeyServer valkey = ValkeyServer::start();
    const Server first(valkey, "0/2");
    const Server second(valkey, "1/2");
    std::vector<std::string> ids;
    for (int i = 0; i < 48; ++i) {
        const Server& asked = i % 2 == 0 ? first : second;
        ids.push_back(asked.create(lane_of(i), R"("delay_until":"+1000")"));
    }
    EXPECT_TRUE(first.all_are(ids, "waiting"));
    // Each of them was promoted by one server, and both had some.
    EXPECT_TRUE(wait_until(
        [&] { return first.items("delayed_promoter") + second.items("delayed_promoter") == 48; }));
    EXPECT_GT(first.items("delayed_promoter"), 0);
    EXPECT_GT(second.items("delayed_promoter"), 0);
}

/// The first one is killed while it is at work; what it owes is in the store.
TEST(Ch07TwoServers, S18_WhatAKilledServerOwedTheOtherCancels) {
    const ValkeyServer valkey = ValkeyServer::start();
    auto first = std::make_unique<Server>(valkey, "0/1");
    const Server second(valkey, "0/1");
    std::string nodes;
    for (int i = 0; i < 1000; ++i) {
        nodes += (i == 0 ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(i) + "\"}";
    }
    const std::string flow = first->submit(R"({"namespace":"acme","nodes":[)" + nodes + "]}");
    const std::string target = "/v1/flows/" + flow;
    const HttpReply told = first->post(
        target + "/cancel", R"({"reason":"enough of this","cancellation_policy":"cancel_all"})");
    EXPECT_EQ(told.status, 200);
    EXPECT_NE(told.body.find(R"("status":"cancellation_scheduled")"), std::string::npos);
    first->kill();
    EXPECT_TRUE(wait_until(
        [&] { return second.get(target).body.find("cancel_completed_at") != std::string::npos; },
        Millis(60'000)));
    std::string cursor;
    std::size_t cancelled = 0;
    do {
        const std::string page =
            second.get(target + "/members?limit=1000" + (cursor.empty() ? "" : "&cursor=" + cursor))
                .body;
        const std::string entry = R"("public_state":"cancelled")";
        for (std::size_t at = page.find(entry); at != page.npos; at = page.find(entry, at + 1)) {
            ++cancelled;
        }
        const std::string reason = R"("cancellation_reason":")";
        for (std::size_t at = page.find(reason); at != page.npos; at = page.find(reason, at + 1)) {
            EXPECT_EQ(page.substr(at + reason.size(), 15), "enough of this\"");
        }
        cursor = Server::value_of(page, "next_cursor");
    } while (!cursor.empty());
    EXPECT_EQ(cancelled, 1000U);
}

TEST(TwoServers, SurviveTheDeathOfEither) {
    const ValkeyServer valkey = ValkeyServer::start();
    auto first = std::make_unique<Server>(valkey, "0/1");
    auto second = std::make_unique<Server>(valkey, "0/1");
    for (int round = 0; round < 2; ++round) {
        std::vector<std::string> delayed;
        std::vector<std::string> limited;
        for (int i = 0; i < 24; ++i) {
            // Some fall due before the death, some around it, some after it.
            const std::string due = std::to_string(50 * i);
            delayed.push_back(first->create(lane_of(i), R"("delay_until":"+)" + due + "\""));
            limited.push_back(
                first->create(lane_of(i), R"("execution_deadline_at":"+)" + due + "\""));
        }
        first->kill();
        EXPECT_TRUE(second->all_are(delayed, "waiting"));
        EXPECT_TRUE(second->all_are(limited, "expired"));
        // The other one dies in the second round.
        first = std::move(second);
        second = std::make_unique<Server>(valkey, "0/1");
    }
}

}  // namespace
}  // namespace ff::testing
