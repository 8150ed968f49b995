#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "flowfabric/flowfabric.h"
#include "sdk/door_world.h"
#include "support/process.h"
#include "support/temp_dir.h"

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
    void expect_usage(std::vector<std::string> arguments) {
        const Said said = run(std::move(arguments));
        EXPECT_EQ(said.exit_code, 2) << said.out << said.err;
        EXPECT_FALSE(said.err.empty());
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
    EXPECT_TRUE(run({"get", id}).tells("waiting"));
    EXPECT_EQ(run({"get", id, "--json"}).json()["execution_id"].text(), id);
    EXPECT_FALSE(run({"get", id, "--explain", "--json"}).json()["explain"].is_null());
    const Said table = run({"list", "--lane", lane});
    EXPECT_TRUE(table.tells("EXECUTION") && table.tells(id)) << table.out;
    EXPECT_EQ(table.out.find('\x1b'), std::string::npos) << "colours are for terminals";
    EXPECT_EQ(run({"list", "--lane", lane, "--json"}).json()["executions"].items().size(), 2U);
    expect_usage({"submit"});
    expect_usage({"submit", "k", "--payload", "a", "--file", "b"});
    expect_usage({"submit", "k", "--policy", "{"});
    expect_usage({"submit", "k", "--priority", "many"});
    expect_usage({"get"});
    expect_usage({"list", "--state", "bogus"});
    expect_usage({"list", "--tag", "a:b"});
    EXPECT_EQ(run({"get", "{fp:1}:00000000-0000-4000-8000-000000000000"}).exit_code, 1);
}

TEST_F(Cli, CancelAndRetryChangeIt) {
    const std::string id = world.submit(lane);
    const Said cancelled = run({"cancel", id, "--reason", "test"});
    EXPECT_EQ(cancelled.exit_code, 0) << cancelled.err;
    EXPECT_TRUE(cancelled.tells("cancelled"));
    EXPECT_EQ(run({"cancel", id, "--json"}).json()["public_state"].text(), "cancelled");
    EXPECT_EQ(run({"retry", id, "--json"}).json()["status"].text(), "replayed");
    EXPECT_EQ(run({"retry", id}).exit_code, 1);
    expect_usage({"cancel"});
    expect_usage({"retry", id, "--times", "3"});
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
    expect_usage({"watch", id, "--timeout-ms", "soon"});
    expect_usage({"tail", id, "--attempt", "x"});
}

TEST_F(Cli, SignalAndApproveResumeIt) {
    flowfabric::Worker worker = world.worker(lane);
    for (const std::string how : {"signal", "approve"}) {
        const std::string id = world.submit(lane);
        flowfabric::Task task = claim(worker);
        ASSERT_TRUE(
            task.suspend({.reason = "waiting_for_approval", .signals = {"go"}}).has_value());
        const Said said = how == "signal" ? run({"signal", id, "go", "--payload", "x", "--json"})
                                          : run({"approve", id, "--actor", "ada"});
        EXPECT_EQ(said.exit_code, 0) << said.err;
        if (how == "signal") {
            EXPECT_TRUE(said.json()["resumed"].boolean()) << said.out;
        } else {
            EXPECT_TRUE(said.tells("accepted")) << said.out;
        }
        ASSERT_TRUE(claim(worker).complete().has_value());
        EXPECT_EQ(run({how, id, "go"}).exit_code, how == "signal" ? 1 : 2);
    }
    expect_usage({"signal", "x"});
    expect_usage({"approve"});
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
    const Said cancelled = run({"flow", "cancel", flow, "--wait-ms", "5000", "--json"});
    EXPECT_EQ(cancelled.json()["status"].text(), "cancelled") << cancelled.out;
    EXPECT_TRUE(run({"flow", "cancel", flow}).tells("cancelled"));
    const Said bad =
        run({"flow", "submit", file("bad", R"({"flow_kind":"x","nodes":[{"nme":"a"}]})")});
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_NE(bad.err.find("nodes"), std::string::npos) << bad.err;
    expect_usage({"flow"});
    expect_usage({"flow", "submit", file("no", "no json")});
    expect_usage({"flow", "show"});
    expect_usage({"flow", "cancel", flow, "--wait-ms", "-1"});
}

TEST_F(Cli, BudgetsAndQuotasAreMadeAndShown) {
    const Said made = run({"budget", "create", "--hard", "tokens=10", "--scope", "lane:" + lane});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string budget = made.out.substr(0, made.out.find('\n'));
    EXPECT_TRUE(run({"budget", "show", budget}).tells("tokens"));
    EXPECT_EQ(run({"budget", "show", budget, "--json"}).json()["budget_id"].text(), budget);
    EXPECT_EQ(run({"budget", "reset", budget, "--json"}).json()["status"].text(), "reset");
    const Said quota =
        run({"quota", "create", "--concurrent", "3", "--scope", "lane:" + lane, "--json"});
    ASSERT_EQ(quota.exit_code, 0) << quota.err;
    const std::string id = quota.json()["quota_policy_id"].text();
    EXPECT_TRUE(run({"quota", "show", id}).tells("max_concurrent"));
    EXPECT_FALSE(run({"quota", "show", id, "--json"}).json().members().empty());
    expect_usage({"budget", "create"});
    expect_usage({"budget", "create", "--hard", "tokens"});
    expect_usage({"budget", "create", "--hard", "a=1", "--scope", "lane"});
    expect_usage({"budget", "show"});
    expect_usage({"quota", "create"});
    expect_usage({"quota", "create", "--rate", "x"});
}

TEST_F(Cli, OperatorsSeeLanesWorkersAndHealth) {
    world.submit(lane);
    EXPECT_TRUE(run({"lanes", "list"}).tells(lane));
    EXPECT_FALSE(run({"lanes", "list", "--json"}).json()["lanes"].items().empty());
    EXPECT_EQ(run({"lanes", "set", lane, "--state", "paused", "--json"}).json()["status"].text(),
              "set");
    EXPECT_TRUE(run({"lanes", "list"}).tells("paused"));
    const flowfabric::Worker worker = world.worker(lane);
    EXPECT_TRUE(run({"workers"}).tells(worker.config().worker_instance_id));
    EXPECT_FALSE(run({"workers", "--json"}).json()["workers"].items().empty());
    const Said doctor = run({"doctor"});
    EXPECT_EQ(doctor.exit_code, 0) << doctor.out;
    EXPECT_TRUE(doctor.tells("clocks"));
    EXPECT_TRUE(run({"doctor", "--json"}).json()["ok"].boolean());
    expect_usage({"lanes", "set", lane});
    expect_usage({"lanes", "set", lane, "--state", "asleep"});
    expect_usage({"workers", "all"});
    expect_usage({"doctor", "--fast"});
}

TEST_F(Cli, BackupCopiesTheDataOfARunningAndOfAStoppedServer) {
    const std::string id = world.submit(lane);
    const Said copied = run({"backup", folder.file("copy"), "--json"});
    ASSERT_EQ(copied.exit_code, 0) << copied.err;
    const Said second = run({"backup", folder.file("second"), "--data-dir", folder.file("copy")});
    ASSERT_EQ(second.exit_code, 0) << second.err;
    const auto engine = flowfabric::Engine::open({.data_dir = folder.file("second")}).value();
    EXPECT_EQ(engine->client().get_state(id).value(), "waiting");
    EXPECT_EQ(
        run({"backup", folder.file("third"), "--data-dir", folder.file("none/such")}).exit_code, 1);
    expect_usage({"backup"});
}

TEST_F(Cli, BenchMeasuresAServer) {
    const Said figures = run({"bench", "--tasks", "40", "--workers", "4", "--json"});
    ASSERT_EQ(figures.exit_code, 0) << figures.err;
    EXPECT_GT(figures.json()["whole_per_second"].number(), 0);
    EXPECT_TRUE(run({"bench", "--tasks", "10"}).tells("work_per_second"));
    expect_usage({"bench", "--tasks", "0"});
}

TEST_F(Cli, VersionCompletionAndDevSpeak) {
    EXPECT_TRUE(run({"version"}).tells("flowfabric "));
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
    expect_usage({"completion", "fish"});
    expect_usage({"version", "now"});
    expect_usage({"dev", "--port", "1"});
    EXPECT_EQ(run({"get", "x", "--server", "http://127.0.0.1:1"}).exit_code, 1);
    EXPECT_EQ(run({"get", "x", "--server", "ftp://h"}).exit_code, 1);
}

TEST_F(Cli, TheDemoLosesNothingAndDoublesNothing) {
    Process demo({.args = {FF_PROGRAM, "demo", "--yes"}});
    EXPECT_EQ(demo.wait_for_exit(Millis(30'000)), 0) << demo.out() << demo.err();
    const std::string told = demo.out();
    for (const std::string part :
         {"SIGKILL", "reclaimed", "approved", "publish", "lost      nothing", "doubled   nothing"})
        EXPECT_NE(told.find(part), std::string::npos) << told;
    expect_usage({"demo", "--quickly"});
}

}  // namespace
}  // namespace ff::testing
