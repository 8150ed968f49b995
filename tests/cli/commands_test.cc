#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/cli_world.h"
#include "support/certificates.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

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
    EXPECT_NE(cancelled.out.find(" fp."), std::string::npos) << cancelled.out;
    EXPECT_EQ(cancelled.out.find("{fp:"), std::string::npos) << cancelled.out;
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
