#include "contract/flows.h"

namespace ff::contract {

Flow::Flow(Host& host, std::string tag, std::string id)
    : host_(&host), tag_(std::move(tag)), id_(std::move(id)) {}

std::string Flow::key(std::string_view suffix) const {
    return "ff:flow:" + tag_ + ":" + id_ + ":" + std::string(suffix);
}

std::string Flow::index(std::string_view name) const {
    return "ff:idx:" + tag_ + ":" + std::string(name);
}

std::string Flow::core(std::string_view field) const {
    // Fields that are ours alone have a prefix.
    const std::string own = host_->command({"HGET", key("core"), "ff." + std::string(field)}).text;
    if (!own.empty()) return own;
    return host_->command({"HGET", key("core"), std::string(field)}).text;
}

std::string Flow::edge(const std::string& edge_id, std::string_view field) const {
    return host_->command({"HGET", key("edge:" + edge_id), std::string(field)}).text;
}

std::string Flow::group(const Execution& child, std::string_view field) const {
    return host_->command({"HGET", key("edgegroup:" + child.id()), std::string(field)}).text;
}

RespValue Flow::create(const List& more) const {
    List args{id_, "kind", "ns"};
    args.insert(args.end(), more.begin(), more.end());
    return host_->fcall("ff_create_flow",
                        {key("core"), key("members"), index("flow_index"), index("flows_by_time")},
                        args);
}

RespValue Flow::add(const Execution& e) const {
    return host_->fcall("ff_add_execution_to_flow",
                        {key("core"), key("members"), index("flow_index"), e.key("core")},
                        {id_, e.id(), "", "me"});
}

List Flow::stage_keys(const Execution& up, const Execution& down) const {
    return {key("core"),           key("members"),         key("edge:" + edge_id_),
            key("out:" + up.id()), key("in:" + down.id()), "ff:noop:" + tag_};
}

RespValue Flow::stage(const Execution& up, const Execution& down, const EdgeArgs& args) {
    edge_id_ = args.id.empty() ? new_uuid() : args.id;
    return host_->fcall("ff_stage_dependency_edge", stage_keys(up, down),
                        {id_, edge_id_, up.id(), down.id(), args.kind, args.ref,
                         args.expected_revision, "", args.apply});
}

List Flow::apply_keys(const Execution& child) const {
    return {child.key("core"),
            child.key("deps:meta"),
            child.key("deps:unresolved"),
            child.key("dep:" + edge_id_),
            child.lane_key("eligible"),
            child.lane_key("blocked:dependencies"),
            child.key("deps:all_edges"),
            key("edgegroup:" + child.id())};
}

RespValue Flow::apply(const Execution& up, const Execution& down, const EdgeArgs& args) {
    edge_id_ = args.id.empty() ? new_uuid() : args.id;
    return host_->fcall("ff_apply_dependency_to_child", apply_keys(down),
                        {id_, edge_id_, up.id(), "1", args.kind, args.ref, ""});
}

RespValue Flow::set_group(const Execution& child, const GroupArgs& args) const {
    return host_->fcall("ff_set_edge_group_policy", {key("core"), key("edgegroup:" + child.id())},
                        {args.variant, args.on_satisfied, args.k, "", args.expected_n});
}

RespValue Flow::tags(const List& args) const {
    return host_->fcall("ff_set_flow_tags", {key("core"), key("tags")}, args);
}

RespValue Flow::seal(std::string_view expected) const {
    return host_->fcall("ff_seal_flow", {key("core")}, {id_, std::string(expected)});
}

List Flow::submit_keys(const std::string& mutation) const {
    return {key("core"),
            key("members"),
            index("flow_index"),
            index("all_executions"),
            index("execution_deadline"),
            key("grant:" + mutation)};
}

RespValue Flow::submit(const std::string& plan, const List& payloads) const {
    List args{id_, "create", "submit", plan, ""};
    args.insert(args.end(), payloads.begin(), payloads.end());
    return host_->fcall("ff_submit_flow", submit_keys("submit"), args);
}

RespValue Flow::expand(const std::string& mutation, const std::string& plan,
                       std::string_view expected) const {
    return host_->fcall("ff_submit_flow", submit_keys(mutation),
                        {id_, "expand", mutation, plan, std::string(expected)});
}

List Flow::resolve_keys(const Execution& up, const Execution& child) const {
    return {child.key("core"),
            child.key("deps:meta"),
            child.key("deps:unresolved"),
            child.key("dep:" + edge_id_),
            child.lane_key("eligible"),
            child.lane_key("terminal"),
            child.lane_key("blocked:dependencies"),
            child.attempt_key(0),
            child.stream_key(0, ":meta"),
            child.key("payload"),
            up.key("result")};
}

RespValue Flow::resolve(const Execution& up, const Execution& child, std::string_view outcome,
                        std::string_view verify) const {
    return host_->fcall("ff_resolve_dependency", resolve_keys(up, child),
                        {edge_id_, std::string(outcome), "", id_, child.id(), std::string(verify)});
}

RespValue Flow::cascade(const Execution& up, std::string_view edges_max,
                        std::string_view cursor) const {
    return host_->fcall("ff_cascade_completion",
                        {up.key("core"), key("core"), index("cascade_pending")},
                        {up.id(), id_, std::string(edges_max), std::string(cursor)});
}

RespValue Flow::drain(const Execution& child, std::string_view cancels_max) const {
    return host_->fcall("ff_drain_sibling_cancel_group",
                        {index("pending_cancel_groups"), key("edgegroup:" + child.id())},
                        {id_, child.id(), std::string(cancels_max)});
}

RespValue Flow::reconcile_siblings(const Execution& child) const {
    return host_->fcall("ff_reconcile_sibling_cancel_group",
                        {index("pending_cancel_groups"), key("edgegroup:" + child.id())},
                        {id_, child.id()});
}

RespValue Flow::cancel(std::string_view policy, std::string_view grace,
                       std::string_view reason) const {
    return host_->fcall("ff_cancel_flow", {key("core"), key("members"), index("flow_index")},
                        {id_, std::string(reason), std::string(policy), "", std::string(grace)});
}

RespValue Flow::cancel_members(std::string_view members_max, std::string_view cursor) const {
    return host_->fcall("ff_cancel_flow_members",
                        {key("core"), key("pending_cancels"), index("cancel_backlog")},
                        {id_, std::string(members_max), std::string(cursor)});
}

RespValue Flow::ack(const Execution& e) const {
    return host_->fcall("ff_ack_cancel_member", {key("pending_cancels"), index("cancel_backlog")},
                        {e.id(), id_});
}

RespValue Flow::replay_subgraph(const Execution& e, std::string_view nodes_max) const {
    return host_->fcall("ff_replay_subgraph", {e.key("core"), key("core")},
                        {e.id(), id_, std::string(nodes_max)});
}

RespValue Flow::project(std::string_view cursor) const {
    return host_->fcall("ff_project_flow_summary",
                        {key("core"), key("members"), index("flow_index"), key("summary")},
                        {id_, std::string(cursor)});
}

RespValue Flow::purge(std::string_view retention_ms, std::string_view deletes_max) const {
    return host_->fcall(
        "ff_purge_flow",
        {key("core"), index("flow_index"), index("flows_by_time"), index("terminal_flows")},
        {id_, std::string(retention_ms), std::string(deletes_max)});
}

RespValue reconcile_dependencies(Host& host, const Execution& e) {
    return host.fcall("ff_reconcile_dependencies", {e.key("core")}, {e.id()});
}

RespValue evaluate_eligibility(Host& host, const Execution& e) {
    return host.fcall("ff_evaluate_flow_eligibility", {e.key("core"), e.key("deps:meta")}, {});
}

RespValue promote_blocked(Host& host, const Execution& e) {
    return host.fcall("ff_promote_blocked_to_eligible",
                      {e.key("core"), e.lane_key("blocked:dependencies"), e.lane_key("eligible"),
                       e.key("deps:meta"), e.key("deps:unresolved")},
                      {e.id(), ""});
}

Plan& Plan::flow(const std::string& json_members) {
    flow_ = json_members;
    return *this;
}

Plan& Plan::node(const Execution& e, const std::string& more) {
    if (!nodes_.empty()) nodes_ += ',';
    nodes_ += R"({"eid":")" + e.id() +
              R"(","lane":"lane","kind":"k","priority":0,"creator":"me","policy":"",)"
              R"("delay_until":"","deadline_at":"")" +
              (more.find("\"payload\"") == std::string::npos ? ",\"payload\":-1" : "") +
              (more.empty() ? "" : "," + more) + "}";
    return *this;
}

Plan& Plan::edge(const Execution& up, const Execution& down, const std::string& more) {
    if (!edges_.empty()) edges_ += ',';
    edges_ += R"({"id":")" + new_uuid() + R"(","up":")" + up.id() + R"(","down":")" + down.id() +
              "\"" + (more.empty() ? "" : "," + more) + "}";
    return *this;
}

std::string Plan::json() const {
    return "{\"flow\":{" + flow_ + "},\"nodes\":[" + nodes_ + "],\"edges\":[" + edges_ + "]}";
}

Flow FlowContract::new_flow(const List& more) const {
    Flow flow(host(), tag());
    EXPECT_EQ(element(flow.create(more), 2), "OK");
    return flow;
}

Execution FlowContract::known(const std::string& id) const {
    return Execution(host(), tag(), id.substr(tag().size() + 1));
}

Execution FlowContract::member(const Flow& flow, const CreateArgs& args) const {
    Execution e = created(args);
    const RespValue reply = flow.add(e);
    EXPECT_EQ(element(reply, 2), "OK") << to_string(reply);
    return e;
}

void FlowContract::succeed(Execution& e, std::string_view result) const {
    const RespValue taken = e.take();
    ASSERT_EQ(element(taken, 1), "1") << to_string(taken);
    ASSERT_EQ(element(e.complete(result), 3), "completed");
}

void FlowContract::fail(Execution& e) const {
    const RespValue taken = e.take();
    ASSERT_EQ(element(taken, 1), "1") << to_string(taken);
    ASSERT_EQ(element(e.fail(), 3), "terminal_failed");
}

}  // namespace ff::contract
