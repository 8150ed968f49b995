// A real server on a folder, killed without warning again and again while clients use it. What it
// had acknowledged must be there afterwards, once, and everything that was begun must come to its
// end. FF_SOAK=1 kills more often; the seed of a run is printed.

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/random.h"
#include "fault/server_load.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::Process;

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";
constexpr Millis kDrainMost{120'000};

class Server {
  public:
    explicit Server(std::string folder) : folder_(std::move(folder)) {}

    std::uint16_t start() {
        process_.emplace(testing::ProcessOptions{
            .args = {FF_PROGRAM, "server"},
            .env = {{"FF_LISTEN_ADDR", "127.0.0.1:0"}, {"FF_DATA_DIR", folder_}}});
        const auto line = process_->wait_for_line(kServing);
        if (!line) throw std::runtime_error("not serving: " + process_->err());
        return static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }
    void kill() { process_->kill(); }

  private:
    std::string folder_;
    std::optional<Process> process_{};
};

class ServerKill : public ::testing::Test {
  protected:
    static int kills() { return std::getenv("FF_SOAK") != nullptr ? 50 : 5; }

    json::Document get(const std::string& target) {
        const auto answer = load_->insist("GET", target);
        EXPECT_EQ(answer->status, 200) << target << answer->body;
        auto document = json::Document::parse(answer->body);
        if (!document) throw std::runtime_error(target + ": " + answer->body);
        return *std::move(document);
    }
    static std::string text(const json::Document& document, std::string_view name) {
        const auto found = document.root().find(name);
        return found ? std::string(found->as_string().value_or("")) : std::string();
    }
    static std::string path_of(const std::string& id) {
        return "/v1/executions/%7B" + id.substr(1, id.find('}') - 1) + "%7D%3A" +
               id.substr(id.find('}') + 2);
    }
    /// Every execution of the lane that has ended.
    std::set<std::string> ended() {
        std::set<std::string> ids;
        std::string cursor;
        do {
            const json::Document page = get(
                "/v1/executions?limit=1000&state=terminal&lane=" + std::string(ServerLoad::kLane) +
                (cursor.empty() ? "" : "&cursor=" + cursor));
            const json::Value executions = *page.root().find("executions");
            for (std::size_t i = 0; i < executions.size(); ++i) {
                const auto id = executions.element(i).find("execution_id")->as_string();
                EXPECT_TRUE(ids.emplace(*id).second) << "listed twice: " << *id;
            }
            cursor = text(page, "next_cursor");
        } while (!cursor.empty());
        return ids;
    }
    void check_execution(const std::string& key, const std::string& id) {
        const json::Document info = get(path_of(id));
        EXPECT_EQ(text(info, "public_state"), "completed") << id;
        const auto result = load_->insist("GET", path_of(id) + "/result");
        EXPECT_EQ(result->body, "r:" + key) << id;
        const auto attempts = load_->insist("GET", path_of(id) + "/attempts");
        std::size_t successes = 0;
        for (std::size_t at = 0;
             (at = attempts->body.find("ended_success", at)) != std::string::npos; ++at) {
            ++successes;
        }
        EXPECT_EQ(successes, 1U) << attempts->body;
    }
    void check(const History& history) {
        for (const std::string& violation : history.violations) ADD_FAILURE() << violation;
        for (const auto& [key, id] : history.created) check_execution(key, id);
        std::set<std::string> expected;
        for (const auto& [key, id] : history.created) expected.insert(id);
        EXPECT_EQ(expected.size(), history.created.size()) << "two keys share an execution";
        for (const auto& [id, times] : history.completed) {
            EXPECT_LE(times, 1) << "acknowledged as new more than once: " << id;
        }
        for (const std::string& flow : history.flows) {
            EXPECT_EQ(text(get("/v1/flows/" + flow), "public_flow_state"), "completed") << flow;
        }
        EXPECT_EQ(ended().size(), expected.size() + 4 * history.flows.size());
    }

    testing::TempDir folder_{};
    Server server_{folder_.file("data")};
    std::optional<ServerLoad> load_{};
};

TEST_F(ServerKill, LosesNothingThatWasAcknowledgedAndDoublesNothing) {
    SecureRandom random;
    const std::uint64_t seed = random.below(0xffffffffU);
    RecordProperty("seed", std::to_string(seed));
    SCOPED_TRACE("seed " + std::to_string(seed));
    load_.emplace(seed);
    load_->set_port(server_.start());
    for (int kill = 0; kill < kills(); ++kill) {
        const std::size_t goal = load_->acknowledged() + 20 + random.below(60);
        ASSERT_TRUE(
            testing::wait_until([&] { return load_->acknowledged() >= goal; }, Millis(60'000)))
            << "no progress after " << kill << " kills";
        server_.kill();
        load_->set_port(0);
        load_->set_port(server_.start());
    }
    load_->stop_creating();
    const std::size_t created = load_->history().created.size();
    EXPECT_GT(created, 0U);
    ASSERT_TRUE(testing::wait_until(
        [&] {
            const History history = load_->history();
            return ended().size() >= history.created.size() + 4 * history.flows.size();
        },
        kDrainMost))
        << "not everything came to its end";
    check(load_->history());
    EXPECT_GT(load_->history().suspended.size(), 0U);
    load_->stop();
}

}  // namespace
}  // namespace ff::fault
