#include <map>
#include <set>

#include <gtest/gtest.h>

#include "model/budget_keys.h"
#include "model/exec_keys.h"
#include "model/flow_keys.h"
#include "model/global_keys.h"
#include "model/index_keys.h"
#include "model/quota_keys.h"
#include "model/record_keys.h"
#include "model/router.h"
#include "model/slot.h"
#include "model/worker_keys.h"
#include "spec/spec_document.h"

namespace ff::model {
namespace {

using ff::testing::code_spans;
using ff::testing::SpecSection;

constexpr std::string_view kExecution = "{fp:42}:11111111-2222-4333-8444-555555555555";
constexpr std::string_view kUpstream = "{fp:24}:aaaaaaaa-2222-4333-8444-555555555555";
constexpr std::string_view kDownstream = "{fp:24}:bbbbbbbb-2222-4333-8444-555555555555";
constexpr std::string_view kUuid = "550e8400-e29b-41d4-a716-446655440000";
constexpr std::string_view kOtherUuid = "123e4567-e89b-12d3-a456-426614174000";

/// A key format as the registry writes it, and what our builder makes of the samples.
struct Format {
    std::string_view pattern;
    std::string built;
};
using Formats = std::vector<Format>;
using Samples = std::map<std::string_view, std::string_view>;

Samples samples_with_tag(std::string_view tag) {
    return {{"<tag>", tag},
            {"<eid>", kExecution},
            {"<upstream_eid>", kUpstream},
            {"<downstream_eid>", kDownstream},
            {"<idx>", "3"},
            {"<wp_id>", kUuid},
            {"<signal_id>", kOtherUuid},
            {"<edge_id>", kOtherUuid},
            {"<flow_id>", kUuid},
            {"<budget_id>", kUuid},
            {"<quota_id>", kUuid},
            {"<idem>", "order 7|x"},
            {"<dedup_id>", "d:1"},
            {"<request_id>", "req-9"},
            {"<mutation_id>", "m-1"},
            {"<name>", "left"},
            {"<namespace>", "tenant-a"},
            {"<waitpoint_key>", "wpk:approve"},
            {"<wiid>", "w{1}"},
            {"<lane>", "gpu:eu"},
            {"<n>", "4"},
            {"<i>", "3"},
            {"<sha1hex>", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
            {"<kind>", "resize"},
            {"<dim>", "requests_per_window"},
            {"<scope_type>", "lane"},
            {"<scope_id>", "gpu"},
            {"<key>", "colour"},
            {"<value>", "dark:blue"}};
}

std::string expand(std::string_view pattern, const Samples& samples) {
    std::string out;
    while (!pattern.empty()) {
        const std::size_t close = pattern.front() == '<' ? pattern.find('>') : 0;
        if (close == 0) {
            out += pattern.front();
            pattern.remove_prefix(1);
            continue;
        }
        out += samples.at(pattern.substr(0, close + 1));
        pattern.remove_prefix(close + 1);
    }
    return out;
}

template <class Id>
Id id(std::string_view text) {
    return *Id::parse(text);
}

const ExecutionId& execution() {
    static const auto kId = id<ExecutionId>(kExecution);
    return kId;
}

Formats execution_formats() {
    const ExecKeys exec(execution());
    const IndexKeys index(42);
    const AttemptIndex attempt{3};
    const auto waitpoint = id<WaitpointId>(kUuid);
    const auto signal = id<SignalId>(kOtherUuid);
    const auto idem = id<IdempotencyKey>("order 7|x");
    return {
        {"ff:exec:<tag>:<eid>:core", exec.core()},
        {"ff:exec:<tag>:<eid>:payload", exec.payload()},
        {"ff:exec:<tag>:<eid>:result", exec.result()},
        {"ff:exec:<tag>:<eid>:policy", exec.policy()},
        {"ff:exec:<tag>:<eid>:tags", exec.tags()},
        {"ff:exec:<tag>:<eid>:steps", RecordKeys(exec).steps()},
        {"ff:exec:<tag>:<eid>:children", RecordKeys(exec).children()},
        {"ff:exec:<tag>:<eid>:children:pending", RecordKeys(exec).children_pending()},
        {"ff:exec:<tag>:<eid>:lease:current", exec.lease_current()},
        {"ff:exec:<tag>:<eid>:lease:history", exec.lease_history()},
        {"ff:exec:<tag>:<eid>:claim_grant", exec.claim_grant()},
        {"ff:exec:<tag>:<eid>:attempts", exec.attempts()},
        {"ff:attempt:<tag>:<eid>:<idx>", exec.attempt(attempt)},
        {"ff:attempt:<tag>:<eid>:<idx>:usage", exec.attempt_usage(attempt)},
        {"ff:attempt:<tag>:<eid>:<idx>:policy", exec.attempt_policy(attempt)},
        {"ff:attempt:<tag>:<eid>:<idx>:summary", exec.attempt_summary(attempt)},
        {"ff:stream:<tag>:<eid>:<idx>", exec.stream(attempt)},
        {"ff:stream:<tag>:<eid>:<idx>:live", exec.stream_live(attempt)},
        {"ff:stream:<tag>:<eid>:<idx>:meta", exec.stream_meta(attempt)},
        {"ff:exec:<tag>:<eid>:suspension:current", exec.suspension_current()},
        {"ff:exec:<tag>:<eid>:suspension:current:satisfied_set", exec.satisfied_set()},
        {"ff:exec:<tag>:<eid>:suspension:current:satisfied_set:signals", exec.satisfied_signals()},
        {"ff:exec:<tag>:<eid>:suspension:current:member_map", exec.member_map()},
        {"ff:exec:<tag>:<eid>:waitpoints", exec.waitpoints()},
        {"ff:wp:<tag>:<wp_id>", exec.waitpoint(waitpoint)},
        {"ff:wp:<tag>:<wp_id>", index.waitpoint(waitpoint)},
        {"ff:wp:<tag>:<wp_id>:signals", exec.waitpoint_signals(waitpoint)},
        {"ff:wp:<tag>:<wp_id>:condition", exec.waitpoint_condition(waitpoint)},
        {"ff:signal:<tag>:<signal_id>", exec.signal(signal)},
        {"ff:signal:<tag>:<signal_id>:payload", exec.signal_payload(signal)},
        {"ff:exec:<tag>:<eid>:signals", exec.signals()},
        {"ff:sigdedup:<tag>:<wp_id>:<idem>", exec.signal_dedup(waitpoint, idem)},
        {"ff:dedup:suspend:<tag>:<eid>:<idem>", exec.suspend_dedup(idem)},
        {"ff:exec:<tag>:<eid>:deps:meta", exec.deps_meta()},
        {"ff:exec:<tag>:<eid>:dep:<edge_id>", exec.dep(id<EdgeId>(kOtherUuid))},
        {"ff:exec:<tag>:<eid>:deps:unresolved", exec.deps_unresolved()},
        {"ff:exec:<tag>:<eid>:deps:all_edges", exec.deps_all_edges()},
        {"ff:exec:<tag>:<eid>:inputs", exec.inputs()},
        {"ff:exec:<tag>:<eid>:input:<name>", exec.input("left")},
        {"ff:claimreq:<tag>:<wiid>:<request_id>",
         index.claim_request(id<WorkerInstanceId>("w{1}"), "req-9")},
        {"ff:idem:<tag>:<namespace>:<idem>", exec.idempotency(id<Namespace>("tenant-a"), idem)},
        {"ff:wpkey:<tag>:<waitpoint_key>", exec.waitpoint_key(id<WaitpointKey>("wpk:approve"))},
        {"ff:noop:<tag>", exec.noop()},
        {"ff:noop:<tag>", index.noop()},
    };
}

Formats index_formats() {
    const IndexKeys index(42);
    const LaneKeys lane = index.lane(id<LaneId>("gpu:eu"));
    return {
        {"ff:idx:<tag>:lane:<lane>:eligible", lane.eligible()},
        {"ff:idx:<tag>:lane:<lane>:delayed", lane.delayed()},
        {"ff:idx:<tag>:lane:<lane>:active", lane.active()},
        {"ff:idx:<tag>:lane:<lane>:terminal", lane.terminal()},
        {"ff:idx:<tag>:lane:<lane>:blocked:dependencies", lane.blocked_dependencies()},
        {"ff:idx:<tag>:lane:<lane>:blocked:budget", lane.blocked_budget()},
        {"ff:idx:<tag>:lane:<lane>:blocked:quota", lane.blocked_quota()},
        {"ff:idx:<tag>:lane:<lane>:blocked:route", lane.blocked_route()},
        {"ff:idx:<tag>:lane:<lane>:blocked:operator", lane.blocked_operator()},
        {"ff:idx:<tag>:lane:<lane>:suspended", lane.suspended()},
        {"ff:idx:<tag>:lane:<lane>:eligible_ns", lane.eligible_ns()},
        {"ff:idx:<tag>:lane:<lane>:route_sets", lane.route_sets()},
        {"ff:idx:<tag>:lane:<lane>:route:<sha1hex>",
         lane.route("da39a3ee5e6b4b0d3255bfef95601890afd80709")},
        {"ff:idx:<tag>:lane:<lane>:kind:<kind>", lane.kind("resize")},
        {"ff:idx:<tag>:lane:<lane>:route_kinds", lane.route_kinds()},
        {"ff:idx:<tag>:lease_expiry", index.lease_expiry()},
        {"ff:idx:<tag>:worker:<wiid>:leases", index.worker_leases(id<WorkerInstanceId>("w{1}"))},
        {"ff:idx:<tag>:suspension_timeout", index.suspension_timeout()},
        {"ff:idx:<tag>:approvals", index.approvals()},
        {"ff:idx:<tag>:pending_waitpoint_expiry", index.pending_waitpoint_expiry()},
        {"ff:idx:<tag>:attempt_timeout", index.attempt_timeout()},
        {"ff:idx:<tag>:execution_deadline", index.execution_deadline()},
        {"ff:idx:<tag>:all_executions", index.all_executions()},
        {"ff:idx:<tag>:retention_due", index.retention_due()},
        {"ff:idx:<tag>:cascade_pending", index.cascade_pending()},
        {"ff:idx:<tag>:quota_release", index.quota_release()},
        {"ff:wake:<tag>", index.wake()},
        {"ff:sec:<tag>:waitpoint_hmac", index.waitpoint_hmac()},
        {"ff:sec:<tag>:rotate_lock", index.rotate_lock()},
        {"ff:part:<tag>:signal_delivery", index.signal_delivery()},
        {"ff:part:<tag>:events", index.events()},
        {"ff:part:<tag>:feed_seq", index.feed_seq()},
    };
}

Formats flow_formats() {
    const FlowKeys flow(id<FlowId>(kUuid), PartitionConfig());
    const FlowIndexKeys index(PartitionKey::flow(24));
    const auto downstream = id<ExecutionId>(kDownstream);
    return {
        {"ff:flow:<tag>:<flow_id>:core", flow.core()},
        {"ff:flow:<tag>:<flow_id>:members", flow.members()},
        {"ff:flow:<tag>:<flow_id>:tags", flow.tags()},
        {"ff:flow:<tag>:<flow_id>:member:<eid>", flow.member(execution())},
        {"ff:flow:<tag>:<flow_id>:names", flow.names()},
        {"ff:flow:<tag>:<flow_id>:edge:<edge_id>", flow.edge(id<EdgeId>(kOtherUuid))},
        {"ff:flow:<tag>:<flow_id>:out:<upstream_eid>", flow.out(id<ExecutionId>(kUpstream))},
        {"ff:flow:<tag>:<flow_id>:in:<downstream_eid>", flow.in(downstream)},
        {"ff:flow:<tag>:<flow_id>:edgegroup:<downstream_eid>", flow.edge_group(downstream)},
        {"ff:flow:<tag>:<flow_id>:events", flow.events()},
        {"ff:flow:<tag>:<flow_id>:summary", flow.summary()},
        {"ff:flow:<tag>:<flow_id>:grant:<mutation_id>", flow.grant("m-1")},
        {"ff:flow:<tag>:<flow_id>:pending_cancels", flow.pending_cancels()},
        {"ff:idx:<tag>:flow_index", index.flow_index()},
        {"ff:idx:<tag>:cancel_backlog", index.cancel_backlog()},
        {"ff:idx:<tag>:pending_cancel_groups", index.pending_cancel_groups()},
        {"ff:idx:<tag>:flows_by_time", index.flows_by_time()},
        {"ff:idx:<tag>:terminal_flows", index.terminal_flows()},
    };
}

// With one partition the sample policy and the directory of the sample scope carry the same tag.
PartitionConfig one_policy_partition() {
    return *PartitionConfig::create({.flow = 256, .budget = 1, .quota = 1});
}

Formats budget_formats() {
    const BudgetKeys budget(id<BudgetId>(kUuid), one_policy_partition());
    const BudgetIndexKeys index(PartitionKey(PartitionFamily::Budget, 0));
    return {
        {"ff:budget:<tag>:<budget_id>", budget.definition()},
        {"ff:budget:<tag>:<budget_id>:limits", budget.limits()},
        {"ff:budget:<tag>:<budget_id>:usage", budget.usage()},
        {"ff:budget:<tag>:<budget_id>:executions", budget.executions()},
        {"ff:budget:<tag>:<budget_id>:by_exec:<eid>", budget.by_execution(execution())},
        {"ff:budget:<tag>:<budget_id>:by_exec:index", budget.by_execution_index()},
        {"ff:budget_attach:<tag>:<scope_type>:<scope_id>",
         budget_attach_key({.type = "lane", .id = "gpu"}, one_policy_partition())},
        {"ff:idx:<tag>:budget_resets", index.resets()},
        {"ff:idx:<tag>:budget_policies", index.policies()},
        {"ff:usagededup:<tag>:<dedup_id>", index.usage_dedup(id<DedupId>("d:1"))},
    };
}

Formats quota_formats() {
    const QuotaKeys quota(id<QuotaPolicyId>(kUuid), one_policy_partition());
    return {
        {"ff:quota:<tag>:<quota_id>", quota.definition()},
        {"ff:quota:<tag>:<quota_id>:window:<dim>", quota.window()},
        {"ff:quota:<tag>:<quota_id>:concurrency", quota.concurrency()},
        {"ff:quota:<tag>:<quota_id>:admitted:<eid>", quota.admitted(execution())},
        {"ff:quota:<tag>:<quota_id>:admitted_set", quota.admitted_set()},
        {"ff:quota:<tag>:<quota_id>:epochs", quota.epochs()},
        {"ff:quota_attach:<tag>:<scope_type>:<scope_id>",
         quota_attach_key({.type = "lane", .id = "gpu"}, one_policy_partition())},
        {"ff:idx:<tag>:quota_policies", quota_policies_key({PartitionFamily::Quota, 0})},
    };
}

Formats global_formats() {
    const auto lane = id<LaneId>("gpu:eu");
    const auto ns = id<Namespace>("tenant-a");
    const auto worker = id<WorkerInstanceId>("w{1}");
    const WorkerRegistryKeys registry(ns);
    const DirectWorkerKeys direct(worker);
    return {
        {"ff:config:partitions", std::string(kPartitionConfigKey)},
        {"ff:idx:lanes", std::string(kLanesKey)},
        {"ff:lane:<lane>:config", lane_config_key(lane)},
        {"ff:lane:<lane>:counts", lane_counts_key(lane)},
        {"ff:worker:<wiid>", direct.reserved()},
        {"ff:worker:<wiid>:alive", direct.alive()},
        {"ff:worker:<wiid>:caps", direct.caps()},
        {"ff:idx:workers", direct_workers_key()},
        {"ff:worker:{<namespace>}:{<wiid>}:alive", registry.alive(worker)},
        {"ff:worker:{<namespace>}:{<wiid>}:caps", registry.caps(worker)},
        {"ff:worker:{<namespace>}:events", registry.events()},
        {"ff:idx:{<namespace>}:workers", registry.workers()},
        {"ff:idx:namespaces", std::string(kNamespacesKey)},
        {"ff:idx:attached_scopes", std::string(kAttachedScopesKey)},
        {"ff:audit:events", std::string(kAuditEventsKey)},
        {"ff:scan:shard:<n>:<i>", scanner_shard_key(4, 3)},
        {"ff:idx:workers:cap:<key>:<value>",
         direct_workers_by_capability_key("colour", "dark:blue")},
        {"ff:ns:<namespace>:config", namespace_config_key(ns)},
        {"ff:ns:<namespace>:executions", namespace_executions_key(ns)},
        {"ff:tag:<namespace>:<key>:<value>", tag_key(ns, "colour", "dark:blue")},
    };
}

Formats channel_formats() {
    return {
        {"ff:dag:completions", std::string(kDagCompletionsChannel)},
        {"ff:flow:completions", std::string(kFlowCompletionsChannel)},
        {"ff:wake:<lane>", wake_channel(id<LaneId>("gpu:eu"))},
        {"ff:admission:freed", std::string(kAdmissionFreedChannel)},
        {"ff:due", std::string(kDueChannel)},
    };
}

struct Group {
    std::string_view heading;
    std::string_view tag;
    Formats formats;
};

std::vector<Group> groups() {
    return {{"### 4.1 ", "{fp:42}", execution_formats()}, {"### 4.2 ", "{fp:42}", index_formats()},
            {"### 4.3 ", "{fp:24}", flow_formats()},      {"### 4.4 ", "{b:0}", budget_formats()},
            {"### 4.5 ", "{q:0}", quota_formats()},       {"### 4.6 ", "", global_formats()},
            {"### 4.7 ", "", channel_formats()}};
}

std::set<std::string> documented_in(std::string_view heading) {
    std::set<std::string> patterns;
    for (const auto& row : SpecSection("01-keys-partitions-storage.md", heading).rows()) {
        for (const std::string& span : code_spans(row[0]))
            if (span.starts_with("ff:")) patterns.insert(span);
    }
    return patterns;
}

TEST(Ch01, S14_EveryKeyBuilderEqualsItsFormatByteForByte) {
    for (const Group& group : groups()) {
        const Samples samples = samples_with_tag(group.tag);
        for (const Format& format : group.formats)
            EXPECT_EQ(format.built, expand(format.pattern, samples)) << format.pattern;
    }
}

TEST(KeyRegistry, BuildsExactlyTheKeysThatChapter01Lists) {
    for (const Group& group : groups()) {
        std::set<std::string> built;
        for (const Format& format : group.formats) built.emplace(format.pattern);
        EXPECT_EQ(built, documented_in(group.heading)) << group.heading;
    }
}

TEST(Ch01, S13_AllKeysOfAnExecutionCarryItsTagTwiceAndShareItsSlot) {
    EXPECT_EQ(ExecKeys(execution()).core(),
              "ff:exec:{fp:42}:{fp:42}:11111111-2222-4333-8444-555555555555:core");
    std::vector<std::string> keys;
    for (const Formats& formats : {execution_formats(), index_formats()})
        for (const Format& format : formats) keys.push_back(format.built);
    for (const std::string& key : keys) EXPECT_EQ(slot_of(key), 2824) << key;
}

TEST(KeyRegistry, TheNamespaceIsTheTagOfTheWorkerRegistry) {
    const WorkerRegistryKeys keys(id<Namespace>("t1"));
    const auto worker = id<WorkerInstanceId>("w1");
    const std::vector<std::string> call = {keys.alive(worker), keys.caps(worker), keys.workers(),
                                           keys.events(), keys.noop()};
    for (const std::string& key : call) EXPECT_EQ(hash_tag(key), "t1") << key;
    EXPECT_EQ(call[0], "ff:worker:{t1}:{w1}:alive");
}

TEST(KeyRegistry, AttachmentsLiveInTheDirectoryPartitionOfTheirScope) {
    const PolicyScope scope{.type = "tenant", .id = "acme"};
    const PartitionConfig config;
    EXPECT_EQ(budget_attach_key(scope, config),
              "ff:budget_attach:" + budget_directory_of(scope, config).tag() + ":tenant:acme");
    EXPECT_EQ(quota_attach_key(scope, config),
              "ff:quota_attach:" + quota_directory_of(scope, config).tag() + ":tenant:acme");
}

TEST(Ch05, S02_MembersOfAFlowShareItsSlot) {
    const Router router{PartitionConfig()};
    const auto flow = id<FlowId>(kUuid);
    SeededRandom random(1);
    const ExecutionId one = ExecutionId::for_flow(flow, router.config(), random);
    const ExecutionId two = ExecutionId::for_flow(flow, router.config(), random);
    EXPECT_NE(one, two);
    for (const ExecutionId& member : {one, two}) {
        EXPECT_TRUE(member.to_string().starts_with("{fp:24}:"));
        EXPECT_EQ(slot_of(Router::exec_keys(member).core()), 360);
        EXPECT_EQ(slot_of(Router::exec_keys(member).stream(AttemptIndex{0})), 360);
        EXPECT_EQ(slot_of(router.flow_keys(flow).member(member)), 360);
    }
    for (const Format& format : flow_formats()) EXPECT_EQ(slot_of(format.built), 360);
}

}  // namespace
}  // namespace ff::model
