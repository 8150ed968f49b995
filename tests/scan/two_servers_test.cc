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
    /// How many items a scanner of this server has dealt with.
    int items(const std::string& scanner) const {
        const std::string text = http_get(port_, "/metrics").body;
        const std::string name = R"(ff_scanner_items_total{scanner=")" + scanner + R"("} )";
        const std::size_t at = text.find(name);
        return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
    }

  private:
    static std::string value_of(const std::string& json, const std::string& name) {
        const std::string start = "\"" + name + "\":\"";
        const std::size_t at = json.find(start);
        if (at == std::string::npos) return {};
        const std::size_t from = at + start.size();
        return json.substr(from, json.find('"', from) - from);
    }

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
