#include "contract/bad_input.h"
#include "contract/execution.h"

namespace ff::contract {
namespace {

Execution made(Host& host, const std::string& tag, const CreateArgs& args = {}) {
    Execution e(host, tag);
    e.create(args);
    return e;
}

Execution taken(Host& host, const std::string& tag) {
    Execution e = made(host, tag, {.policy = R"({"retry_policy":{"max_retries":3}})"});
    e.take();
    return e;
}

List fence(const Execution& e) {
    return {e.id(), e.lease_id, e.epoch, e.attempt_id};
}

List with(List args, const List& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
}

std::vector<BadInputRow> claiming_rows() {
    return {
        {"ff_create_execution",
         [](Host& host, const std::string& tag) {
             const Execution e(host, tag);
             return GoodCall{e.create_keys(), e.create_args({.priority = "1",
                                                             .policy = R"({"max_replay_count":1})",
                                                             .delay_until = "+1",
                                                             .dedup_ttl_ms = "5",
                                                             .tags = R"({"a":"b"})",
                                                             .deadline = "+5",
                                                             .encoding = "raw",
                                                             .hold = "dependencies",
                                                             .idempotency_key = "k"})};
         }},
        {"ff_claim_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             e.grant();
             return GoodCall{e.claim_keys(),
                             {e.id(), "w1", "i", "lane", "caps", "l", "30000", "10", "a",
                              R"({"model":"m"})", "1000", "+5000"}};
         }},
        {"ff_claim_resumed_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             e.delay("+0");
             e.promote();
             e.grant();
             return GoodCall{e.resumed_keys(),
                             {e.id(), "w1", "i", "lane", "caps", "l", "30000", "1000"}};
         }},
        {"ff_reclaim_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             e.lose_lease();
             e.grant();
             return GoodCall{
                 e.reclaim_keys(),
                 {e.id(), "w1", "i", "lane", "l", "30000", "a", R"({"model":"m"})", "9", "1000"}};
         }},
        {"ff_promote_delayed",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag, {.delay_until = "+60000"});
             return GoodCall{{e.key("core"), e.lane_key("delayed"), e.lane_key("eligible")},
                             {e.id(), "5"}};
         }},
        {"ff_change_priority",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{{e.key("core"), e.lane_key("eligible")}, {e.id(), "5"}};
         }},
        {"ff_set_execution_tags",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{{e.key("core"), e.key("tags")}, {"a.b", "1", "a.c", "2"}};
         }},
    };
}

std::vector<BadInputRow> leased_rows() {
    return {
        {"ff_complete_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.complete_keys(),
                             with(fence(e), {"out", "", "raw", "1", "s", "1", "json"})};
         }},
        {"ff_fail_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.fail_keys(), with(fence(e), {"r", "c", R"({"max_retries":1})", "",
                                                            "stored", "next", "1", "s", "1", ""})};
         }},
        {"ff_delay_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.delay_keys(), with(fence(e), {"+5", "", "1", "1", "s", "1", ""})};
         }},
        {"ff_move_to_waiting_children",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.waiting_children_keys(),
                             with(fence(e), {"", "1", "1", "s", "1", ""})};
         }},
        {"ff_renew_lease",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.renew_keys(),
                             {e.id(), "0", e.attempt_id, e.lease_id, e.epoch, "1000", "5", "1"}};
         }},
        {"ff_update_progress",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{{e.key("core")},
                             {e.id(), e.lease_id, e.epoch, "5", "m", e.attempt_id,
                              R"({"tokens":1})", "1", "d"}};
         }},
        {"ff_revoke_lease",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.revoke_keys(), {e.id(), e.lease_id, "why"}};
         }},
        {"ff_mark_lease_expired_if_due",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.mark_keys(), {e.id()}};
         }},
        {"ff_cancel_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.cancel_keys(),
                             {e.id(), "why", "worker", e.lease_id, e.epoch, e.attempt_id}};
         }},
    };
}

std::vector<BadInputRow> recording_rows() {
    return {
        {"ff_record_steps",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{{e.key("core"), e.key("steps")},
                             with(fence(e), {"2", "a", "1", "raw", "b", "", ""})};
         }},
        {"ff_read_steps",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             host.fcall("ff_record_steps", {e.key("core"), e.key("steps")},
                        with(fence(e), {"1", "a", "1", "raw"}));
             return GoodCall{{e.key("core"), e.key("steps")}, {e.id(), "0", "5", "1000"}};
         }},
        {"ff_call_children",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{{e.key("core"), e.key("children")},
                             with(fence(e), {"continue", "1", "a", "kind", "kids", "in", "raw",
                                             R"({"max_replay_count":1})", R"({"a":"b"})", "1", "1",
                                             "s", "1", "json"})};
         }},
        {"ff_read_children",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             host.fcall("ff_call_children", {e.key("core"), e.key("children")},
                        with(fence(e), {"", "1", "a", "kind", "kids", "", "", "", "", ""}));
             return GoodCall{{e.key("core"), e.key("children")}, {e.id(), "0", "5", "1000"}};
         }},
    };
}

std::vector<BadInputRow> ended_rows() {
    return {
        {"ff_expire_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{e.expire_keys(), {e.id(), "attempt_timeout", "1"}};
         }},
        {"ff_replay_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             e.complete();
             return GoodCall{{e.key("core"), e.lane_key("terminal"), e.lane_key("eligible"),
                              e.key("lease:history")},
                             {e.id(), "5", "why", "who", "1"}};
         }},
        {"ff_reconcile_execution_index",
         [](Host& host, const std::string& tag) {
             const Execution e = made(host, tag);
             return GoodCall{{e.key("core"), e.index_key("all_executions")}, {e.id(), "repair"}};
         }},
        {"ff_purge_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             e.complete();
             return GoodCall{{e.key("core"), e.lane_key("terminal"), e.index_key("all_executions")},
                             {e.id(), "0", "5"}};
         }},
    };
}

}  // namespace

std::vector<BadInputRow> execution_rows() {
    std::vector<BadInputRow> rows = claiming_rows();
    for (const auto& more : {leased_rows(), recording_rows(), ended_rows()}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

std::vector<BadInputRow> all_bad_input_rows() {
    std::vector<BadInputRow> rows = execution_rows();
    for (const auto& more : {admission_rows(), suspension_rows(), stream_rows(), flow_rows()}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

}  // namespace ff::contract
