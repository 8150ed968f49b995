#include "contract/bad_input.h"
#include "contract/execution.h"

namespace ff::contract {
namespace {

const std::string kWaitpoint = "11111111-2222-4333-8444-555555555555";
const std::string kSecret = "00ff00ff00ff00ff00ff00ff00ff00ff";

std::string secrets(const std::string& tag) {
    return "ff:sec:" + tag + ":waitpoint_hmac";
}

std::string waitpoint(const std::string& tag, const std::string& suffix = "") {
    return "ff:wp:" + tag + ":" + kWaitpoint + suffix;
}

/// A claimed execution in a partition that can mint.
Execution taken(Host& host, const std::string& tag) {
    host.fcall("ff_init_waitpoint_hmac_secret", {secrets(tag)}, {"k1", kSecret});
    Execution e(host, tag);
    e.create({});
    e.take();
    return e;
}

List suspend_keys(const Execution& e, const std::string& tag) {
    return {e.key("core"),
            e.attempt_key(0),
            e.key("lease:current"),
            e.key("lease:history"),
            e.index_key("lease_expiry"),
            e.worker_key("w1-1"),
            e.key("suspension:current"),
            waitpoint(tag),
            waitpoint(tag, ":signals"),
            e.index_key("suspension_timeout"),
            e.index_key("pending_waitpoint_expiry"),
            e.lane_key("active"),
            e.lane_key("suspended"),
            e.key("waitpoints"),
            waitpoint(tag, ":condition"),
            e.index_key("attempt_timeout"),
            secrets(tag),
            "ff:noop:" + tag,
            "ff:noop:" + tag,
            "ff:noop:" + tag,
            "ff:noop:" + tag};
}

List suspend_args(const Execution& e) {
    return {e.id(),
            "0",
            e.attempt_id,
            e.lease_id,
            e.epoch,
            "s",
            kWaitpoint,
            "k",
            "waiting_for_approval",
            "worker",
            "+60000",
            R"({"v":1,"composite":true,"tree":{"kind":"Count","n":2,)"
            R"("count_kind":"DistinctWaitpoints","waitpoints":["k","l"]}})",
            R"({"resume_delay_ms":5})",
            "there",
            "",
            "auto_resume",
            "10",
            "once",
            "60000",
            "1",
            "other",
            "l",
            "Really?",
            R"(["ann"])",
            R"({"type":"object"})",
            "bytes",
            "text/plain",
            "+60000"};
}

Execution suspended(Host& host, const std::string& tag) {
    const Execution e = taken(host, tag);
    host.fcall("ff_suspend_execution", suspend_keys(e, tag), suspend_args(e));
    return e;
}

List pending_keys(const Execution& e, const std::string& tag) {
    return {e.key("core"), waitpoint(tag), e.index_key("pending_waitpoint_expiry"), secrets(tag)};
}

List pending_args(const Execution& e) {
    return {e.id(),       "0",       kWaitpoint,   "k",          "+60000", e.lease_id,   e.epoch,
            e.attempt_id, "Really?", R"(["ann"])", R"({"a":1})", "bytes",  "text/plain", "+60000"};
}

Execution awaited(Host& host, const std::string& tag) {
    const Execution e = taken(host, tag);
    host.fcall("ff_create_pending_waitpoint", pending_keys(e, tag), pending_args(e));
    return e;
}

List signal_keys(const Execution& e, const std::string& tag) {
    return {e.key("core"),
            waitpoint(tag, ":condition"),
            waitpoint(tag, ":signals"),
            e.key("signals"),
            "ff:signal:" + tag + ":g",
            "ff:signal:" + tag + ":g:payload",
            "ff:sigdedup:" + tag + ":" + kWaitpoint + ":once",
            waitpoint(tag)};
}

List signal_args(Host& host, const Execution& e, const std::string& tag) {
    const std::string token = host.command({"HGET", waitpoint(tag), "waitpoint_token"}).text;
    return {"g",       e.id(), kWaitpoint, "ok",  "approval",  "user", "ann",
            "payload", "json", "once",     "c",   "waitpoint", "5",    "60000",
            "5",       "100",  "100",      token, "1",         "100",  "100"};
}

GoodCall deliver_call(Host& host, const std::string& tag) {
    const Execution e = suspended(host, tag);
    List keys = signal_keys(e, tag);
    const List more{e.key("suspension:current"),
                    e.lane_key("eligible"),
                    e.lane_key("suspended"),
                    e.lane_key("delayed"),
                    e.index_key("suspension_timeout"),
                    secrets(tag),
                    "ff:part:" + tag + ":signal_delivery"};
    keys.insert(keys.end(), more.begin(), more.end());
    return {keys, signal_args(host, e, tag)};
}

const std::string kDigest(64, '5');

/// An execution that waits, and a link to where it waits.
Execution linked(Host& host, const std::string& tag) {
    const Execution e = suspended(host, tag);
    host.fcall("ff_create_approval_link", {waitpoint(tag)},
               {e.id(), kWaitpoint, "link", kDigest, "+60000", "ann"});
    return e;
}

std::vector<BadInputRow> link_rows() {
    return {
        {"ff_create_approval_link",
         [](Host& host, const std::string& tag) {
             const Execution e = linked(host, tag);
             return GoodCall{{waitpoint(tag)},
                             {e.id(), kWaitpoint, "other", kDigest, "+60000", "ann"}};
         }},
        {"ff_revoke_approval_links",
         [](Host& host, const std::string& tag) {
             const Execution e = linked(host, tag);
             return GoodCall{{waitpoint(tag)}, {e.id(), kWaitpoint, "link"}};
         }},
        {"ff_read_approval_link",
         [](Host& host, const std::string& tag) {
             const Execution e = linked(host, tag);
             return GoodCall{{waitpoint(tag)}, {e.id(), kWaitpoint, "link", kDigest}};
         }},
        {"ff_answer_approval_link",
         [](Host& host, const std::string& tag) {
             const Execution e = linked(host, tag);
             return GoodCall{
                 {e.key("core"), waitpoint(tag)},
                 {e.id(), kWaitpoint, "link", kDigest, "g", "approved", "ok", "payload"}};
         }},
    };
}

std::vector<BadInputRow> pausing_rows() {
    return {
        {"ff_suspend_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{suspend_keys(e, tag), suspend_args(e)};
         }},
        {"ff_resume_execution",
         [](Host& host, const std::string& tag) {
             const Execution e = suspended(host, tag);
             return GoodCall{
                 {e.key("core"), e.key("suspension:current"), waitpoint(tag),
                  waitpoint(tag, ":signals"), e.index_key("suspension_timeout"),
                  e.lane_key("eligible"), e.lane_key("delayed"), e.lane_key("suspended")},
                 {e.id(), "operator", "5", "s", "ann"}};
         }},
        {"ff_expire_suspension",
         [](Host& host, const std::string& tag) {
             const Execution e = suspended(host, tag);
             host.command({"HSET", e.key("suspension:current"), "timeout_at", "1"});
             return GoodCall{
                 {e.key("core"), e.key("suspension:current"), waitpoint(tag),
                  waitpoint(tag, ":condition"), e.attempt_key(0), e.stream_key(0, ":meta"),
                  e.index_key("suspension_timeout"), e.lane_key("suspended"),
                  e.lane_key("terminal"), e.lane_key("eligible"), e.lane_key("delayed"),
                  e.key("lease:history")},
                 {e.id()}};
         }},
        {"ff_deliver_signal", deliver_call, false, ":core"},
        {"ff_buffer_signal_for_pending_waitpoint",
         [](Host& host, const std::string& tag) {
             const Execution e = awaited(host, tag);
             List keys = signal_keys(e, tag);
             keys.push_back(secrets(tag));
             return GoodCall{keys, signal_args(host, e, tag)};
         },
         false, ":core"},
    };
}

std::vector<BadInputRow> waitpoint_rows() {
    return {
        {"ff_create_pending_waitpoint",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{pending_keys(e, tag), pending_args(e)};
         }},
        {"ff_close_waitpoint",
         [](Host& host, const std::string& tag) {
             const Execution e = awaited(host, tag);
             return GoodCall{
                 {e.key("core"), waitpoint(tag), e.index_key("pending_waitpoint_expiry")},
                 {kWaitpoint, "done"}};
         }},
        {"ff_remint_waitpoint_token",
         [](Host& host, const std::string& tag) {
             const Execution e = awaited(host, tag);
             host.fcall("ff_rotate_waitpoint_hmac_secret", {secrets(tag)}, {"k2", "aabb", "60000"});
             return GoodCall{{waitpoint(tag), secrets(tag)}, {e.id(), kWaitpoint}};
         }},
        {"ff_init_waitpoint_hmac_secret",
         [](Host&, const std::string& tag) { return GoodCall{{secrets(tag)}, {"k1", kSecret}}; }},
        {"ff_rotate_waitpoint_hmac_secret",
         [](Host& host, const std::string& tag) {
             taken(host, tag);
             return GoodCall{{secrets(tag), "ff:sec:" + tag + ":rotate_lock"},
                             {"k2", "aabb", "60000", "lock"}};
         }},
        {"ff_list_waitpoint_hmac_kids",
         [](Host& host, const std::string& tag) {
             taken(host, tag);
             return GoodCall{{secrets(tag)}, {}};
         }},
    };
}

}  // namespace

std::vector<BadInputRow> suspension_rows() {
    std::vector<BadInputRow> rows = pausing_rows();
    for (const auto& more : {waitpoint_rows(), link_rows()})
        rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

}  // namespace ff::contract
