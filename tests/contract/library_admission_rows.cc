#include "contract/bad_input.h"
#include "contract/scheduling.h"

namespace ff::contract {
namespace {

const std::string kBudget = "11111111-2222-4333-8444-555555555555";

std::string budget_key(const std::string& tag, const std::string& suffix = "") {
    return "ff:budget:" + tag + ":" + kBudget + suffix;
}

List create_budget_keys(const std::string& tag) {
    return {budget_key(tag), budget_key(tag, ":limits"), budget_key(tag, ":usage"),
            "ff:idx:" + tag + ":budget_resets", "ff:idx:" + tag + ":budget_policies"};
}

List create_budget_args() {
    return {kBudget, "lane", "main", "strict", "fail", "warn",           "60000",
            "5",     "1",    "d",    "100",    "50",   R"({"name":"n"})"};
}

void make_budget(Host& host, const std::string& tag) {
    host.fcall("ff_create_budget", create_budget_keys(tag), create_budget_args());
}

List spend_keys(const std::string& tag) {
    return {budget_key(tag, ":usage"), budget_key(tag, ":limits"), budget_key(tag),
            budget_key(tag, ":by_exec:E"), budget_key(tag, ":by_exec:index")};
}

std::vector<BadInputRow> budget_rows() {
    return {
        {"ff_create_budget",
         [](Host&, const std::string& tag) {
             return GoodCall{create_budget_keys(tag), create_budget_args()};
         }},
        {"ff_report_usage_and_check",
         [](Host& host, const std::string& tag) {
             make_budget(host, tag);
             return GoodCall{
                 {budget_key(tag, ":usage"), budget_key(tag, ":limits"), budget_key(tag)},
                 {"2", "d", "e", "1", "2", "5", "ff:usagededup:" + tag + ":x"}};
         }},
        {"ff_record_spend",
         [](Host& host, const std::string& tag) {
             make_budget(host, tag);
             return GoodCall{spend_keys(tag),
                             {"1", "d", "1", "5", "ff:usagededup:" + tag + ":x", "E", "60000"}};
         }},
        {"ff_release_budget",
         [](Host& host, const std::string& tag) {
             make_budget(host, tag);
             host.fcall("ff_record_spend", spend_keys(tag), {"1", "d", "1", "5", "", "E"});
             return GoodCall{{budget_key(tag, ":usage"), budget_key(tag, ":by_exec:E"),
                              budget_key(tag, ":by_exec:index"), budget_key(tag)},
                             {kBudget, "E"}};
         }},
        {"ff_reset_budget",
         [](Host& host, const std::string& tag) {
             make_budget(host, tag);
             return GoodCall{
                 {budget_key(tag), budget_key(tag, ":usage"), "ff:idx:" + tag + ":budget_resets"},
                 {kBudget, "5", "60005"}};
         }},
        {"ff_update_budget",
         [](Host& host, const std::string& tag) {
             make_budget(host, tag);
             return GoodCall{
                 {budget_key(tag), budget_key(tag, ":limits"), budget_key(tag, ":usage")},
                 {kBudget, "5", "op", "why", "1", "d", "200", "", "strict", "fail", "warn"}};
         }},
        {"ff_get_budget",
         [](Host& host, const std::string& tag) {
             make_budget(host, tag);
             return GoodCall{
                 {budget_key(tag), budget_key(tag, ":limits"), budget_key(tag, ":usage")}, {}};
         }},
    };
}

std::string quota_key(const std::string& tag, const std::string& suffix = "") {
    return "ff:quota:" + tag + ":" + kBudget + suffix;
}

std::string window_key(const std::string& tag) {
    return quota_key(tag, ":window:requests_per_window");
}

List create_quota_keys(const std::string& tag) {
    return {quota_key(tag), window_key(tag), quota_key(tag, ":concurrency"),
            quota_key(tag, ":admitted_set"), "ff:idx:" + tag + ":quota_policies"};
}

List create_quota_args() {
    return {kBudget, "60", "5", "5", "5", "10", "lane", "main", "n"};
}

List batch_quota_keys(const std::string& tag) {
    return {window_key(tag), quota_key(tag, ":concurrency"), quota_key(tag),
            quota_key(tag, ":admitted_set")};
}

void make_quota(Host& host, const std::string& tag) {
    host.fcall("ff_create_quota_policy", create_quota_keys(tag), create_quota_args());
}

void admit(Host& host, const std::string& tag) {
    make_quota(host, tag);
    host.fcall("ff_admit_batch", batch_quota_keys(tag), {"", "2", "E", "F"});
}

std::vector<BadInputRow> quota_rows() {
    return {
        {"ff_create_quota_policy",
         [](Host&, const std::string& tag) {
             return GoodCall{create_quota_keys(tag), create_quota_args()};
         }},
        {"ff_update_quota_policy",
         [](Host& host, const std::string& tag) {
             make_quota(host, tag);
             return GoodCall{{quota_key(tag)},
                             {kBudget, "5", "ann", "more", "60", "7", "3", "1", "n"}};
         }},
        {"ff_attach_quota_policy",
         [](Host& host, const std::string& tag) {
             make_quota(host, tag);
             return GoodCall{{quota_key(tag)}, {kBudget, "lane", "main"}};
         }},
        {"ff_check_admission_and_record",
         [](Host& host, const std::string& tag) {
             make_quota(host, tag);
             return GoodCall{{window_key(tag), quota_key(tag, ":concurrency"), quota_key(tag),
                              quota_key(tag, ":admitted:E"), quota_key(tag, ":admitted_set")},
                             {"5", "60", "5", "5", "E", "10"}};
         },
         true},
        {"ff_release_admission",
         [](Host& host, const std::string& tag) {
             admit(host, tag);
             return GoodCall{{quota_key(tag, ":admitted:E"), quota_key(tag, ":admitted_set"),
                              quota_key(tag, ":concurrency"), window_key(tag)},
                             {"E", "rollback"}};
         }},
        {"ff_admit_batch",
         [](Host& host, const std::string& tag) {
             make_quota(host, tag);
             return GoodCall{batch_quota_keys(tag), {"5", "2", "E", "F", "1", "2"}};
         }},
        {"ff_release_admission_batch",
         [](Host& host, const std::string& tag) {
             admit(host, tag);
             return GoodCall{batch_quota_keys(tag), {"done", "2", "E", "F", "1", "2"}};
         }},
        {"ff_reconcile_quota",
         [](Host& host, const std::string& tag) {
             admit(host, tag);
             return GoodCall{{quota_key(tag), window_key(tag), quota_key(tag, ":concurrency"),
                              quota_key(tag, ":admitted_set")},
                             {"5", "1", "E", "1"}};
         }},
    };
}

Execution made(Host& host, const std::string& tag) {
    Execution e(host, tag);
    e.create();
    return e;
}

List block_keys(const Execution& e) {
    return {e.key("core"), e.lane_key("eligible"), e.lane_key("blocked:budget")};
}

Execution blocked(Host& host, const std::string& tag) {
    const Execution e = made(host, tag);
    host.fcall("ff_block_execution_for_admission", block_keys(e),
               {e.id(), "waiting_for_budget", "", "", "budget:b"});
    return e;
}

List grant_args(const Execution& e) {
    return {e.id(), "w1", "i", "lane", "hash", "5000", "{}", "ok", "cpu", "q"};
}

std::vector<BadInputRow> grant_rows() {
    return {
        {"ff_void_admission",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{{e.key("core")}, {e.id(), "1"}};
         }},
        {"ff_block_execution_for_admission",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{block_keys(e), {e.id(), "waiting_for_budget", "why", "5", "budget:b"}};
         }},
        {"ff_unblock_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = blocked(host, tag);
             return GoodCall{{e.key("core"), e.lane_key("blocked:budget"), e.lane_key("eligible")},
                             {e.id(), "5", "waiting_for_budget", "budget:b"}};
         }},
        {"ff_unblock_batch",
         [](Host& host, const std::string& tag) {
             const Execution e = blocked(host, tag);
             return GoodCall{{e.lane_key("blocked:budget"), e.lane_key("eligible")},
                             {"5", "waiting_for_budget", "budget:b", "10", "0"}};
         }},
        {"ff_issue_claim_grant",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             List args = grant_args(e);
             args.push_back("1");
             return GoodCall{{e.key("core"), e.key("claim_grant"), e.lane_key("eligible")}, args};
         }},
        {"ff_issue_reclaim_grant",
         [](Host& host, const std::string& tag) {
             Execution e = made(host, tag);
             e.take();
             e.lose_lease();
             return GoodCall{{e.key("core"), e.key("claim_grant"), e.index_key("lease_expiry")},
                             grant_args(e)};
         }},
        {"ff_issue_grant_and_claim",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{{e.key("core"), e.key("claim_grant"), e.lane_key("eligible"),
                              e.index_key("lease_expiry"), e.worker_key("i"), e.key("attempts"),
                              e.key("lease:current"), e.key("lease:history"), e.lane_key("active"),
                              e.index_key("attempt_timeout"), e.index_key("execution_deadline")},
                             {e.id(), "w1", "i", "lane", "hash", "l", "30000", "a",
                              R"({"model":"m"})", "1000", "+5000"}};
         }},
    };
}

List claim_keys(const Execution& e) {
    return {e.lane_key("eligible"),
            e.lane_key("blocked:route"),
            e.index_key("lease_expiry"),
            e.worker_key("w1-1"),
            e.lane_key("active"),
            e.index_key("attempt_timeout"),
            e.index_key("execution_deadline"),
            "ff:wake:" + e.id().substr(0, e.id().find('}') + 1)};
}

BatchArgs full_claim(const std::string& admitted) {
    return {.caps = "cpu",
            .renew_before_ms = "100",
            .request_id = "r",
            .scan_depth = "10",
            .max_payload_bytes = "1000",
            .admission = "defer",
            .gated = "x",
            .gate_flows = "1",
            .over_share = "y",
            .fair_floor = "5",
            .ns = "ns",
            .arm_wake_ms = "1000",
            .include_reclaim = "1",
            .admitted = {{admitted, "q"}},
            .admission_epochs = "1",
            .kinds = "kind\nother"};
}

std::vector<BadInputRow> batch_rows() {
    return {
        {"ff_claim_batch",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{claim_keys(e), batch_args(full_claim(e.id()))};
         }},
        {"ff_index_kinds",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{{e.lane_key("eligible"), "ff:wake:" + tag}, {"lane"}};
         }},
        {"ff_complete_and_claim",
         [](Host& host, const std::string& tag) {
             Execution e = made(host, tag);
             e.take();
             List args{"1", e.id(), e.lease_id, e.epoch, e.attempt_id, "out", "raw"};
             const List claim = batch_args(full_claim(made(host, tag).id()));
             args.insert(args.end(), claim.begin(), claim.end());
             return GoodCall{claim_keys(e), args};
         }},
        {"ff_create_batch",
         [](Host& host, const std::string& tag) {
             const Execution e(host, tag);
             List args{"1", "16"};
             const List item = e.create_args({.priority = "1", .tags = R"({"a":"b"})"});
             args.insert(args.end(), item.begin(), item.end());
             return GoodCall{{e.index_key("execution_deadline"), e.index_key("all_executions"),
                              "ff:wake:" + tag},
                             args};
         }},
    };
}

std::string worker_key(const std::string& tag, const std::string& suffix) {
    return "ff:worker:" + tag + ":{i}:" + suffix;
}

List register_keys(const std::string& tag) {
    return {worker_key(tag, "alive"), worker_key(tag, "caps"), "ff:idx:" + tag + ":workers"};
}

List register_args() {
    return {"i", "w", "lane", "cpu", "60000", "5", "boot", "reject", "4"};
}

std::vector<BadInputRow> worker_rows() {
    return {
        {"ff_register_worker",
         [](Host&, const std::string& tag) {
             return GoodCall{register_keys(tag), register_args()};
         }},
        {"ff_heartbeat_worker",
         [](Host& host, const std::string& tag) {
             host.fcall("ff_register_worker", register_keys(tag), register_args());
             return GoodCall{{worker_key(tag, "alive"), worker_key(tag, "caps")}, {"5", "boot"}};
         }},
        {"ff_mark_worker_dead",
         [](Host& host, const std::string& tag) {
             host.fcall("ff_register_worker", register_keys(tag), register_args());
             List keys = register_keys(tag);
             keys.push_back("ff:worker:" + tag + ":events");
             return GoodCall{keys, {"i", "bye", "5", "boot"}};
         }},
        {"ff_list_workers",
         [](Host& host, const std::string& tag) {
             host.fcall("ff_register_worker", register_keys(tag), register_args());
             return GoodCall{{"ff:idx:" + tag + ":workers"}, {"a", "10"}};
         }},
    };
}

/// Real lanes have no braces; here the tag tells whose keys are looked at.
List lane_keys(const std::string& tag) {
    return {"ff:lane:" + tag + ":config"};
}

std::vector<BadInputRow> lane_rows() {
    return {
        {"ff_set_lane",
         [](Host&, const std::string& tag) {
             return GoodCall{lane_keys(tag),
                             {tag, "state", "paused", "scheduling_weight", "7", "default_priority",
                              "5", "default_policy_json", R"({"priority":1})"}};
         }},
        {"ff_delete_lane",
         [](Host& host, const std::string& tag) {
             host.fcall("ff_set_lane", lane_keys(tag), {tag, "state", "disabled"});
             return GoodCall{lane_keys(tag), {tag}};
         }},
    };
}

}  // namespace

std::vector<BadInputRow> admission_rows() {
    std::vector<BadInputRow> rows;
    for (const auto& more :
         {budget_rows(), quota_rows(), grant_rows(), batch_rows(), worker_rows(), lane_rows()}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

}  // namespace ff::contract
