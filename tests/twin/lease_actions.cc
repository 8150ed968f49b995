#include "twin/actions.h"

namespace ff::twin {
namespace {

List grant_args(World& world, const Task& task, const contract::ClaimArgs& claim) {
    return {task.execution.id(),
            claim.worker,
            claim.worker + "-1",
            task.execution.lane(),
            "hash",
            "60000",
            "",
            "admitted",
            world.caps(),
            ""};
}

void grant(World& world, Task& task, const contract::ClaimArgs& claim) {
    const contract::Execution& e = task.execution;
    world.host().fcall("ff_issue_claim_grant",
                       {e.key("core"), e.key("claim_grant"), e.lane_key("eligible")},
                       grant_args(world, task, claim));
}

void take(World& world, Partition&, Task& task) {
    const contract::ClaimArgs claim = world.claim();
    grant(world, task, claim);
    task.execution.claim(claim);
}

void take_resumed(World& world, Partition&, Task& task) {
    const contract::ClaimArgs claim = world.claim();
    grant(world, task, claim);
    task.execution.claim_resumed(claim);
}

void take_over(World& world, Partition&, Task& task) {
    const contract::ClaimArgs claim = world.claim();
    const contract::Execution& e = task.execution;
    world.host().fcall("ff_issue_reclaim_grant",
                       {e.key("core"), e.key("claim_grant"), e.index_key("lease_expiry")},
                       grant_args(world, task, claim));
    task.execution.reclaim(claim);
}

void take_by_operator(World& world, Partition& partition, Task& task) {
    const contract::Execution& e = task.execution;
    world.host().fcall(
        "ff_issue_grant_and_claim",
        {e.key("core"), e.key("claim_grant"), e.lane_key("eligible"), e.index_key("lease_expiry"),
         noop_key(partition), e.key("attempts"), e.key("lease:current"), e.key("lease:history"),
         e.lane_key("active"), e.index_key("attempt_timeout"), e.index_key("execution_deadline")},
        {e.id(), "op", "op-1", e.lane(), "", world.uuid(), "30000", world.uuid(), "", "", ""});
}

void complete(World& world, Partition&, Task& task) {
    task.execution.complete(world.bytes(60), world.one_in(20) ? "operator_override" : "");
}

void fail(World& world, Partition&, Task& task) {
    contract::FailArgs args{.reason = "r" + world.number(3)};
    switch (world.below(4)) {
        case 0:
            args.retry_policy = R"({"max_retries":3,"backoff":{"type":"fixed","delay_ms":20}})";
            break;
        case 1:
            args.retry_policy_source = "stored";
            break;
        case 2:
            args.retry_policy_source = "stored";
            args.fallback_to = "next";
            break;
        default:
            break;
    }
    task.execution.fail(args);
}

void delay(World& world, Partition&, Task& task) {
    const std::string until = "+" + world.number(1500);
    if (world.one_in(3)) {
        task.execution.give_back(until);
    } else {
        task.execution.delay(until);
    }
}

void wait_for_children(World& world, Partition&, Task& task) {
    task.execution.wait_for_children(world.pick({"", "1"}));
}

void renew(World& world, Partition&, Task& task) {
    task.execution.renew("30000", std::to_string(task.attempt), world.pick({"", "1"}));
}

void progress(World& world, Partition&, Task& task) {
    task.execution.progress({world.number(101), "going", task.execution.attempt_id,
                             world.one_in(2) ? R"({"tokens":3,"cost":7})" : "",
                             world.one_in(3) ? world.number(9) : ""});
}

void record_steps(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    List args{e.id(), e.lease_id, e.epoch, e.attempt_id, "2"};
    for (int i = 0; i < 2; ++i) {
        args.push_back("s" + world.number(12));
        args.push_back(world.bytes(40));
        args.push_back(world.pick({"", "json"}));
    }
    world.host().fcall("ff_record_steps", {e.key("core"), e.key("steps")}, args);
}

void call_children(World& world, Partition& partition, Task& task) {
    const contract::Execution& e = task.execution;
    List args{e.id(), e.lease_id, e.epoch, e.attempt_id, world.pick({"", "continue"}), "2"};
    for (const std::string name : {"x", "y"}) {
        args.push_back(name + world.number(3));
        for (const std::string& one :
             {std::string("kind"), world.lane(), world.bytes(20), std::string(),
              world.policy(partition), world.tags(), world.number(9)})
            args.push_back(one);
    }
    const auto reply =
        world.host().fcall("ff_call_children", {e.key("core"), e.key("children")}, args);
    if (reply.items.size() < 5) return;
    const auto& answers = reply.items[4].items;
    for (std::size_t i = 1; i < answers.size(); i += 2) {
        if (world.find(partition, answers[i].text) != nullptr) continue;
        const std::string uuid = answers[i].text.substr(partition.tag.size() + 1);
        world.new_task(partition).execution =
            contract::Execution(world.host(), partition.tag, uuid);
    }
}

void read_children(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    world.host().fcall("ff_read_children", {e.key("core"), e.key("children")},
                       {e.id(), world.number(3), world.pick({"1", "50"}), world.pick({"", "30"})});
}

void read_steps(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    world.host().fcall("ff_read_steps", {e.key("core"), e.key("steps")},
                       {e.id(), world.number(4), world.pick({"1", "50"}), world.pick({"", "30"})});
}

void revoke(World& world, Partition&, Task& task) {
    task.execution.revoke(world.one_in(2) ? task.execution.lease_id : "", "why");
}

/// Its worker was silent for longer than its lease.
void lose(World& world, Partition&, Task& task) {
    world.host().pass(std::chrono::seconds(world.one_in(6) ? 61 : 1));
    task.execution.mark_expired();
}

}  // namespace

void add_lease_actions(ActionTable& table) {
    using enum Stage;
    table.add({Eligible}, take);
    table.add({Eligible}, take);
    table.add({Eligible}, take_by_operator);
    table.add({Interrupted}, take_resumed);
    table.add({Lost}, take_over);
    table.add({Leased}, complete);
    table.add({Leased}, complete);
    table.add({Leased}, fail);
    table.add({Leased}, delay);
    table.add({Leased}, wait_for_children);
    table.add({Leased}, renew);
    table.add({Leased}, progress);
    table.add({Leased}, record_steps);
    table.add({Leased, Eligible, Suspended, Ended}, read_steps);
    table.add({Leased}, call_children);
    table.add({WaitingChildren, Eligible, Ended}, read_children);
    table.add({Leased}, revoke);
    table.add({Leased}, lose);
}

}  // namespace ff::twin
