#include "api/signal_world.h"

namespace ff::testing {
namespace {

/// What an execution waits for, and what its waitpoints got (spec 03, section 7.5).
class Conditions : public SignalApi {
  protected:
    json::Value node(const JsonReply& reply, std::size_t index) {
        return reply.json().find("nodes")->element(index);
    }
    static std::int64_t integer(const json::Value& object, std::string_view name) {
        const auto member = object.find(name);
        return member ? member->as_integer().value_or(-1) : -1;
    }
    JsonReply from(const Held& held, const std::string& waitpoint, const std::string& token,
                   std::string_view source) {
        return signal(held, waitpoint, token,
                      R"(,"source_type":"us:er","source_identity":")" + std::string(source) + "\"");
    }
};

TEST_P(Conditions, OfAFlatKindTellTheirMatchers) {
    const Held held = start();
    const std::string path = held.path("/suspension/condition");
    EXPECT_EQ(world().get(path).code(), "execution_not_suspended");
    const JsonReply suspended =
        world().post(held.path("/suspend"),
                     "{" + held.lease() + R"(,"signals":["approved","paid"],"match":"all"})");
    ASSERT_EQ(suspended.status, 200) << suspended.body;
    const JsonReply before = world().get(path);
    ASSERT_EQ(before.status, 200) << before.body;
    EXPECT_EQ(before.text("suspension_id"), suspended.text("suspension_id"));
    EXPECT_EQ(before.text("match_mode"), "all");
    EXPECT_EQ(before.integer("remaining"), 2);
    EXPECT_FALSE(before.flag("satisfied"));
    const std::string id = suspended.text("waitpoint_id");
    const JsonReply sent = signal(held, id, suspended.text("waitpoint_token"));
    ASSERT_EQ(sent.status, 200) << sent.body;
    const JsonReply after = world().get(path);
    EXPECT_EQ(after.integer("remaining"), 1);
    const auto matchers = after.json().find("matchers");
    ASSERT_EQ(matchers->size(), 2U) << after.body;
    EXPECT_EQ(matchers->element(0).find("name")->as_string(), "approved");
    EXPECT_EQ(matchers->element(0).find("satisfied")->as_bool(), true);
    EXPECT_EQ(matchers->element(0).find("signal_id")->as_string(), sent.text("signal_id"));
    EXPECT_EQ(matchers->element(1).find("satisfied")->as_bool(), false);
    EXPECT_EQ(after.json().find("nodes")->size(), 0U);
    // Looking changes nothing.
    EXPECT_EQ(world().get(path).body, after.body);
    EXPECT_EQ(state(held), "suspended");
    ASSERT_EQ(world().post(held.path("/resume"), "{}").status, 200);
    EXPECT_EQ(world().get(path).code(), "execution_not_suspended");
    EXPECT_EQ(world()
                  .get("/v1/executions/" + encode("{fp:7}:11111111-2222-4333-8444-555555555555") +
                       "/suspension/condition")
                  .status,
              404);
}

TEST_P(Conditions, OfATreeTellHowFarEachNodeIs) {
    const Held held = start();
    const std::string count = R"({"kind":"Count","n":3,"count_kind":"DistinctSources",)"
                              R"("waitpoints":["a"]})";
    const JsonReply suspended = world().post(
        held.path("/suspend"),
        "{" + held.lease() +
            R"(,"resume_condition":{"v":1,"composite":true,"tree":{"kind":"AllOf","members":[)" +
            count + R"(,{"kind":"Single","waitpoint_key":"b","matcher":{"kind":"Wildcard"}}]}},)" +
            R"("waitpoint":{"waitpoint_key":"a"},"additional_waitpoints":[{"waitpoint_key":"b"}]})");
    ASSERT_EQ(suspended.status, 200) << suspended.body;
    const std::string a = suspended.text("waitpoint_id");
    const std::string token = suspended.text("waitpoint_token");
    for (const char* source : {"alice", "bob", "alice"})
        ASSERT_EQ(from(held, a, token, source).status, 200);
    const JsonReply half = world().get(held.path("/suspension/condition"));
    ASSERT_EQ(half.json().find("nodes")->size(), 3U) << half.body;
    EXPECT_EQ(half.text("condition_type"), "composite");
    EXPECT_EQ(half.integer("remaining"), 2);
    EXPECT_EQ(integer(node(half, 0), "remaining"), 2);
    EXPECT_EQ(node(half, 1).find("path")->as_string(), "members[0]");
    EXPECT_EQ(integer(node(half, 1), "remaining"), 1);
    EXPECT_EQ(integer(*node(half, 1).find("sources_by_type"), "us:er"), 2);
    EXPECT_EQ(node(half, 2).find("kind")->as_string(), "Single");
    EXPECT_FALSE(node(half, 2).find("sources_by_type").has_value());
    ASSERT_EQ(from(held, a, token, "carol").status, 200);
    const JsonReply more = world().get(held.path("/suspension/condition"));
    EXPECT_EQ(node(more, 1).find("satisfied")->as_bool(), true) << more.body;
    EXPECT_EQ(integer(node(more, 0), "remaining"), 1);
    EXPECT_EQ(more.body.find("waitpoint_token"), std::string::npos);
}

TEST_P(Conditions, TheSignalsOfAWaitpointComeInTheOrderThatCounts) {
    const Held held = start();
    const JsonReply waitpoint = pending(held, "one");
    const std::string id = waitpoint.text("waitpoint_id");
    std::vector<std::string> sent;
    for (int i = 0; i < 5; ++i)
        sent.push_back(signal(held, id, waitpoint.text("waitpoint_token")).text("signal_id"));
    const std::string path = held.path("/waitpoints/" + id + "/signals?limit=2");
    std::vector<std::string> seen;
    std::string after;
    for (int pages = 0; pages < 4; ++pages) {
        const JsonReply page = world().get(path + (after.empty() ? "" : "&after=" + after));
        ASSERT_EQ(page.status, 200) << page.body;
        const auto signals = page.json().find("signals");
        for (std::size_t i = 0; i < signals->size(); ++i)
            seen.emplace_back(*signals->element(i).find("signal_id")->as_string());
        if (!page.has("next_cursor")) break;
        after = page.text("next_cursor");
    }
    EXPECT_EQ(seen, sent);
    EXPECT_EQ(world().get(path + "&after=nonsense").status, 400);
    EXPECT_EQ(world().get(held.path("/waitpoints/" + id + "/signals?limit=0")).status, 400);
    const Held other = start();
    EXPECT_EQ(world().get(other.path("/waitpoints/" + id + "/signals")).code(),
              "waitpoint_not_found");
}

INSTANTIATE_TEST_SUITE_P(Stores, Conditions, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
