#include "contract/suspension.h"

namespace ff::contract {

SuspensionContract::SuspensionContract() {
    host().fcall("ff_init_waitpoint_hmac_secret", {secrets()}, {"k1", std::string(kSecret)});
}

RespValue SuspensionContract::rotate(std::string_view kid, std::string_view secret,
                                     std::string_view grace_ms, const List& more_keys,
                                     const List& more_args) const {
    List keys{secrets()};
    keys.insert(keys.end(), more_keys.begin(), more_keys.end());
    List args{std::string(kid), std::string(secret), std::string(grace_ms)};
    args.insert(args.end(), more_args.begin(), more_args.end());
    return host().fcall("ff_rotate_waitpoint_hmac_secret", keys, args);
}

std::string SuspensionContract::waitpoint_key(const std::string& id,
                                              std::string_view suffix) const {
    return "ff:wp:" + tag() + ":" + id + std::string(suffix);
}

List SuspensionContract::suspend_keys(const Execution& e, const SuspendArgs& args) const {
    List keys{e.key("core"),
              e.attempt_key(0),
              e.key("lease:current"),
              e.key("lease:history"),
              e.index_key("lease_expiry"),
              e.worker_key("w1-1"),
              e.key("suspension:current"),
              waitpoint_key(args.waitpoint_id),
              waitpoint_key(args.waitpoint_id, ":signals"),
              e.index_key("suspension_timeout"),
              e.index_key("pending_waitpoint_expiry"),
              e.lane_key("active"),
              e.lane_key("suspended"),
              e.key("waitpoints"),
              waitpoint_key(args.waitpoint_id, ":condition"),
              e.index_key("attempt_timeout"),
              secrets(),
              noop()};
    for (const Waitpoint& one : args.additional) {
        keys.push_back(waitpoint_key(one.id));
        keys.push_back(waitpoint_key(one.id, ":signals"));
        keys.push_back(waitpoint_key(one.id, ":condition"));
    }
    return keys;
}

List SuspensionContract::suspend_args(const Execution& e, const SuspendArgs& args) const {
    List out{e.id(),
             args.attempt_index,
             e.attempt_id,
             e.lease_id,
             e.epoch,
             args.suspension_id,
             args.waitpoint_id,
             args.waitpoint_key,
             args.reason,
             "worker",
             args.timeout_at,
             args.condition,
             args.policy,
             args.continuation,
             args.use_pending ? "1" : "",
             args.behavior,
             "",
             args.idempotency_key,
             args.dedup_ttl_ms,
             std::to_string(args.additional.size())};
    for (const Waitpoint& one : args.additional) {
        out.push_back(one.id);
        out.push_back(one.key);
    }
    out.insert(out.end(), args.approval.begin(), args.approval.end());
    return out;
}

RespValue SuspensionContract::try_suspend(const Execution& e, SuspendArgs args) const {
    if (args.suspension_id.empty()) args.suspension_id = new_uuid();
    if (args.waitpoint_id.empty()) args.waitpoint_id = new_uuid();
    if (args.waitpoint_key.empty() && !args.use_pending) {
        args.waitpoint_key = "wpk:" + args.waitpoint_id;
    }
    return host().fcall("ff_suspend_execution", suspend_keys(e, args), suspend_args(e, args));
}

Suspended SuspensionContract::read_suspended(const RespValue& reply) {
    const List all = flat(reply);
    Suspended out{.reply = reply, .id = element(reply, 3)};
    for (std::size_t i = 3; i + 2 < all.size(); i += i == 3 ? 4 : 3) {
        out.waitpoints.push_back({all[i], all[i + 1], all[i + 2]});
    }
    return out;
}

Suspended SuspensionContract::suspend(const Execution& e, const SuspendArgs& args) const {
    Suspended out = read_suspended(try_suspend(e, args));
    EXPECT_EQ(element(out.reply, 2), "OK") << to_string(out.reply);
    return out;
}

List SuspensionContract::pending_keys(const Execution& e, const std::string& id) const {
    return {e.key("core"), waitpoint_key(id), e.index_key("pending_waitpoint_expiry"), secrets()};
}

RespValue SuspensionContract::try_pending(const Execution& e, const std::string& id,
                                          const std::string& key,
                                          const std::string& expires_at) const {
    return host().fcall("ff_create_pending_waitpoint", pending_keys(e, id),
                        {e.id(), "0", id, key, expires_at, e.lease_id, e.epoch, e.attempt_id});
}

Waitpoint SuspensionContract::pending(const Execution& e, std::string key,
                                      const std::string& expires_at) const {
    const std::string id = new_uuid();
    if (key.empty()) key = "wpk:" + id;
    const RespValue reply = try_pending(e, id, key, expires_at);
    EXPECT_EQ(element(reply, 2), "OK") << to_string(reply);
    return {element(reply, 3), element(reply, 4), element(reply, 5)};
}

List SuspensionContract::signal_args(const Execution& e, const Waitpoint& waitpoint,
                                     const SignalArgs& args) const {
    return {args.id,
            e.id(),
            waitpoint.id,
            args.name,
            args.category,
            args.source_type,
            args.source,
            args.payload,
            "",
            args.idempotency_key,
            args.correlation_id,
            "",
            "",
            args.dedup_ttl_ms,
            args.delay_ms,
            args.history_max,
            args.signals_max,
            waitpoint.token,
            args.buffer_if_pending,
            args.payload_bytes_max,
            args.feed_max};
}

List SuspensionContract::deliver_keys(const Execution& e, const Waitpoint& waitpoint,
                                      const SignalArgs& args) const {
    return {e.key("core"),
            waitpoint_key(waitpoint.id, ":condition"),
            waitpoint_key(waitpoint.id, ":signals"),
            e.key("signals"),
            "ff:signal:" + tag() + ":" + args.id,
            "ff:signal:" + tag() + ":" + args.id + ":payload",
            noop(),
            waitpoint_key(waitpoint.id),
            e.key("suspension:current"),
            e.lane_key("eligible"),
            e.lane_key("suspended"),
            e.lane_key("delayed"),
            e.index_key("suspension_timeout"),
            secrets()};
}

RespValue SuspensionContract::deliver(const Execution& e, const Waitpoint& waitpoint,
                                      const SignalArgs& args) const {
    SignalArgs sent = args;
    if (sent.id.empty()) sent.id = new_uuid();
    return host().fcall("ff_deliver_signal", deliver_keys(e, waitpoint, sent),
                        signal_args(e, waitpoint, sent));
}

RespValue SuspensionContract::buffer(const Execution& e, const Waitpoint& waitpoint,
                                     const SignalArgs& args) const {
    SignalArgs sent = args;
    if (sent.id.empty()) sent.id = new_uuid();
    List keys = deliver_keys(e, waitpoint, sent);
    keys.resize(8);
    keys.push_back(secrets());
    return host().fcall("ff_buffer_signal_for_pending_waitpoint", keys,
                        signal_args(e, waitpoint, sent));
}

std::string SuspensionContract::effect(const Execution& e, const Waitpoint& waitpoint,
                                       const SignalArgs& args) const {
    const RespValue reply = deliver(e, waitpoint, args);
    return element(reply, 2) == "OK" ? element(reply, 4) : element(reply, 2);
}

std::string SuspensionContract::digest_of(const std::string& link_id) {
    std::string digest;
    for (const char c : link_id) digest += "0123456789abcdef"[static_cast<unsigned char>(c) % 16U];
    return digest + std::string(64 - digest.size(), '0');
}

RespValue SuspensionContract::try_link(const Execution& e, const Waitpoint& waitpoint,
                                       const std::string& link_id, const std::string& expires_at,
                                       const std::string& label) const {
    return host().fcall("ff_create_approval_link", {waitpoint_key(waitpoint.id)},
                        {e.id(), waitpoint.id, link_id, digest_of(link_id), expires_at, label});
}

RespValue SuspensionContract::read_link(const Execution& e, const Waitpoint& waitpoint,
                                        const std::string& link_id) const {
    return host().fcall("ff_read_approval_link", {waitpoint_key(waitpoint.id)},
                        {e.id(), waitpoint.id, link_id, digest_of(link_id)});
}

RespValue SuspensionContract::revoke_links(const Execution& e, const Waitpoint& waitpoint,
                                           const std::string& link_id) const {
    return host().fcall("ff_revoke_approval_links", {waitpoint_key(waitpoint.id)},
                        {e.id(), waitpoint.id, link_id});
}

RespValue SuspensionContract::answer_link(const Execution& e, const Waitpoint& waitpoint,
                                          const std::string& link_id, const List& more) const {
    List args{e.id(), waitpoint.id, link_id, digest_of(link_id)};
    args.insert(args.end(), more.begin(), more.end());
    return host().fcall("ff_answer_approval_link", {e.key("core"), waitpoint_key(waitpoint.id)},
                        args);
}

RespValue SuspensionContract::resume(const Execution& e, std::string_view trigger,
                                     std::string_view delay_ms, const List& more) const {
    List args{e.id(), std::string(trigger), std::string(delay_ms)};
    args.insert(args.end(), more.begin(), more.end());
    return host().fcall("ff_resume_execution",
                        {e.key("core"), e.key("suspension:current"), noop(), noop(),
                         e.index_key("suspension_timeout"), e.lane_key("eligible"),
                         e.lane_key("delayed"), e.lane_key("suspended")},
                        args);
}

RespValue SuspensionContract::expire_suspension(const Execution& e) const {
    return host().fcall(
        "ff_expire_suspension",
        {e.key("core"), e.key("suspension:current"), noop(), noop(), noop(), noop(),
         e.index_key("suspension_timeout"), e.lane_key("suspended"), e.lane_key("terminal"),
         e.lane_key("eligible"), e.lane_key("delayed"), e.key("lease:history")},
        {e.id()});
}

void SuspensionContract::make_due(const Execution& e) const {
    command({"HSET", e.key("suspension:current"), "timeout_at", "1"});
    command({"ZADD", e.index_key("suspension_timeout"), "1", e.id()});
    command({"ZADD", e.lane_key("suspended"), "1", e.id()});
}

RespValue SuspensionContract::close_waitpoint(const Execution& e, const std::string& id,
                                              std::string_view reason) const {
    return host().fcall("ff_close_waitpoint",
                        {e.key("core"), waitpoint_key(id), e.index_key("pending_waitpoint_expiry")},
                        {id, std::string(reason)});
}

std::map<std::string, std::string> SuspensionContract::waitpoint(const std::string& id) const {
    return hash(waitpoint_key(id));
}

std::map<std::string, std::string> SuspensionContract::condition(const std::string& id) const {
    return hash(waitpoint_key(id, ":condition"));
}

std::map<std::string, std::string> SuspensionContract::suspension(const Execution& e) const {
    return hash(e.key("suspension:current"));
}

std::map<std::string, std::string> SuspensionContract::signal(const std::string& id) const {
    return hash("ff:signal:" + tag() + ":" + id);
}

std::vector<std::map<std::string, std::string>> SuspensionContract::signal_feed() const {
    return entries("ff:part:" + tag() + ":signal_delivery");
}

std::string SuspensionContract::satisfiers(const Execution& e) const {
    return suspension(e)["all_satisfier_signals"];
}

List vector_suspended(std::string_view reason) {
    return {"suspended",           "unowned",  "not_applicable", std::string(reason), "none",
            "attempt_interrupted", "suspended"};
}

List vector_resumed() {
    return vector_l1("attempt_interrupted");
}

List vector_resume_delay() {
    return vector_l2("waiting_for_resume_delay", "attempt_interrupted");
}

std::string flat_condition(std::string_view names, std::string_view mode, int minimum) {
    return R"({"required_signal_names":)" + std::string(names) + R"(,"signal_match_mode":")" +
           std::string(mode) + R"(","minimum_signal_count":)" + std::to_string(minimum) + "}";
}

std::string by_name(std::string_view name) {
    return R"({"kind":"ByName","name":")" + std::string(name) + R"("})";
}

std::string single(std::string_view key, std::string_view matcher) {
    return R"({"kind":"Single","waitpoint_key":")" + std::string(key) + R"(","matcher":)" +
           std::string(matcher) + "}";
}

namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view quote) {
    std::string out;
    for (const std::string& part : parts) {
        if (!out.empty()) out += ",";
        out += std::string(quote) + part + std::string(quote);
    }
    return out;
}

}  // namespace

std::string all_of(const std::vector<std::string>& members) {
    return R"({"kind":"AllOf","members":[)" + joined(members, "") + "]}";
}

std::string count_of(int n, std::string_view kind, const std::vector<std::string>& keys,
                     std::string_view matcher) {
    return R"({"kind":"Count","n":)" + std::to_string(n) + R"(,"count_kind":")" +
           std::string(kind) + R"(","matcher":)" + std::string(matcher) + R"(,"waitpoints":[)" +
           joined(keys, "\"") + "]}";
}

std::string composite(std::string_view tree) {
    return R"({"v":1,"composite":true,"tree":)" + std::string(tree) + "}";
}

}  // namespace ff::contract
