#include "contract/bad_input.h"
#include "contract/flows.h"

namespace ff::contract {
namespace {

/// Two members, the second behind the first.
struct Pair {
    Flow flow;
    Execution up;
    Execution down;
};

Pair pair(Host& host, const std::string& tag, bool staged = true, const GroupArgs& group = {}) {
    Pair made{Flow(host, tag), Execution(host, tag), Execution(host, tag)};
    made.flow.create();
    for (Execution* e : {&made.up, &made.down}) {
        e->create();
        made.flow.add(*e);
    }
    if (group.variant != "all_of") made.flow.set_group(made.down, group);
    if (staged) made.flow.stage(made.up, made.down);
    return made;
}

/// As `pair`, with a group that has fired and wants its losers cancelled.
Pair fired(Host& host, const std::string& tag) {
    Pair made = pair(host, tag, true, {.variant = "any_of", .on_satisfied = "cancel_remaining"});
    Execution other(host, tag);
    other.create();
    made.flow.add(other);
    made.flow.stage(other, made.down);
    made.up.take();
    made.up.complete();
    made.flow.cascade(made.up);
    return made;
}

std::vector<BadInputRow> building_rows() {
    return {
        {"ff_create_flow",
         [](Host& host, const std::string& tag) {
             const Flow f(host, tag);
             return GoodCall{
                 {f.key("core"), f.key("members"), f.index("flow_index"), f.index("flows_by_time")},
                 {f.id(), "kind", "ns", "5", "fail_fast", "leaves", "me"}};
         }},
        {"ff_add_execution_to_flow",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             Execution e(host, tag);
             e.create();
             return GoodCall{{p.flow.key("core"), p.flow.key("members"), p.flow.index("flow_index"),
                              e.key("core")},
                             {p.flow.id(), e.id(), "5", "me", p.up.id()}};
         }},
        {"ff_stage_dependency_edge",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag, false);
             return GoodCall{p.flow.stage_keys(p.up, p.down),
                             {p.flow.id(), new_uuid(), p.up.id(), p.down.id(), "always", "input:a",
                              "2", "5", "1"}};
         }},
        {"ff_set_edge_group_policy",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag, false);
             return GoodCall{{p.flow.key("core"), p.flow.key("edgegroup:" + p.down.id())},
                             {"quorum", "let_run", "2", "5", "3"}};
         }},
        {"ff_apply_dependency_to_child",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag, false);
             return GoodCall{p.flow.apply_keys(p.down),
                             {p.flow.id(), new_uuid(), p.up.id(), "1", "always", "result", "5"}};
         }},
        {"ff_set_flow_tags",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             return GoodCall{{p.flow.key("core"), p.flow.key("tags")}, {"app.x", "1"}};
         }},
        {"ff_seal_flow",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             return GoodCall{{p.flow.key("core")}, {p.flow.id(), "3"}};
         }},
    };
}

std::vector<BadInputRow> submitting_rows() {
    return {
        {"ff_submit_flow",
         [](Host& host, const std::string& tag) {
             const Flow f(host, tag);
             const Execution a(host, tag);
             const Execution b(host, tag);
             const std::string plan = Plan()
                                          .flow(R"("flow_kind":"k","namespace":"ns","seal":true)")
                                          .node(a, R"("payload":0)")
                                          .node(b)
                                          .edge(a, b)
                                          .json();
             return GoodCall{f.submit_keys("submit"), {f.id(), "create", "submit", plan, "", "x"}};
         }},
    };
}

std::vector<BadInputRow> resolving_rows() {
    return {
        {"ff_resolve_dependency",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             return GoodCall{p.flow.resolve_keys(p.up, p.down),
                             {p.flow.edge_id(), "failed", "5", p.flow.id(), p.down.id(), "0"}};
         }},
        {"ff_cascade_completion",
         [](Host& host, const std::string& tag) {
             Pair p = pair(host, tag, false);
             p.up.take();
             p.up.complete();
             p.flow.stage(p.up, p.down);
             return GoodCall{
                 {p.up.key("core"), p.flow.key("core"), p.flow.index("cascade_pending")},
                 {p.up.id(), p.flow.id(), "10", "0"}};
         }},
        {"ff_reconcile_dependencies",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             return GoodCall{{p.down.key("core")}, {p.down.id(), "10"}};
         }},
        {"ff_evaluate_flow_eligibility",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             return GoodCall{{p.down.key("core"), p.down.key("deps:meta")}, {}};
         }},
        {"ff_promote_blocked_to_eligible",
         [](Host& host, const std::string& tag) {
             Execution e(host, tag);
             e.create({.hold = "dependencies"});
             return GoodCall{{e.key("core"), e.lane_key("blocked:dependencies"),
                              e.lane_key("eligible"), e.key("deps:meta"), e.key("deps:unresolved")},
                             {e.id(), "5"}};
         }},
        {"ff_drain_sibling_cancel_group",
         [](Host& host, const std::string& tag) {
             const Pair p = fired(host, tag);
             return GoodCall{
                 {p.flow.index("pending_cancel_groups"), p.flow.key("edgegroup:" + p.down.id())},
                 {p.flow.id(), p.down.id(), "5"}};
         }},
        {"ff_reconcile_sibling_cancel_group",
         [](Host& host, const std::string& tag) {
             const Pair p = fired(host, tag);
             return GoodCall{
                 {p.flow.index("pending_cancel_groups"), p.flow.key("edgegroup:" + p.down.id())},
                 {p.flow.id(), p.down.id()}};
         }},
    };
}

std::vector<BadInputRow> ending_rows() {
    return {
        {"ff_cancel_flow",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             return GoodCall{{p.flow.key("core"), p.flow.key("members"), p.flow.index("flow_index"),
                              p.flow.key("pending_cancels"), p.flow.index("cancel_backlog")},
                             {p.flow.id(), "why", "cancel_pending", "5", "1000"}};
         }},
        {"ff_ack_cancel_member",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             p.flow.cancel();
             return GoodCall{{p.flow.key("pending_cancels"), p.flow.index("cancel_backlog")},
                             {p.up.id(), p.flow.id()}};
         }},
        {"ff_cancel_flow_members",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             p.flow.cancel();
             return GoodCall{{p.flow.key("core"), p.flow.key("pending_cancels"),
                              p.flow.index("cancel_backlog")},
                             {p.flow.id(), "10", "0"}};
         }},
        {"ff_replay_subgraph",
         [](Host& host, const std::string& tag) {
             Pair p = pair(host, tag);
             p.up.take();
             p.up.fail();
             return GoodCall{{p.up.key("core"), p.flow.key("core")},
                             {p.up.id(), p.flow.id(), "10"}};
         }},
        {"ff_project_flow_summary",
         [](Host& host, const std::string& tag) {
             const Pair p = pair(host, tag);
             return GoodCall{{p.flow.key("core"), p.flow.key("members"), p.flow.index("flow_index"),
                              p.flow.key("summary")},
                             {p.flow.id(), "0"}};
         }},
        {"ff_purge_flow",
         [](Host& host, const std::string& tag) {
             const Flow f(host, tag);
             f.create();
             return GoodCall{{f.key("core"), f.index("flow_index"), f.index("flows_by_time"),
                              f.index("terminal_flows")},
                             {f.id(), "0", "10"}};
         }},
    };
}

}  // namespace

std::vector<BadInputRow> flow_rows() {
    std::vector<BadInputRow> rows = building_rows();
    for (const auto& more : {submitting_rows(), resolving_rows(), ending_rows()}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

}  // namespace ff::contract
