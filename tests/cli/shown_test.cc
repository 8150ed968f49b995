#include <algorithm>
#include <map>

#include "cli/cli_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

TEST_F(Cli, GetShowsStepsAsATableAndWhole) {
    const std::string id = world.submit(lane);
    EXPECT_TRUE(run({"get", id, "--steps"}).tells("no steps are recorded"));
    flowfabric::Worker worker = world.worker(lane);
    flowfabric::Task task = claim(worker);
    const std::string long_text(300, 'x');
    const std::string bytes("\xff\x00", 2);
    ASSERT_TRUE(task.record_step("search", "[\"a\",\n\"b\"]", "json").has_value());
    ASSERT_TRUE(task.record_step("long", long_text).has_value());
    ASSERT_TRUE(task.record_step("raw", bytes, "bytes").has_value());
    const Said table = run({"get", id, "--steps"});
    ASSERT_EQ(table.exit_code, 0) << table.err;
    for (const std::string part : {"STEP", "search  json", "[\"a\", \"b\"]", "xxx...", "(bytes)"})
        EXPECT_TRUE(table.tells(part)) << part << " is not in\n" << table.out;
    EXPECT_FALSE(table.tells(long_text));
    const Json whole = run({"get", id, "--steps", "--json"}).json();
    EXPECT_EQ(whole["public_state"].text(), "active");
    const auto steps = whole["steps"].items();
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0]["encoding"].text(), "json");
    EXPECT_EQ(steps[1]["value"].text(), long_text);
    EXPECT_EQ(steps[1]["attempt_index"].integer(), 0);
    EXPECT_EQ(steps[2]["value_base64"].text(), "/wA=");
    EXPECT_TRUE(run({"get", id, "--json"}).json()["steps"].is_null());
    ASSERT_TRUE(task.complete().has_value());
}

TEST_F(Cli, SubmitGetAndListShowAnExecution) {
    const Said created =
        run({"submit", "greet", "--payload", "hi", "--lane", lane, "--tag", "a=b"});
    ASSERT_EQ(created.exit_code, 0) << created.err;
    const std::string id = created.out.substr(0, created.out.find('\n'));
    const Said again = run({"submit", "greet", "--file", file("p", "bytes"), "--lane", lane,
                            "--idempotency-key", lane, "--json"});
    EXPECT_EQ(again.json()["status"].text(), "created");
    EXPECT_EQ(run({"submit", "greet", "--lane", lane, "--idempotency-key", lane, "--json"})
                  .json()["status"]
                  .text(),
              "duplicate");
    EXPECT_TRUE(id.starts_with("fp.")) << id << " has braces that shells take apart";
    const Said card = run({"get", id});
    for (const std::string part :
         {"state     waiting", "kind      greet", "tags      a=b", " ago)"})
        EXPECT_TRUE(card.tells(part)) << part << " is not in\n" << card.out;
    EXPECT_EQ(run({"get", id, "--json"}).json()["public_state"].text(), "waiting");
    EXPECT_TRUE(run({"explain", id}).tells("waits for a worker"));
    EXPECT_FALSE(run({"explain", id, "--json"}).json()["summary"].text().empty());
    EXPECT_FALSE(run({"get", id, "--explain", "--json"}).json()["explain"].is_null());
    const Said table = run({"list", "--lane", lane});
    EXPECT_TRUE(table.tells("EXECUTION") && table.tells(id)) << table.out;
    EXPECT_EQ(table.out.find('\x1b'), std::string::npos) << "colours are for terminals";
    EXPECT_EQ(run({"list", "--lane", lane, "--json"}).json()["executions"].items().size(), 2U);
    expect_usage({"submit"}, "kind");
    expect_usage({"submit", "k", "--payload", "a", "--file", "b"}, "--file");
    expect_usage({"submit", "k", "--policy", "{"}, "--policy");
    expect_usage({"submit", "k", "--priority", "many"}, "--priority");
    expect_usage({"submit", "k", "--file", "none/such"}, "none/such");
    expect_usage({"get"}, "execution");
    expect_usage({"list", "--state", "bogus"}, "--state");
    expect_usage({"list", "--tag", "a:b"}, "--namespace");
    expect_usage({"list", "--limit", "0"}, "--limit");
    EXPECT_EQ(run({"get", "{fp:1}:00000000-0000-4000-8000-000000000000"}).exit_code, 1);
}

TEST_F(Cli, Repair_21_TheCardShowsThePolicyInForceAndExplainSaysWhatFollowsAFailure) {
    ASSERT_TRUE(client.set_lane(lane, {.default_policy = R"({"retry_policy":{"max_retries":4}})"})
                    .has_value());
    const Said created = run({"submit", "greet", "--lane", lane, "--policy", R"({"priority":2})"});
    ASSERT_EQ(created.exit_code, 0) << created.err;
    const std::string id = created.out.substr(0, created.out.find('\n'));
    const Said card = run({"get", id});
    EXPECT_TRUE(card.tells(R"({"priority":2,"retry_policy":{"max_retries":4}})")) << card.out;
    EXPECT_TRUE(card.tells("0 of 4 retries used")) << card.out;
    EXPECT_TRUE(run({"explain", id}).tells("0 of 4 retries used"));
}

TEST_F(Cli, Repair_23_SubmitAndGetSayHowLongAnExecutionIsKept) {
    const std::vector<std::string> submit{"submit", "greet", "--lane", lane, "--idempotency-key",
                                          lane,     "--json"};
    const Json made = run(submit).json();
    EXPECT_EQ(made["retention_ms"].integer(), 86'400'000);
    const std::string id = made["execution_id"].text();
    EXPECT_TRUE(run({"get", id}).tells("expires   1 d 0 h after its end")) << run({"get", id}).out;
    ASSERT_EQ(run({"cancel", id}).exit_code, 0);
    const Said card = run({"get", id});
    EXPECT_TRUE(card.tells("expires   2")) << card.out;
    EXPECT_TRUE(card.tells("(in 23 h 59 min)")) << card.out;
    const std::int64_t expires = run({"get", id, "--json"}).json()["expires_at"].integer();
    EXPECT_GT(expires, 0);
    EXPECT_EQ(run(submit).json()["expires_at"].integer(), expires);
    const Said again = run({submit.begin(), submit.end() - 1});
    EXPECT_NE(again.err.find("kept until"), std::string::npos) << again.err;
    const Json listed = run({"list", "--lane", lane, "--json"}).json();
    EXPECT_EQ(listed["executions"].items().at(0)["expires_at"].integer(), expires);
}

TEST_F(Cli, ListShowsTheNewestOfEverythingByTheWordsItPrints) {
    const std::string other = DoorWorld::unique("cli-ns");
    const auto made = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"submit", "listed", "--lane", lane});
        const Said said = run(std::move(more));
        return said.out.substr(0, said.out.find('\n'));
    };
    const std::string waiting = made({"--tag", "team=docs"});
    const std::string delayed = made({"--namespace", other, "--delay-ms", "3600000"});
    const std::string cancelled = made({});
    ASSERT_EQ(run({"cancel", cancelled}).exit_code, 0);
    const Said all = run({"list"});
    EXPECT_LT(all.out.find(cancelled), all.out.find(delayed)) << all.out;
    EXPECT_LT(all.out.find(delayed), all.out.find(waiting)) << all.out;
    EXPECT_NE(all.out.find(waiting), std::string::npos) << all.out;
    for (const auto& [state, id] : std::map<std::string, std::string>{
             {"waiting", waiting}, {"delayed", delayed}, {"cancelled", cancelled}}) {
        const Said listed = run({"list", "--lane", lane, "--state", state});
        for (const std::string& one : {waiting, delayed, cancelled})
            EXPECT_EQ(listed.tells(one), one == id) << state << "\n" << listed.out;
    }
    const Said first = run({"list", "--lane", lane, "--limit", "2", "--json"});
    const Said rest = run({"list", "--lane", lane, "--limit", "2", "--json", "--cursor",
                           first.json()["next_cursor"].text()});
    EXPECT_EQ(first.json()["executions"].items().size(), 2U);
    EXPECT_EQ(rest.json()["executions"].items().size(), 1U) << rest.out;
    for (const std::string& tag : {std::string("team=docs"), std::string("team:docs")})
        EXPECT_TRUE(run({"list", "--namespace", "default", "--tag", tag}).tells(waiting)) << tag;
    EXPECT_NE(run({"list", "--lane", "no-such-lane"}).err.find("no executions match"),
              std::string::npos);
}

TEST_F(Cli, RefusalsAreSentencesAndWithJsonDocuments) {
    const Said refused = run({"submit", "k", "--policy", R"({"retry_polcy":1})"});
    EXPECT_NE(refused.err.find("did you mean `retry_policy`?"), std::string::npos) << refused.err;
    const auto error_of = [&](std::vector<std::string> arguments) {
        arguments.push_back("--json");
        const Said said = run(std::move(arguments));
        EXPECT_NE(said.exit_code, 0);
        EXPECT_EQ(said.out, "");
        const auto document = Json::parse(said.err);
        return document.has_value() ? *document : Json();
    };
    const Json missing = error_of({"get", "fp.3.00000000-0000-4000-8000-000000000000"});
    EXPECT_EQ(missing["code"].text(), "execution_not_found") << missing.dump();
    EXPECT_EQ(missing["status"].integer(), 404);
    EXPECT_TRUE(missing["message"].text().starts_with("There is no execution")) << missing.dump();
    EXPECT_EQ(error_of({"submit", "k", "--policy", "{"})["message"].text(),
              "--policy is no JSON: {");
    EXPECT_EQ(error_of({"get", "x", "--server", "http://127.0.0.1:1"})["code"].text(), "http");
}

}  // namespace
}  // namespace ff::testing
