#include "twin/actions.h"

namespace ff::twin {
namespace {

constexpr std::string_view kSecrets[] = {
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    "00ff00ff00ff00ff00ff00ff00ff00ff",
    "a1b2c3d4e5f60718",
};

std::string secrets_key(const Partition& partition) {
    return "ff:sec:" + partition.tag + ":waitpoint_hmac";
}

std::string waitpoint_key(const Partition& partition, const std::string& id,
                          std::string_view suffix = "") {
    return "ff:wp:" + partition.tag + ":" + id + std::string(suffix);
}

void init_secret(World& world, Partition& partition, Task&) {
    world.host().fcall("ff_init_waitpoint_hmac_secret", {secrets_key(partition)},
                       {"k1", std::string(kSecrets[0])});
}

void rotate_secret(World& world, Partition& partition, Task&) {
    const std::uint64_t which = world.below(std::size(kSecrets));
    world.host().fcall("ff_rotate_waitpoint_hmac_secret",
                       {secrets_key(partition), "ff:sec:" + partition.tag + ":rotate_lock"},
                       {"k" + world.number(6), std::string(kSecrets[which]),
                        world.pick({"0", "3000", "60000"}), "lock"});
}

void list_kids(World& world, Partition& partition, Task&) {
    world.host().fcall("ff_list_waitpoint_hmac_kids", {secrets_key(partition)}, {});
}

contract::Waitpoint new_waitpoint(World& world) {
    contract::Waitpoint made{.id = world.uuid()};
    made.key = "wpk:" + made.id;
    return made;
}

std::string condition(World& world, const std::vector<contract::Waitpoint>& waitpoints) {
    if (waitpoints.size() > 1) {
        List keys;
        List singles;
        for (const contract::Waitpoint& one : waitpoints) {
            keys.push_back(one.key);
            singles.push_back(contract::single(one.key));
        }
        return contract::composite(world.one_in(2)
                                       ? contract::all_of(singles)
                                       : contract::count_of(2, "DistinctWaitpoints", keys));
    }
    switch (world.below(4)) {
        case 0:
            return contract::flat_condition(R"(["ok","yes"])", "all", 1);
        case 1:
            return contract::flat_condition(R"(["ok"])", "count", 2);
        case 2:
            return R"({"condition_type":"operator_only"})";
        default:
            return R"({"required_signal_names":[]})";
    }
}

List suspend_keys(const Partition& partition, const Task& task,
                  const std::vector<contract::Waitpoint>& waitpoints) {
    const contract::Execution& e = task.execution;
    const std::string& primary = waitpoints[0].id;
    List keys{e.key("core"),
              e.attempt_key(task.attempt),
              e.key("lease:current"),
              e.key("lease:history"),
              e.index_key("lease_expiry"),
              e.worker_key("w1-1"),
              e.key("suspension:current"),
              waitpoint_key(partition, primary),
              waitpoint_key(partition, primary, ":signals"),
              e.index_key("suspension_timeout"),
              e.index_key("pending_waitpoint_expiry"),
              e.lane_key("active"),
              e.lane_key("suspended"),
              e.key("waitpoints"),
              waitpoint_key(partition, primary, ":condition"),
              e.index_key("attempt_timeout"),
              secrets_key(partition),
              noop_key(partition)};
    for (std::size_t i = 1; i < waitpoints.size(); ++i) {
        for (const char* suffix : {"", ":signals", ":condition"}) {
            keys.push_back(waitpoint_key(partition, waitpoints[i].id, suffix));
        }
    }
    return keys;
}

/// {1,word,suspension,id,key,token,count,[id,key,token]...}
void remember(Task& task, const RespValue& reply) {
    const List all = contract::flat(reply);
    if (all.size() < 6 || all[0] != "1") return;
    task.suspension_id = all[2];
    task.waitpoints = {{all[3], all[4], all[5]}};
    for (std::size_t i = 7; i + 2 < all.size(); i += 3) {
        task.waitpoints.push_back({all[i], all[i + 1], all[i + 2]});
    }
}

/// Nothing as often as what a person is asked.
void add_question(World& world, List& args) {
    if (world.one_in(2)) return;
    for (const char* each :
         {"Really?", R"(["ann"])", R"({"type":"object"})", "bytes", "text/plain"})
        args.push_back(world.one_in(3) ? "" : each);
    args.push_back(world.one_in(2) ? "+" + world.number(5000) : "");
}

void suspend(World& world, Partition& partition, Task& task) {
    const contract::Execution& e = task.execution;
    const bool uses_pending = !task.waitpoints.empty() && world.one_in(2);
    std::vector<contract::Waitpoint> waitpoints{uses_pending ? task.waitpoints.back()
                                                             : new_waitpoint(world)};
    while (world.one_in(3) && waitpoints.size() < 4) waitpoints.push_back(new_waitpoint(world));
    List args{e.id(),
              std::to_string(task.attempt),
              e.attempt_id,
              e.lease_id,
              e.epoch,
              world.uuid(),
              waitpoints[0].id,
              uses_pending ? "" : waitpoints[0].key,
              "waiting_for_approval",
              "worker",
              world.one_in(2) ? "+" + world.number(5000) : "",
              condition(world, waitpoints),
              world.one_in(4) ? R"({"resume_delay_ms":40})" : "",
              world.one_in(3) ? "there" : "",
              uses_pending ? "1" : "",
              world.pick({"", "fail", "cancel", "expire", "auto_resume", "escalate"}),
              "",
              world.one_in(4) ? "once" + world.number(4) : "",
              "",
              std::to_string(waitpoints.size() - 1)};
    for (std::size_t i = 1; i < waitpoints.size(); ++i) {
        args.push_back(waitpoints[i].id);
        args.push_back(waitpoints[i].key);
    }
    add_question(world, args);
    remember(task, world.host().fcall("ff_suspend_execution",
                                      suspend_keys(partition, task, waitpoints), args));
}

void create_pending(World& world, Partition& partition, Task& task) {
    const contract::Execution& e = task.execution;
    const contract::Waitpoint made = new_waitpoint(world);
    List args{e.id(),
              std::to_string(task.attempt),
              made.id,
              made.key,
              "+" + world.number(60000),
              e.lease_id,
              e.epoch,
              e.attempt_id};
    add_question(world, args);
    const RespValue reply =
        world.host().fcall("ff_create_pending_waitpoint",
                           {e.key("core"), waitpoint_key(partition, made.id),
                            e.index_key("pending_waitpoint_expiry"), secrets_key(partition)},
                           args);
    if (contract::element(reply, 1) != "1") return;
    task.waitpoints.push_back({made.id, made.key, contract::element(reply, 5)});
}

void close_waitpoint(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    const contract::Execution& e = task.execution;
    const std::string id = world.pick(task.waitpoints).id;
    world.host().fcall(
        "ff_close_waitpoint",
        {e.key("core"), waitpoint_key(partition, id), e.index_key("pending_waitpoint_expiry")},
        {id, world.pick({"done", "expired"})});
}

void remint(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    contract::Waitpoint& waitpoint = task.waitpoints[world.below(task.waitpoints.size())];
    const RespValue reply =
        world.host().fcall("ff_remint_waitpoint_token",
                           {waitpoint_key(partition, waitpoint.id), secrets_key(partition)},
                           {task.execution.id(), waitpoint.id});
    if (contract::element(reply, 1) == "1") waitpoint.token = contract::element(reply, 3);
}

/// Few names, so that links are met again.
std::string link_id(World& world) {
    return "link" + world.number(3);
}

std::string link_digest(World& world) {
    return std::string(64, world.one_in(10) ? 'f' : '5');
}

void create_link(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    const std::string id = world.pick(task.waitpoints).id;
    world.host().fcall("ff_create_approval_link", {waitpoint_key(partition, id)},
                       {task.execution.id(), id, link_id(world), link_digest(world),
                        "+" + world.number(9000), world.pick({"", "ann", "b\"e/n"})});
}

void read_link(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    const std::string id = world.pick(task.waitpoints).id;
    world.host().fcall("ff_read_approval_link", {waitpoint_key(partition, id)},
                       {task.execution.id(), id, link_id(world), link_digest(world)});
}

void revoke_links(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    const std::string id = world.pick(task.waitpoints).id;
    world.host().fcall("ff_revoke_approval_links", {waitpoint_key(partition, id)},
                       {task.execution.id(), id, world.one_in(4) ? "" : link_id(world)});
}

void answer_link(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    const std::string id = world.pick(task.waitpoints).id;
    const std::string link = link_id(world);
    const std::string digest = link_digest(world);
    // Links that were made long ago have mostly expired or been used.
    if (world.one_in(2))
        world.host().fcall("ff_create_approval_link", {waitpoint_key(partition, id)},
                           {task.execution.id(), id, link, digest, "+9000", ""});
    world.host().fcall(
        "ff_answer_approval_link", {task.execution.key("core")},
        {task.execution.id(), id, link, digest, world.uuid(), world.pick({"approved", "rejected"}),
         world.pick({"ok", "yes", "no"}), world.bytes(30)});
}

void resume(World& world, Partition& partition, Task& task) {
    const contract::Execution& e = task.execution;
    const std::string noop = noop_key(partition);
    world.host().fcall(
        "ff_resume_execution",
        {e.key("core"), e.key("suspension:current"), noop, noop, e.index_key("suspension_timeout"),
         e.lane_key("eligible"), e.lane_key("delayed"), e.lane_key("suspended")},
        {e.id(), "operator", world.pick({"", "30"}), "", "ann"});
}

void expire_suspension(World& world, Partition& partition, Task& task) {
    const contract::Execution& e = task.execution;
    const std::string noop = noop_key(partition);
    if (world.one_in(2)) world.host().pass(std::chrono::seconds(5));
    world.host().fcall(
        "ff_expire_suspension",
        {e.key("core"), e.key("suspension:current"), noop, noop, noop, noop,
         e.index_key("suspension_timeout"), e.lane_key("suspended"), e.lane_key("terminal"),
         e.lane_key("eligible"), e.lane_key("delayed"), e.key("lease:history")},
        {e.id()});
}

}  // namespace

void add_suspension_actions(ActionTable& table) {
    using enum Stage;
    table.add({Leased}, suspend);
    table.add({Leased}, suspend);
    table.add({Leased}, create_pending);
    table.add({Leased, Suspended}, close_waitpoint);
    table.add({Suspended}, remint);
    for (int i = 0; i < 2; ++i) table.add({Leased, Suspended}, create_link);
    table.add({Suspended}, read_link);
    table.add({Suspended}, revoke_links);
    for (int i = 0; i < 2; ++i) table.add({Suspended}, answer_link);
    table.add({Suspended}, resume);
    table.add({Suspended}, expire_suspension);
    for (int i = 0; i < 3; ++i) table.add_idle(init_secret);
    table.add_idle(rotate_secret);
    table.add_idle(list_kids);
}

}  // namespace ff::twin
