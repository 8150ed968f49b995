// One server, driven once through everything that the figures of spec 07, section 8 count.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "api/exec_world.h"
#include "model/exec_keys.h"
#include "model/execution_id.h"
#include "model/flow_keys.h"
#include "model/index_keys.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace ff::testing {
namespace {

/// The metrics that the table of the specification names, its short forms written out.
std::set<std::string> documented() {
    std::ifstream file(FF_SPEC_FOLDER "/07-server-api-sdk.md");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t from = text.find("## 8. Metrics and logs");
    text = text.substr(from, text.find("## 9.", from) - from);
    std::set<std::string> names;
    static const std::regex name("`(ff_[a-z_]+|_[a-z]+_total)`");
    std::string whole;
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
        std::string found = (*it)[1];
        if (found.starts_with("_")) {
            found = whole.substr(0, whole.rfind('_', whole.rfind('_') - 1)) + found;
        }
        whole = found;
        names.insert(found);
    }
    return names;
}

class Ch07Metrics : public ::testing::TestWithParam<std::string> {
  protected:
    static WorldOptions eager() {
        WorldOptions options;
        for (const char* scanner :
             {"cancel_reconciler", "lane_counts", "index_reconciler", "edge_cancel_reconciler",
              "quota_reconciler", "dependency_reconciler", "unblock"}) {
            options.settings.scanner_intervals[scanner] = Millis(100);
        }
        return options;
    }
    JsonReply post(const std::string& target, const std::string& body) {
        return world.post(target, body);
    }
    std::string create(const std::string& more = "") {
        const JsonReply made =
            post("/v1/executions", R"({"execution_kind":"k","lane_id":"m")" + more + "}");
        if (made.status != 201) throw std::runtime_error(made.body);
        return made.text("execution_id");
    }
    HeldTask claim_one(const std::string& lane = "m") {
        const JsonReply reply =
            post("/v1/workers/w/tasks/claim",
                 R"({"worker_instance_id":"w-1","wait_ms":9000,"lanes":[")" + lane + "\"]}");
        return read_tasks(reply).at(0);
    }
    JsonReply act(const HeldTask& task, const std::string& what, const std::string& more = "") {
        return post("/v1/executions/" + encode(task.execution_id) + "/" + what,
                    R"({"task_token":")" + task.token + "\"" + more + "}");
    }
    std::string metrics() { return world.connect().get("/metrics").body; }
    /// The names that have at least one sample now. Counters with labels are there with 0 before
    /// anything was counted, which does not make them ones.
    std::set<std::string> sampled() {
        std::set<std::string> names;
        std::istringstream lines(metrics());
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("#")) continue;
            const std::string name = line.substr(0, line.find_first_of("{ "));
            const bool is_bare = line.find('{') == std::string::npos;
            const bool is_quiet = name.starts_with("ff_scanner_") || !name.ends_with("_total");
            if (!is_bare && !is_quiet && line.ends_with(" 0")) continue;
            names.insert(name);
            for (const std::string_view part : {"_bucket", "_count", "_sum"}) {
                if (name.ends_with(part)) names.insert(name.substr(0, name.size() - part.size()));
            }
        }
        return names;
    }
    void work_and_end();
    void meet_limits();
    void run_a_race();
    void lose_an_entry();
    /// A group that nobody needs any more; the dispatcher may find it first.
    void leave_a_stale_group() {
        const std::string id = "{fp:7}:11111111-2222-4333-8444-555555555555";
        const model::FlowIndexKeys keys(model::PartitionKey::flow(7));
        world.command({"SADD", keys.pending_cancel_groups(),
                       std::string("11111111-2222-4333-8444-0000000000c4|") + id});
    }

    ServerWorld world{GetParam(), eager()};
};

void Ch07Metrics::work_and_end() {
    create();
    const HeldTask done = claim_one();
    EXPECT_EQ(act(done, "renew").status, 200);
    EXPECT_EQ(act(done, "complete").status, 200);
    create();
    EXPECT_EQ(act(claim_one(), "fail", R"(,"reason":"x","category":"y","no_retry":true)").status,
              200);
}

void Ch07Metrics::meet_limits() {
    const JsonReply budget = post(
        "/v1/budgets",
        R"({"scope_type":"execution","dimensions":["tokens"],"hard_limits":[1],"soft_limits":[0]})");
    const std::string usage = "/v1/budgets/" + budget.text("budget_id") + "/usage";
    EXPECT_EQ(post(usage, R"({"dimensions":{"tokens":5}})").text("status"), "hard_breach");
    EXPECT_EQ(post("/v1/quotas",
                   R"({"max_concurrent":1,"scope_type":"lane","scope_id":"q","attach":true})")
                  .status,
              201);
    for (int i = 0; i < 2; ++i) create(R"(,"lane_id":"q")");
    const HeldTask held = claim_one("q");
    EXPECT_EQ(
        post("/v1/workers/w/tasks/claim", R"({"worker_instance_id":"w-2","lanes":["q"]})").status,
        204);
    EXPECT_EQ(act(held, "complete").status, 200);
    EXPECT_EQ(act(claim_one("q"), "complete").status, 200);
}

/// Two run, the first to end wins, the other is cancelled; another flow is cancelled as a whole.
void Ch07Metrics::run_a_race() {
    const JsonReply race =
        post("/v1/flows/submit",
             R"({"namespace":"m","defaults":{"lane_id":"race"},"nodes":[{"name":"a"},{"name":"b"},)"
             R"({"name":"c","depends_on":["a","b"],"join":{"mode":"any_of",)"
             R"("on_satisfied":"cancel_remaining"}}]})");
    ASSERT_EQ(race.status, 201) << race.body;
    EXPECT_EQ(act(claim_one("race"), "complete").status, 200);
    const JsonReply flow = post("/v1/flows", R"({"flow_kind":"k","namespace":"default"})");
    const std::string base = "/v1/flows/" + flow.text("flow_id");
    const std::string child = create(R"(,"colocate_with_flow":")" + flow.text("flow_id") + "\"");
    EXPECT_EQ(post(base + "/members", R"({"execution_id":")" + child + "\"}").status, 201);
    EXPECT_EQ(world
                  .put(base + "/edge-groups/" + encode(child),
                       R"({"policy":"any_of","on_satisfied":"let_run"})")
                  .status,
              200);
    EXPECT_EQ(post(base + "/cancel", R"({"reason":"done"})").status, 200);
}

/// The index reconciler finds it, and a read meets what is no hash.
void Ch07Metrics::lose_an_entry() {
    const auto id = *model::ExecutionId::parse(create(R"(,"delay_until":"+3600000")"));
    const auto lane = *model::LaneId::parse("m");
    world.command({"ZREM", model::LaneKeys(id.partition(), lane).delayed(), id.to_string()});
    world.command({"SET", model::ExecKeys(id).tags(), "no hash"});
    EXPECT_EQ(world.get("/v1/executions/" + encode(id.to_string()) + "/tags").status, 500);
}

TEST_P(Ch07Metrics, EveryDocumentedFigureHasSamples) {
    std::set<std::string> wanted = documented();
    EXPECT_GE(wanted.size(), 24U);
    EXPECT_TRUE(wanted.contains("ff_sibling_cancel_drain_total"));
    work_and_end();
    meet_limits();
    run_a_race();
    lose_an_entry();
    // Whoever looks at the lanes finds what waits longest there.
    create(R"(,"lane_id":"waits")");
    EXPECT_EQ(world.get("/v1/overview").status, 200);
    // So that the partition of the stale group is not empty.
    create(
        R"(,"execution_id":"{fp:7}:11111111-2222-4333-8444-666666666666","delay_until":"+3600000")");
    std::set<std::string> missing;
    const bool all = wait_until([&] {
        leave_a_stale_group();
        missing = wanted;
        for (const std::string& name : sampled()) missing.erase(name);
        return missing.empty();
    });
    std::string names;
    for (const std::string& name : missing) names += name + " ";
    EXPECT_TRUE(all) << "without samples: " << names;
}

TEST_P(Ch07Metrics, FiguresSayWhatHappened) {
    work_and_end();
    meet_limits();
    lose_an_entry();
    for (const std::string_view line :
         {R"(ff_claim_from_grant_duration_seconds_count{lane="m"} 2)",
          R"(ff_claims_total{kind="initial",lane="m"} 2)",
          R"(ff_attempt_outcome_total{lane="m",outcome="ok"} 1)",
          R"(ff_attempt_outcome_total{lane="m",outcome="error"} 1)",
          R"(ff_lease_renewal_total{outcome="ok"} 1)",
          R"(ff_budget_hit_total{dimension="tokens"} 1)",
          R"(ff_queue_wait_seconds_count{execution_kind="k",lane="m"} 2)",
          R"(ff_queue_wait_seconds_bucket{execution_kind="k",lane="m",le="60"} 2)",
          R"(ff_index_repaired_total{index="delayed"} 1)", "ff_unblocked_total 1"}) {
        EXPECT_TRUE(wait_until([&] { return metrics().find(line) != std::string::npos; }))
            << line << "\n"
            << metrics();
    }
    for (const std::string line : {R"(ff_store_errors_total{kind="type_error"} )",
                                   R"(ff_quota_hit_total{reason="concurrency"} )"}) {
        EXPECT_TRUE(wait_until([&] {
            const std::string text = metrics();
            const std::size_t at = text.find(line);
            return at != std::string::npos && text[at + line.size()] != '0';
        })) << line
            << metrics();
    }
}

TEST_P(Ch07Metrics, CountersBeginAtZero) {
    const std::string text = metrics();
    for (const std::string_view line :
         {R"(ff_lease_renewal_total{outcome="err"} 0)", R"(ff_quota_hit_total{reason="rate"} 0)",
          R"(ff_edge_group_policy_total{policy="quorum"} 0)",
          R"(ff_edge_group_evaluation_total{result="skipped"} 0)",
          R"(ff_sibling_cancel_drain_total{result="drained"} 0)",
          R"(ff_cancel_member_total{disposition="cancelled"} 0)",
          R"(ff_completion_dispatch_total{result="failed"} 0)",
          R"(ff_store_errors_total{kind="io_error"} 0)",
          R"(ff_feed_gap_events_total{family="step"} 0)",
          R"(ff_claims_total{kind="retry",lane="default"} 0)",
          R"(ff_attempt_outcome_total{lane="default",outcome="ok"} 0)"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_P(Ch07Metrics, TellOfTheProcess) {
    const std::string text = metrics();
    for (const std::string_view name :
         {"process_cpu_seconds_total", "process_resident_memory_bytes",
          "process_virtual_memory_bytes", "process_start_time_seconds", "process_open_fds",
          "process_max_fds", "ff_build_info"}) {
        const std::regex sample("\n" + std::string(name) + R"((\{[^}]*\})? [0-9.e+]+\n)");
        EXPECT_TRUE(std::regex_search(text, sample)) << name << "\n" << text;
        EXPECT_EQ(text.find(std::string(name) + " 0\n"), std::string::npos) << name;
    }
}

TEST_P(Ch07Metrics, TellHowLongTheOldestWaits) {
    const auto age = [this](const std::string& lane) {
        const std::string text = metrics();
        const std::string name = R"(ff_queue_oldest_seconds{lane=")" + lane + "\"} ";
        const std::size_t at = text.find(name);
        return at == std::string::npos ? -1.0 : std::stod(text.substr(at + name.size()));
    };
    create();
    EXPECT_EQ(world.get("/v1/overview").status, 200);
    EXPECT_TRUE(wait_until([&] { return age("m") > 0; })) << metrics();
    EXPECT_EQ(act(claim_one(), "complete").status, 200);
    EXPECT_TRUE(wait_until([&] {
        EXPECT_EQ(world.get("/v1/overview").status, 200);
        return age("m") == 0;
    })) << metrics();
}

TEST_P(Ch07Metrics, PromtoolHasNothingToSay) {
    work_and_end();
    meet_limits();
    const TempDir folder;
    std::ofstream(folder.file("metrics")) << metrics();
    const CommandResult checked = run_command(
        {"sh", "-c", "\"$0\" check metrics < \"$1\"", FF_PROMTOOL, folder.file("metrics")},
        Millis(60'000));
    EXPECT_EQ(checked.exit_code, 0) << FF_PROMTOOL << " (scripts/get-promtool.sh): " << checked.err;
    EXPECT_EQ(checked.out + checked.err, "");
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Metrics, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
