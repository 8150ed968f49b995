// A real server, killed without warning again and again while clients use it, or its Valkey, or the
// primaries of its cluster. What it had acknowledged must be there afterwards, once, and everything
// that was begun must come to its end. FF_KILLS says how many kills; the seed of a run is printed.

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/random.h"
#include "fault/killed_system.h"
#include "fault/server_load.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

constexpr Millis kDrainMost{300'000};

class ServerKill : public ::testing::TestWithParam<std::string> {
  protected:
    static std::size_t kills() {
        constexpr std::size_t kFew = 4;
        const char* wanted = std::getenv("FF_KILLS");
        return wanted == nullptr ? kFew : static_cast<std::size_t>(std::atoi(wanted));
    }
    /// How much is acknowledged between two kills.
    static std::uint64_t acknowledged_most() { return std::getenv("FF_KILLS") ? 400 : 60; }

    json::Document get(const std::string& target) {
        const auto answer = load_->insist("GET", target);
        if (answer->status != 200) violate(target + ": " + answer->body);
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
    static std::size_t count(const std::string& text, std::string_view part) {
        std::size_t found = 0;
        for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
        return found;
    }
    void violate(const std::string& what) {
        ++violations_;
        ADD_FAILURE() << what;
    }
    void expect(bool holds, const std::string& what) {
        if (!holds) violate(what);
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
                expect(ids.emplace(*id).second, "listed twice: " + std::string(*id));
            }
            cursor = text(page, "next_cursor");
        } while (!cursor.empty());
        return ids;
    }
    void check_execution(const History& history, const std::string& key, const std::string& id) {
        const std::string state = text(get(path_of(id)), "public_state");
        const std::string attempts = load_->insist("GET", path_of(id) + "/attempts")->body;
        const std::size_t successes = count(attempts, "ended_success");
        if (history.cancelled.contains(id)) {
            expect(state == "cancelled" && successes == 0, id + " was cancelled: " + attempts);
            return;
        }
        // A cancel whose answer was lost may have been made.
        const bool may_be_cancelled = key.ends_with('8') && !history.completed.contains(id);
        if (may_be_cancelled && state == "cancelled") return;
        expect(state == "completed", id + " is " + state);
        const auto result = load_->insist("GET", path_of(id) + "/result");
        expect(result->body == "r:" + key, id + " has the result " + result->body);
        expect(successes == 1, id + " succeeded " + std::to_string(successes) + " times");
    }
    void check_stream(const std::string& id, const std::string& attempt) {
        const auto read = load_->insist("GET", path_of(id) + "/attempts/" + attempt + "/stream");
        expect(count(read->body, R"("frame_type")") == ServerLoad::kFrames,
               id + " has the stream " + read->body);
    }
    void check(const History& history) {
        for (const std::string& violation : history.violations) violate(violation);
        for (const auto& [key, id] : history.created) check_execution(history, key, id);
        for (const auto& [id, attempt] : history.streamed) check_stream(id, attempt);
        std::set<std::string> expected;
        for (const auto& [key, id] : history.created) expected.insert(id);
        expect(expected.size() == history.created.size(), "two keys share an execution");
        for (const auto& [id, times] : history.completed)
            expect(times <= 1, "acknowledged as new more than once: " + id);
        for (const std::string& flow : history.flows) {
            expect(text(get("/v1/flows/" + flow), "public_flow_state") == "completed",
                   "flow " + flow + " is not completed");
        }
        expect(ended().size() == executions(history), "there are executions that nobody created");
    }
    static std::size_t executions(const History& history) {
        return history.created.size() + 4 * history.flows.size();
    }

    std::optional<ServerLoad> load_{};
    std::size_t violations_ = 0;
};

TEST_P(ServerKill, LosesNothingThatWasAcknowledgedAndDoublesNothing) {
    SecureRandom random;
    const std::uint64_t seed = random.below(0xffffffffU);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<KilledSystem> system = KilledSystem::make(GetParam());
    load_.emplace(seed);
    load_->set_port(system->start());
    for (std::size_t kill = 0; kill < kills(); ++kill) {
        const std::size_t goal = load_->acknowledged() + 20 + random.below(acknowledged_most());
        ASSERT_TRUE(
            testing::wait_until([&] { return load_->acknowledged() >= goal; }, Millis(120'000)))
            << "no progress after " << kill << " kills";
        system->kill(*load_, random);
    }
    load_->stop_creating();
    EXPECT_GT(load_->history().created.size(), 0U);
    ASSERT_TRUE(testing::wait_until(
        [&] {
            const History history = load_->history();
            return ended().size() >= executions(history);
        },
        kDrainMost))
        << "not everything came to its end";
    const History history = load_->history();
    check(history);
    EXPECT_GT(history.suspended.size(), 0U);
    std::printf("%s: %zu kills, %zu executions checked, %zu violations (seed %llu)\n",
                GetParam().c_str(), kills(), executions(history), violations_,
                static_cast<unsigned long long>(seed));
    load_->stop();
}

INSTANTIATE_TEST_SUITE_P(Of, ServerKill,
                         ::testing::Values("OneShard", "FourShards", "ValkeyWithAof",
                                           "ClusterFailover"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::fault
