#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "flowfabric/flowfabric.h"
#include "sdk/door_world.h"
#include "support/certificates.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::Json;

struct Said {
    int exit_code = 0;
    std::string out{};
    std::string err{};

    Json json() const { return Json::parse(out).value(); }
    bool tells(const std::string& text) const { return out.find(text) != std::string::npos; }
};

/// Every command against a server: its table, its JSON, and a bad call.
class Cli : public ::testing::Test {
  protected:
    DoorWorld& world = door_world("http");
    const flowfabric::AdminClient& client = world.client();
    TempDir folder{};

    Said run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), FF_PROGRAM);
        Process process({.args = std::move(arguments),
                         .env = {{"FF_SERVER_URL", world.config("x").server_url}},
                         .directory = folder.path().string()});
        const int code = process.wait_for_exit().value_or(-1);
        return {code, process.out(), process.err()};
    }
    /// A bad call: exit 2, nothing on standard output, and a message that names the culprit.
    void expect_usage(std::vector<std::string> arguments, const std::string& culprit) {
        const Said said = run(std::move(arguments));
        EXPECT_EQ(said.exit_code, 2) << said.out << said.err;
        EXPECT_EQ(said.out, "");
        EXPECT_NE(said.err.find(culprit), std::string::npos) << said.err;
    }
    std::string file(const std::string& name, const std::string& text) {
        std::ofstream(folder.file(name)) << text;
        return folder.file(name);
    }
    std::string lane = DoorWorld::unique("cli");

    flowfabric::Task claim(flowfabric::Worker& worker) {
        return std::move(worker.claim_tasks(1, kPatience).value().at(0));
    }
};

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

TEST_F(Cli, SubmitFollowsTheOutputOfAllAttempts) {
    Process submit({.args = {FF_PROGRAM, "submit", "talk", "--lane", lane, "--follow", "--policy",
                             R"({"retry_policy":{"max_retries":1}})", "--server",
                             world.config("x").server_url}});
    flowfabric::Worker worker = world.worker(lane);
    flowfabric::Task first = claim(worker);
    ASSERT_TRUE(first.append_frame("token", "one ").has_value());
    ASSERT_TRUE(wait_until([&] { return submit.out().find("one ") != std::string::npos; }))
        << submit.out() << submit.err();
    ASSERT_TRUE(first.fail("again", "transient").has_value());
    flowfabric::Task second = claim(worker);
    ASSERT_TRUE(second.append_frame("token", "two ").has_value());
    ASSERT_TRUE(second.append_frame("log", "nearly").has_value());
    ASSERT_TRUE(second.complete("three").has_value());
    EXPECT_EQ(submit.wait_for_exit(), 0) << submit.err();
    EXPECT_NE(submit.out().find("one two \nlog  nearly\nthree\n"), std::string::npos)
        << submit.out();
}

TEST_F(Cli, CancelAndRetryChangeIt) {
    const std::string id = world.submit(lane);
    const Said cancelled = run({"cancel", id, "--reason", "test"});
    EXPECT_EQ(cancelled.exit_code, 0) << cancelled.err;
    EXPECT_TRUE(cancelled.tells("cancelled"));
    EXPECT_EQ(run({"cancel", id, "--json"}).json()["public_state"].text(), "cancelled");
    EXPECT_EQ(run({"retry", id, "--json"}).json()["status"].text(), "replayed");
    EXPECT_EQ(run({"retry", id}).exit_code, 1) << "it has not ended";
    ASSERT_EQ(run({"cancel", id}).exit_code, 0);
    const Said retried = run({"retry", id});
    EXPECT_TRUE(retried.tells("FIELD") && retried.tells("waiting")) << retried.out;
    expect_usage({"cancel"}, "execution");
    expect_usage({"retry", id, "--times", "3"}, "--times");
}

TEST_F(Cli, WatchAndTailFollowToTheEnd) {
    const std::string id = world.submit(lane);
    flowfabric::Worker worker = world.worker(lane);
    flowfabric::Task task = claim(worker);
    ASSERT_TRUE(task.append_frame("log", "a line of output").has_value());
    ASSERT_TRUE(task.complete("result").has_value());
    const Said watched = run({"watch", id});
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    EXPECT_TRUE(watched.tells("completed"));
    EXPECT_EQ(run({"watch", id, "--json"}).json()["public_state"].text(), "completed");
    const Said tailed = run({"tail", id});
    EXPECT_EQ(tailed.exit_code, 0) << tailed.err;
    EXPECT_TRUE(tailed.tells("a line of output"));
    EXPECT_EQ(run({"tail", id, "--json"}).json()["frame_type"].text(), "log");
    EXPECT_EQ(run({"get", id, "--result"}).out, "result");
    expect_usage({"watch", id, "--timeout-ms", "soon"}, "--timeout-ms");
    expect_usage({"watch"}, "execution");
    expect_usage({"tail", id, "--attempt", "x"}, "--attempt");
    const Said impatient = run({"watch", world.submit(lane), "--timeout-ms", "50"});
    EXPECT_EQ(impatient.exit_code, 1);
    EXPECT_NE(impatient.err.find("not ended in time"), std::string::npos) << impatient.err;
}

TEST_F(Cli, WatchIsWokenByWhatHappens) {
    flowfabric::Worker worker = world.worker(lane);
    const std::string id = world.submit(lane);
    Process watch({.args = {FF_PROGRAM, "watch", id, "--server", world.config("x").server_url}});
    ASSERT_TRUE(wait_until([&] { return watch.out().find("waiting") != std::string::npos; }))
        << watch.err();
    flowfabric::Task task = claim(worker);
    ASSERT_TRUE(wait_until([&] { return watch.out().find("active") != std::string::npos; }))
        << watch.err();
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(task.complete().has_value());
    EXPECT_EQ(watch.wait_for_exit(), 0) << watch.err();
    // Left alone it looks every ten seconds.
    EXPECT_LT(std::chrono::steady_clock::now() - begun, Millis(5000));
    EXPECT_NE(watch.out().find("completed"), std::string::npos) << watch.out();
}

TEST_F(Cli, ApproveGivesAnAddressToAnswerAtAndTakesItBack) {
    flowfabric::Worker worker = world.worker(lane);
    const std::string id = world.submit(lane);
    ASSERT_TRUE(claim(worker).suspend({.signals = {"approved"}}).has_value());
    const Said plain = run({"approve", id, "--link", "--for", "ann"});
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_TRUE(plain.out.starts_with("http://127.0.0.1:")) << plain.out;
    EXPECT_NE(plain.out.find("/approve/"), std::string::npos) << plain.out;
    EXPECT_EQ(std::ranges::count(plain.out, '\n'), 1) << plain.out;
    const Said made = run({"approve", id, "--link", "--expires-ms", "60000", "--json"});
    EXPECT_EQ(made.json()["link_id"].text().size(), 16U) << made.out;
    const Said ended = run({"approve", id, "--revoke-links", "--json"});
    EXPECT_EQ(ended.json()["revoked"].integer(), 2) << ended.out;
    const Said wrong = run({"approve", id, "--link", "--expires-ms", "0"});
    EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
    EXPECT_EQ(run({"approve", id}).exit_code, 0);
}

TEST_F(Cli, SignalAndApproveResumeIt) {
    flowfabric::Worker worker = world.worker(lane);
    for (const auto& [how, as_json] : std::vector<std::pair<std::string, bool>>{
             {"signal", true}, {"signal", false}, {"approve", true}, {"approve", false}}) {
        const std::string id = world.submit(lane);
        flowfabric::Task task = claim(worker);
        ASSERT_TRUE(
            task.suspend({.reason = "waiting_for_approval", .signals = {"go"}}).has_value());
        std::vector<std::string> command{how, id};
        if (how == "signal") command.insert(command.end(), {"go", "--payload", "x"});
        if (how == "approve") command.insert(command.end(), {"--actor", "ada"});
        if (as_json) command.push_back("--json");
        const Said said = run(command);
        EXPECT_EQ(said.exit_code, 0) << said.err;
        if (as_json) {
            EXPECT_TRUE(said.json()["resumed"].boolean()) << said.out;
        } else {
            EXPECT_TRUE(said.tells("FIELD") && said.tells("accepted")) << said.out;
        }
        ASSERT_TRUE(claim(worker).complete().has_value());
        const Said late = how == "signal" ? run({"signal", id, "go"}) : run({"approve", id});
        EXPECT_EQ(late.exit_code, 1);
        EXPECT_NE(late.err.find("it waits for no signal"), std::string::npos) << late.err;
    }
    expect_usage({"signal", "x"}, "name");
    expect_usage({"approve"}, "execution");
    expect_usage({"approve", "x", "go"}, "go");
}

TEST_F(Cli, FlowsAreSubmittedDrawnAndCancelled) {
    const std::string graph =
        R"({"flow_kind":"cli","namespace":"default","defaults":{"lane_id":")" + lane +
        R"("},"nodes":[{"name":"a","execution_kind":"k"},
        {"name":"b","execution_kind":"k","depends_on":["a"]}]})";
    const Said submitted = run({"flow", "submit", file("graph", graph), "--json"});
    ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
    const std::string flow = submitted.json()["flow_id"].text();
    EXPECT_TRUE(run({"flow", "submit", file("graph", graph)}).tells("EXECUTION"));
    const Said drawn = run({"flow", "show", flow});
    EXPECT_TRUE(drawn.tells("· a") && drawn.tells("└─ · b")) << drawn.out << drawn.err;
    EXPECT_EQ(run({"flow", "show", flow, "--json"}).json()["nodes"].items().size(), 2U);
    const Said listed = run({"flow", "list", "--namespace", "default", "--limit", "1000"});
    EXPECT_TRUE(listed.tells("FLOW") && listed.tells(flow)) << listed.out << listed.err;
    EXPECT_FALSE(run({"flow", "list", "--json"}).json()["flows"].items().empty());
    expect_usage({"flow", "list", "--limit", "0"}, "--limit");
    const Said cancelled = run({"flow", "cancel", flow, "--wait-ms", "5000", "--json"});
    EXPECT_EQ(cancelled.json()["status"].text(), "cancelled") << cancelled.out;
    EXPECT_TRUE(run({"flow", "cancel", flow}).tells("cancelled"));
    const Said bad =
        run({"flow", "submit", file("bad", R"({"flow_kind":"x","nodes":[{"nme":"a"}]})")});
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_NE(bad.err.find("nodes"), std::string::npos) << bad.err;
    expect_usage({"flow"}, "subcommand");
    expect_usage({"flow", "submit", file("no", "no json")}, "no JSON");
    expect_usage({"flow", "show"}, "flow");
    expect_usage({"flow", "cancel", flow, "--wait-ms", "-1"}, "--wait-ms");
}

TEST_F(Cli, BudgetsAndQuotasAreMadeAndShown) {
    const Said made = run({"budget", "create", "--hard", "tokens=10", "--scope", "lane:" + lane});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string budget = made.out.substr(0, made.out.find('\n'));
    EXPECT_TRUE(run({"budget", "show", budget}).tells("tokens"));
    EXPECT_EQ(run({"budget", "show", budget, "--json"}).json()["budget_id"].text(), budget);
    EXPECT_EQ(run({"budget", "create", "--hard", "usd=1", "--scope", "lane:x", "--json"})
                  .json()["status"]
                  .text(),
              "created");
    EXPECT_EQ(run({"budget", "reset", budget, "--json"}).json()["status"].text(), "reset");
    EXPECT_TRUE(run({"budget", "reset", budget}).tells("reset"));
    EXPECT_EQ(run({"quota", "create", "--rate", "5"}).out.find('{'), std::string::npos);
    const Said quota =
        run({"quota", "create", "--concurrent", "3", "--scope", "lane:" + lane, "--json"});
    ASSERT_EQ(quota.exit_code, 0) << quota.err;
    const std::string id = quota.json()["quota_policy_id"].text();
    EXPECT_TRUE(run({"quota", "show", id}).tells("max_concurrent"));
    EXPECT_FALSE(run({"quota", "show", id, "--json"}).json().members().empty());
    const Said budgets = run({"budget", "list", "--limit", "1000"});
    EXPECT_TRUE(budgets.tells(budget) && budgets.tells("tokens 0/10")) << budgets.out;
    EXPECT_EQ(run({"budget", "list", "--limit", "1", "--json"}).json()["budgets"].items().size(),
              1U);
    EXPECT_NE(run({"budget", "list", "--limit", "1"}).err.find("more: --cursor"),
              std::string::npos);
    const Said quotas = run({"quota", "list", "--limit", "1000"});
    EXPECT_TRUE(quotas.tells(id) && quotas.tells("0/3")) << quotas.out;
    EXPECT_FALSE(run({"quota", "list", "--json"}).json()["quotas"].items().empty());
    expect_usage({"budget", "list", "--limit", "x"}, "--limit");
    expect_usage({"quota", "list", "all"}, "all");
    expect_usage({"budget", "create"}, "--hard");
    expect_usage({"budget", "create", "--hard", "tokens"}, "--hard");
    expect_usage({"budget", "create", "--hard", "a=1"}, "--scope");
    expect_usage({"budget", "create", "--hard", "a=1", "--scope", "lane"}, "--scope");
    expect_usage({"budget", "create", "--hard", "a=1", "--soft", "b=1"}, "--soft");
    expect_usage({"budget", "show"}, "budget");
    expect_usage({"budget", "reset"}, "budget");
    expect_usage({"quota", "create"}, "--rate");
    expect_usage({"quota", "create", "--rate", "x"}, "--rate");
    expect_usage({"quota", "show"}, "quota");
}

TEST_F(Cli, OperatorsSeeLanesWorkersAndHealth) {
    world.submit(lane);
    EXPECT_TRUE(run({"lanes", "list"}).tells(lane));
    EXPECT_FALSE(run({"lanes", "list", "--json"}).json()["lanes"].items().empty());
    EXPECT_EQ(run({"lanes", "set", lane, "--state", "paused", "--json"}).json()["status"].text(),
              "set");
    EXPECT_TRUE(run({"lanes", "list"}).tells("paused"));
    EXPECT_TRUE(run({"lanes", "set", lane, "--weight", "3"}).tells("FIELD"));
    const flowfabric::Worker worker = world.worker(lane);
    EXPECT_TRUE(run({"workers"}).tells(worker.config().worker_instance_id));
    EXPECT_FALSE(run({"workers", "--json"}).json()["workers"].items().empty());
    const Said reading = run({"doctor"});
    EXPECT_EQ(reading.exit_code, 0) << reading.out;
    EXPECT_FALSE(reading.tells("indexes")) << "it wrote without being asked to";
    const Said doctor = run({"doctor", "--write"});
    EXPECT_EQ(doctor.exit_code, 0) << doctor.out;
    for (const std::string part : {"store", "health", "memory", "library", "functions",
                                   "partitions", "clocks", "indexes", "removed"})
        EXPECT_TRUE(doctor.tells(part)) << part << " is not in\n" << doctor.out;
    const Json checks = run({"doctor", "--json"}).json();
    EXPECT_TRUE(checks["ok"].boolean());
    EXPECT_EQ(checks["checks"].items().size(), 8U);
    EXPECT_FALSE(run({"lanes", "list"}).tells("flowfabric.doctor"));
    const Said ill = run({"doctor", "--server", "http://127.0.0.1:1"});
    EXPECT_EQ(ill.exit_code, 1);
    EXPECT_TRUE(ill.tells("bad")) << ill.out;
    expect_usage({"lanes", "list", "all"}, "all");
    expect_usage({"lanes", "set", lane}, "--state");
    expect_usage({"lanes", "set", lane, "--state", "asleep"}, "--state");
    expect_usage({"lanes", "set", lane, "--weight", "1001"}, "--weight");
    expect_usage({"workers", "all"}, "all");
    expect_usage({"doctor", "--fast"}, "--fast");
}

TEST_F(Cli, BackupCopiesTheDataOfARunningAndOfAStoppedServer) {
    const std::string id = world.submit(lane);
    const Said copied = run({"backup", world.backups() + "/copy", "--json"});
    ASSERT_EQ(copied.exit_code, 0) << copied.err;
    const Said second =
        run({"backup", folder.file("second"), "--data-dir", world.backups() + "/copy"});
    ASSERT_EQ(second.exit_code, 0) << second.err;
    const auto engine = flowfabric::Engine::open({.data_dir = folder.file("second")}).value();
    EXPECT_EQ(engine->client().get_state(id).value(), "waiting");
    EXPECT_EQ(
        run({"backup", folder.file("third"), "--data-dir", folder.file("none/such")}).exit_code, 1);
    expect_usage({"backup"}, "folder");
}

TEST_F(Cli, BenchMeasuresAServer) {
    const Said figures = run({"bench", "--tasks", "40", "--workers", "4", "--json"});
    ASSERT_EQ(figures.exit_code, 0) << figures.err;
    EXPECT_GT(figures.json()["whole_per_second"].number(), 0);
    EXPECT_TRUE(run({"bench", "--tasks", "10"}).tells("work_per_second"));
    EXPECT_FALSE(run({"lanes", "list"}).tells("bench-")) << "it left a lane behind";
    expect_usage({"bench", "--tasks", "0"}, "--tasks");
}

TEST_F(Cli, VersionCompletionAndDevSpeak) {
    EXPECT_TRUE(run({"version"}).tells("flowfabric "));
    EXPECT_EQ(run({"--version"}).out, run({"version"}).out);
    EXPECT_TRUE(run({"console", "--json"}).json()["url"].text().ends_with("/console/"));
    EXPECT_EQ(run({"console", "--server", "http://127.0.0.1:1"}).exit_code, 1);
    expect_usage({"console", "now"}, "now");
    EXPECT_FALSE(run({"version", "--json"}).json()["version"].text().empty());
    for (const std::string shell : {"bash", "zsh"})
        EXPECT_TRUE(run({"completion", shell}).tells("complete -o default"));
    Process bash({.args = {"bash", "-c",
                           "eval \"$(\"$0\" completion bash)\"; COMP_WORDS=(flowfabric flow s); "
                           "COMP_CWORD=2; _flowfabric; echo \"${COMPREPLY[@]}\"",
                           FF_PROGRAM}});
    EXPECT_EQ(bash.wait_for_exit(), 0) << bash.err();
    EXPECT_NE(bash.out().find("submit show"), std::string::npos) << bash.out();
    Process dev({.args = {FF_PROGRAM, "dev", "--listen", "127.0.0.1:0"}});
    EXPECT_TRUE(dev.wait_for_line("curl -fsS http://127.0.0.1:").has_value()) << dev.err();
    dev.signal(SIGTERM);
    EXPECT_EQ(dev.wait_for_exit(), 0) << dev.err();
    expect_usage({"completion", "fish"}, "fish");
    expect_usage({"version", "now"}, "now");
    expect_usage({"dev", "--port", "1"}, "--port");
    expect_usage({"server", "--no-such-flag", "1"}, "--no-such-flag");
    expect_usage({"no-such-command"}, "no-such-command");
    expect_usage({"flow", "draw"}, "flow draw");
    expect_usage({}, "subcommand");
    EXPECT_EQ(run({"get", "x", "--server", "http://127.0.0.1:1"}).exit_code, 1);
    expect_usage({"get", "x", "--server", "ftp://h"}, "ftp://h");
}

TEST_F(Cli, SpeaksTlsAndUnixSockets) {
    const Certificates keys;
    const std::string path = folder.file("api.sock");
    const ServerProcess secure({{"FF_DATA_DIR", ":memory:"},
                                {"FF_LISTEN_UNIX", path},
                                {"FF_LISTEN_TLS_CERT_FILE", keys.server_certificate_file()},
                                {"FF_LISTEN_TLS_KEY_FILE", keys.server_key_file()}});
    const std::string id =
        run({"submit", "k", "--server", secure.url(), "--ca-file", keys.ca_file(), "--json"})
            .json()["execution_id"]
            .text();
    EXPECT_TRUE(run({"get", id, "--server", secure.url(), "--insecure"}).tells("waiting"));
    EXPECT_TRUE(run({"get", id, "--server", "unix:" + path}).tells("waiting"));
    const Said doubtful = run({"get", id, "--server", secure.url()});
    EXPECT_EQ(doubtful.exit_code, 1);
    EXPECT_NE(doubtful.err.find("certificate"), std::string::npos) << doubtful.err;
    expect_usage({"get", id, "--server", secure.url(), "--ca-file", "none/such"}, "none/such");
}

TEST_F(Cli, TheDemoLosesNothingAndDoublesNothing) {
    Process demo({.args = {FF_PROGRAM, "demo", "--yes"}});
    EXPECT_EQ(demo.wait_for_exit(Millis(30'000)), 0) << demo.out() << demo.err();
    const std::string told = demo.out();
    for (const std::string part :
         {"SIGKILL", "reclaimed", "approved", "publish", "lost      nothing", "doubled   nothing"})
        EXPECT_NE(told.find(part), std::string::npos) << told;
    expect_usage({"demo", "--quickly"}, "--quickly");
}

}  // namespace
}  // namespace ff::testing
