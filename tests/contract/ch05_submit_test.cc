// Submission, final states, summaries and retention (chapter 05 section 5.15, scenarios 55 to 60).

#include "contract/flows.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch05Submit, FlowContract);

constexpr const char* kHead = R"("flow_kind":"k","namespace":"ns","seal":true)";
constexpr const char* kOpenHead = R"("flow_kind":"k","namespace":"ns","seal":false)";

TEST_P(Ch05Submit, AGraphArrivesWholeAndOnce) {
    const Flow flow(host(), tag());
    Execution fetch = execution();
    const Execution parse = execution();
    const Execution store = execution();
    const std::string plan =
        Plan()
            .flow(R"("flow_kind":"etl","namespace":"ns","seal":true,"tags":{"app.x":"1"})")
            .node(fetch, R"("name":"fetch","payload":0)")
            .node(parse, R"("name":"parse","payload":1)")
            .node(store,
                  R"("name":"store","join":{"policy":"quorum","k":1,"on_satisfied":"let_run"})")
            .edge(fetch, parse, R"("data":"input:page")")
            .edge(parse, store)
            .json();
    EXPECT_EQ(flat(flow.submit(plan, {"url", std::string("\0\xff", 2)})),
              (List{"1", "OK", flow.id(), "5", "3", "2", "1"}));
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(flow.submit(plan, {"url", std::string("\0\xff", 2)})),
              (List{"1", "ALREADY_SATISFIED", flow.id(), "5", "3", "2", "1"}));
    EXPECT_EQ(element(flow.submit(plan, {"other", ""}), 2), "mutation_conflict");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(command({"GET", parse.key("payload")}).text, std::string("\0\xff", 2));
    EXPECT_EQ(hash(flow.key("names")).at("fetch"), fetch.id());
    EXPECT_EQ(fetch.vector(), vector_l1());
    EXPECT_EQ(parse.vector(), vector_l3());
    EXPECT_EQ(flow.group(store, "expected_n"), "1");
    succeed(fetch, "page");
    EXPECT_EQ(state(parse), "waiting");
    EXPECT_EQ(command({"GET", parse.key("input:page")}).text, "page");
}

TEST_P(Ch05Submit, ABadPlanLeavesTheStoreUntouched) {
    const Flow flow(host(), tag());
    const Execution a = execution();
    const Execution b = execution();
    const auto refused = [&](const Plan& plan) { return element(flow.submit(plan.json()), 2); };
    const auto before = host().contents(tag());
    EXPECT_EQ(refused(Plan().flow(kHead).node(a).node(b).edge(a, b).edge(b, a)), "cycle_detected");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a).edge(a, b)), "execution_not_in_flow");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a, R"("name":"n")").node(b, R"("name":"n")")),
              "duplicate_node");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a).node(a)), "duplicate_node");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a).edge(a, b).node(
                  b, R"("join":{"policy":"quorum","k":2,"on_satisfied":"let_run"})")),
              "invalid_input");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a).edge(a, a)), "self_referencing_edge");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a).node(b).edge(a, b).edge(a, b)),
              "dependency_already_exists");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a).node(b).edge(a, b, R"("kind":"x")")),
              "invalid_dependency");
    EXPECT_EQ(refused(Plan().flow(kHead).node(a, R"("payload":3)")), "invalid_input");
    EXPECT_EQ(refused(Plan().flow(kHead).node(Execution(host(), another_tag()))),
              "partition_mismatch");
    EXPECT_EQ(refused(Plan().flow(R"("namespace":"ns","tags":{"X":"1"})").node(a)),
              "invalid_tag_key");
    EXPECT_EQ(element(flow.submit("{\"nodes\":3}"), 2), "invalid_input");
    EXPECT_EQ(element(flow.submit("nonsense"), 2), "invalid_input");
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch05Submit, S57_ARunningFlowGrows) {
    const Flow flow(host(), tag());
    Execution done = execution();
    Execution running = execution();
    ASSERT_EQ(element(flow.submit(Plan().flow(kOpenHead).node(done).node(running).json()), 2),
              "OK");
    succeed(done);
    running.take();
    Execution after_done = execution();
    const Execution after_running = execution();
    const Execution after_new = execution();
    const std::string plan = Plan()
                                 .node(after_done)
                                 .node(after_running)
                                 .node(after_new)
                                 .edge(done, after_done)
                                 .edge(running, after_running)
                                 .edge(after_done, after_new)
                                 .json();
    EXPECT_EQ(element(flow.expand("m1", plan, "1"), 2), "stale_graph_revision");
    EXPECT_EQ(flat(flow.expand("m1", plan, "2")), (List{"1", "OK", flow.id(), "8", "5", "3", "0"}));
    EXPECT_EQ(element(flow.expand("m1", plan, "2"), 2), "ALREADY_SATISFIED");
    EXPECT_EQ(element(flow.cascade(done), 4), "1");
    EXPECT_EQ(state(after_done), "waiting");
    EXPECT_EQ(state(after_running), "waiting_children");
    running.complete();
    EXPECT_EQ(state(after_running), "waiting");
    succeed(after_done);
    EXPECT_EQ(state(after_new), "waiting");
    // An edge may lead into a member that has not started, and close no cycle through old edges.
    const Execution late = execution();
    EXPECT_EQ(element(flow.expand("m2", Plan().node(late).edge(late, after_new).json()), 2), "OK");
    EXPECT_EQ(state(after_new), "waiting_children");
    EXPECT_EQ(element(flow.expand("m3", Plan().edge(after_new, late).json()), 2), "cycle_detected");
    EXPECT_EQ(element(flow.expand("m4", Plan().edge(late, after_done).json()), 2),
              "downstream_terminal");
    flow.seal();
    EXPECT_EQ(element(flow.expand("m5", Plan().node(execution()).json()), 2), "flow_sealed");
}

TEST_P(Ch05Submit, S58_ASealedFlowEndsWithItsLastMember) {
    const Flow flow(host(), tag());
    Execution a = execution();
    Execution b = execution();
    flow.submit(Plan().flow(kHead).node(a).node(b).json());
    const auto heard = host().listen("ff:flow:completions");
    succeed(a);
    EXPECT_EQ(flow.core("public_flow_state"), "open");
    succeed(b);
    EXPECT_EQ(flow.core("public_flow_state"), "completed");
    EXPECT_NE(flow.core("finished_at"), "");
    EXPECT_TRUE(score(flow.index("terminal_flows"), flow.id()).has_value());
    EXPECT_NE(heard->next().find(flow.id()), std::string::npos);
    int of_flow = 0;
    for (const auto& entry : feed("completion")) {
        if (entry.at("kind") != "flow") continue;
        ++of_flow;
        EXPECT_EQ(entry.at("outcome"), "completed");
        EXPECT_EQ(entry.at("execution_id"), "");
    }
    EXPECT_EQ(of_flow, 1);

    const Flow unsealed = new_flow();
    Execution c = member(unsealed);
    succeed(c);
    EXPECT_EQ(unsealed.core("public_flow_state"), "open");
    EXPECT_EQ(flat(unsealed.project()), (List{"1", "OK", "completed", "0"}));
    EXPECT_EQ(element(unsealed.seal(), 3), "completed");
    EXPECT_EQ(element(unsealed.seal(), 2), "ALREADY_SATISFIED");
}

TEST_P(Ch05Submit, S59_ALargeFlowIsProjectedInPages) {
    constexpr int kMembers = 5000;
    const Flow flow = new_flow();
    Execution running = member(flow);
    running.take();
    List ids{"SADD", flow.key("members")};
    for (int i = 1; i < kMembers; ++i) {
        const std::string id = tag() + ":" + new_uuid();
        ids.push_back(id);
        command({"HSET", "ff:exec:" + tag() + ":" + id + ":core", "public_state", "completed",
                 "lifecycle_phase", "terminal", "terminal_outcome", "success"});
    }
    command(ids);
    std::string cursor = "0";
    int calls = 0;
    std::string seen;
    do {
        const RespValue reply = flow.project(cursor);
        seen = element(reply, 3);
        EXPECT_NE(seen, "completed");
        cursor = element(reply, 4);
    } while (cursor != "0" && ++calls < 30);
    EXPECT_GE(calls, 1);
    EXPECT_EQ(seen, "running");
    const auto summary = hash(flow.key("summary"));
    EXPECT_EQ(summary.at("members_active"), "1");
    EXPECT_EQ(summary.at("exact"), "0");
    EXPECT_FALSE(summary.contains("wip_active"));
    EXPECT_TRUE(in_set(flow.index("flow_index"), flow.id()));
}

TEST_P(Ch05Submit, S60_APurgedFlowLeavesNoKey) {
    const Flow flow(host(), tag());
    Execution a = execution();
    Execution b = execution();
    flow.submit(
        Plan().flow(kOpenHead).node(a, R"("name":"a")").node(b, R"("name":"b")").edge(a, b).json());
    Execution c = execution();
    flow.expand("m1", Plan().node(c).edge(b, c).json());
    flow.tags({"app.x", "1"});
    flow.seal();
    EXPECT_EQ(element(flow.purge("0"), 3), "members_live");
    succeed(a);
    succeed(b);
    succeed(c);
    flow.project();
    EXPECT_EQ(element(flow.purge("100000"), 3), "not_due");
    for (Execution* e : {&a, &b, &c}) EXPECT_EQ(element(e->purge("0"), 3), "purged");
    std::string word;
    int calls = 0;
    do {
        word = element(flow.purge("0", "1"), 3);
    } while (word == "partial" && ++calls < 20);
    EXPECT_EQ(word, "purged");
    EXPECT_GE(calls, 1);
    for (const auto& [key, content] : host().contents(tag())) {
        EXPECT_EQ(key.find(flow.id()), std::string::npos) << key;
        if (key.find(":events") != std::string::npos) continue;
        EXPECT_EQ(content.find(flow.id()), std::string::npos) << key;
    }
    EXPECT_EQ(element(flow.purge("0"), 3), "not_found_cleaned");
}

}  // namespace
}  // namespace ff::contract
