#include <functional>

#include "contract/execution.h"
#include "contract/flows.h"

namespace ff::contract {
namespace {

struct ChildArgs {
    std::string name{};
    std::string lane = "kids";
    std::string policy{};
};

class CallsContract : public ExecutionContract {
  protected:
    RespValue call(const Execution& e, const std::vector<ChildArgs>& children,
                   std::string_view on_failure = "", const List& more = {}) const {
        List args{e.id(),
                  e.lease_id,
                  e.epoch,
                  e.attempt_id,
                  std::string(on_failure),
                  std::to_string(children.size())};
        for (const ChildArgs& child : children) {
            const List group{child.name, "work",       child.lane, "in-" + child.name,
                             "",         child.policy, "",         "5"};
            args.insert(args.end(), group.begin(), group.end());
        }
        args.insert(args.end(), more.begin(), more.end());
        return host().fcall("ff_call_children", {e.key("core"), e.key("children")}, args);
    }
    /// The ids that a call answers, by the place of their name.
    static List ids(const RespValue& reply) {
        List found;
        if (reply.items.size() < 5) return found;
        const List pairs = flat(reply.items[4]);
        for (std::size_t i = 1; i < pairs.size(); i += 2) found.push_back(pairs[i]);
        return found;
    }
    /// The child with this id, as its worker holds it.
    Execution taken(const std::string& id) const {
        Execution child(host(), tag(), id.substr(tag().size() + 1));
        child.take({.lane = "kids"});
        return child;
    }
    std::string state(const std::string& id) const {
        return command({"HGET", "ff:exec:" + tag() + ":" + id + ":core", "public_state"}).text;
    }
    /// name, outcome, result, reason and category of each.
    std::vector<List> children(const Execution& e) const {
        std::vector<List> found;
        const RespValue reply =
            host().fcall("ff_read_children", {e.key("core"), e.key("children")}, {e.id()});
        if (reply.items.size() < 5) return found;
        for (const RespValue& item : reply.items[4].items) {
            const List all = flat(item);
            if (all.size() == 7) found.push_back({all[0], all[2], all[3], all[5], all[6]});
        }
        return found;
    }
    /// Ends a child as a call does that is cut short before it tells the parent.
    void end_unnoticed(const Execution& parent, const std::function<void()>& end) const {
        List core = flat(command({"HGETALL", parent.key("core")}));
        List pending = flat(command({"SMEMBERS", parent.key("children:pending")}));
        command({"DEL", parent.key("core"), parent.key("children:pending")});
        end();
        core.insert(core.begin(), {"HSET", parent.key("core")});
        pending.insert(pending.begin(), {"SADD", parent.key("children:pending")});
        command(core);
        command(pending);
    }
};

FF_CONTRACT_SUITE(Ch02Calls, CallsContract);

TEST_P(Ch02Calls, S77_AParentComesBackWhenItsChildrenHaveEnded) {
    Execution e = active();
    const std::string attempt = e.attempt_id;
    const RespValue called = call(e, {{"de"}, {"fr"}});
    EXPECT_EQ(element(called, 3), "blocked");
    EXPECT_EQ(element(called, 4), "waiting_children");
    const List both = ids(called);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(e.vector(), vector_l3("attempt_interrupted"));
    EXPECT_EQ(e.memberships(), List{"blocked:dependencies"});
    EXPECT_EQ(e.attempt(0, "suspension_id"), "waiting_children");
    for (const std::string& id : both) {
        EXPECT_EQ(id.substr(0, tag().size() + 1), tag() + ":");
        EXPECT_EQ(state(id), "waiting");
        EXPECT_TRUE(in_set(index("all_executions"), id));
        EXPECT_TRUE(score(lane_index("kids", "eligible"), id).has_value());
    }
    EXPECT_EQ(children(e), (std::vector<List>{{"de", "", "", "", ""}, {"fr", "", "", "", ""}}));
    const Execution de = taken(both[0]);
    const Execution fr = taken(both[1]);
    EXPECT_EQ(command({"GET", de.key("payload")}).text, "in-de");
    EXPECT_EQ(de.core("namespace"), "ns");
    fr.complete("F");
    EXPECT_EQ(e.core("public_state"), "waiting_children");
    de.complete("D");
    EXPECT_EQ(e.vector(), vector_l1("attempt_interrupted"));
    EXPECT_EQ(e.memberships(), List{"eligible"});
    const RespValue again = e.take_resumed();
    EXPECT_EQ(element(again, 6), attempt);
    EXPECT_EQ(element(again, 8), "resumed");
    EXPECT_EQ(e.core("retry_count"), "");
    EXPECT_EQ(children(e),
              (std::vector<List>{{"de", "success", "D", "", ""}, {"fr", "success", "F", "", ""}}));
    EXPECT_EQ(element(e.complete(), 3), "completed");
}

TEST_P(Ch02Calls, S78_ARepetitionIsTheSameCall) {
    Execution e = active();
    const RespValue first = call(e, {{"a"}, {"b"}});
    const RespValue again = call(e, {{"a"}, {"b"}});
    EXPECT_EQ(element(again, 2), "DUPLICATE");
    EXPECT_EQ(element(again, 3), "blocked");
    EXPECT_EQ(ids(again), ids(first));
    taken(ids(first)[0]).complete("A");
    taken(ids(first)[1]).complete("B");
    e.take_resumed();
    // The handler begins at its top and calls again: nothing is made anew, and nothing is waited
    // for.
    const RespValue second = call(e, {{"b"}, {"a"}});
    EXPECT_EQ(element(second, 2), "OK");
    EXPECT_EQ(element(second, 3), "eligible");
    EXPECT_EQ(ids(second), (List{ids(first)[1], ids(first)[0]}));
    e.take_resumed();
    const RespValue more = call(e, {{"a"}, {"c"}});
    EXPECT_EQ(element(more, 3), "blocked");
    EXPECT_EQ(ids(more)[0], ids(first)[0]);
    taken(ids(more)[1]).complete("C");
    EXPECT_EQ(e.core("public_state"), "waiting");
    EXPECT_EQ(e.core("called_count"), "3");
    EXPECT_EQ(e.core("called_live"), "0");
}

TEST_P(Ch02Calls, S79_AFailedChildFailsItsParentUnlessToldToContinue) {
    const Execution e = active({}, {.policy = R"({"retry_policy":{"max_retries":3}})"});
    const List both = ids(call(e, {{"a"}, {"b"}}));
    taken(both[0]).fail({.reason = "boom", .category = "x"});
    EXPECT_EQ(e.vector(), vector_terminal("failed"));
    EXPECT_EQ(e.core("failure_category"), "child_failed");
    EXPECT_EQ(e.core("failure_reason"), "child a failed: boom");
    EXPECT_EQ(e.attempt(0, "attempt_state"), "ended_failure");
    // Nobody wants the other one any more.
    EXPECT_EQ(state(both[1]), "cancelled");
    const Execution other = active();
    const List two = ids(call(other, {{"a"}, {"b"}}, "continue"));
    taken(two[0]).fail({.reason = "boom", .category = "x"});
    EXPECT_EQ(other.core("public_state"), "waiting_children");
    taken(two[1]).complete("B");
    EXPECT_EQ(other.core("public_state"), "waiting");
    EXPECT_EQ(children(other),
              (std::vector<List>{{"a", "failed", "", "boom", "x"}, {"b", "success", "B", "", ""}}));
}

TEST_P(Ch02Calls, S80_TheEndOfAParentCancelsAllBelowIt) {
    const Execution e = active();
    const List two = ids(call(e, {{"a"}, {"b"}}));
    const Execution a = taken(two[0]);
    const List below = ids(call(a, {{"x"}, {"y"}}));
    const Execution x = taken(below[0]);
    EXPECT_EQ(e.core("called_live"), "4");
    EXPECT_EQ(element(e.cancel("stop", "operator_override"), 3), "cancelled");
    for (const std::string& id : {two[0], two[1], below[0], below[1]})
        EXPECT_EQ(state(id), "cancelled") << id;
    EXPECT_EQ(x.core("cancelled_by"), "parent_ended");
    EXPECT_EQ(element(x.complete(), 2), "execution_not_active");
    EXPECT_EQ(e.core("called_live"), "0");
    EXPECT_FALSE(exists(e.key("children:pending")));
    EXPECT_FALSE(exists(a.key("children:pending")));
    const Execution late = active();
    const List one = ids(call(late, {{"a"}}));
    late.expire("execution_deadline");
    EXPECT_EQ(state(one[0]), "cancelled");
}

TEST_P(Ch02Calls, S81_ARefusedCallChangesNothing) {
    const Execution e = active();
    const auto refused = [&](const RespValue& reply, const List& expected) {
        EXPECT_EQ(flat(reply), expected);
        EXPECT_EQ(e.vector(), vector_l9());
        EXPECT_FALSE(exists(e.key("children")));
        EXPECT_FALSE(exists(e.key("steps")));
        EXPECT_EQ(score(lane_index("kids", "eligible"), "x"), std::nullopt);
    };
    refused(call(e, {{"a"}, {.name = "b", .policy = "{"}}),
            {"0", "invalid_policy_json", "malformed"});
    refused(call(e, {{"a"}, {"a"}}), {"0", "invalid_input", "call_name: used twice"});
    refused(call(e, {{"a"}}, "maybe"), {"0", "invalid_input", "on_child_failure: unknown value"});
    refused(call(e, {{"a"}}, "", {"1", "s", std::string(1'048'577, 'x'), ""}),
            {"0", "step_limit_exceeded", "bytes_per_step", "1048576", "s"});
    e.set_core("called_live", "1024");
    refused(call(e, {{"a"}}), {"0", "call_limit_exceeded", "live_children", "1024"});
    e.set_core("called_live", "");
    e.set_core("called_count", "10000");
    refused(call(e, {{"a"}}), {"0", "call_limit_exceeded", "children_per_execution", "10000"});
    e.set_core("called_count", "");
    Execution stale = e;
    stale.lease_id = new_uuid();
    refused(call(stale, {{"a"}}), {"0", "stale_lease"});
    EXPECT_EQ(element(call(e, {{"a"}}, "", {"1", "s", "1", ""}), 3), "blocked");
    EXPECT_TRUE(exists(e.key("steps")));
}

TEST_P(Ch02Calls, S82_AReplayCallsAnewUnlessItKeepsItsSteps) {
    Execution e = active();
    const std::string first = ids(call(e, {{"a"}}))[0];
    taken(first).complete("1");
    e.take_resumed();
    e.complete();
    e.replay();
    e.take();
    EXPECT_EQ(children(e), std::vector<List>{});
    const std::string second = ids(call(e, {{"a"}}))[0];
    EXPECT_NE(second, first);
    taken(second).complete("2");
    EXPECT_EQ(children(e), (std::vector<List>{{"a", "success", "2", "", ""}}));
}

TEST_P(Ch02Calls, S83_AChildIsNotPurgedBeforeItsParentHasEnded) {
    Execution e = active();
    const List two = ids(call(e, {{"a"}, {"b"}}));
    const Execution a = taken(two[0]);
    a.complete("A");
    EXPECT_EQ(element(a.purge(), 3), "not_due");
    taken(two[1]).complete("B");
    e.take_resumed();
    e.complete();
    EXPECT_EQ(element(a.purge(), 3), "purged");
    EXPECT_EQ(element(e.purge(), 3), "purged");
    EXPECT_FALSE(exists(e.key("children")));
}

TEST_P(Ch02Calls, AParentThatWasNotToldOfTheLastEndComesBackThroughTheReconciler) {
    Execution e = active();
    const List both = ids(call(e, {{"de"}, {"fr"}}));
    taken(both[0]).complete("D");
    const Execution fr = taken(both[1]);
    end_unnoticed(e, [&] { fr.complete("F"); });
    EXPECT_EQ(e.core("public_state"), "waiting_children");
    EXPECT_EQ(flat(reconcile_dependencies(host(), e)), (List{"1", "OK", "1", "promoted"}));
    EXPECT_EQ(e.vector(), vector_l1("attempt_interrupted"));
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_EQ(e.core("called_live"), "0");
    EXPECT_EQ(flat(reconcile_dependencies(host(), e)), (List{"1", "OK", "0", "not_blocked"}));
    e.take_resumed();
    EXPECT_EQ(children(e),
              (std::vector<List>{{"de", "success", "D", "", ""}, {"fr", "success", "F", "", ""}}));
    EXPECT_EQ(element(e.complete(), 3), "completed");
}

TEST_P(Ch02Calls, AParentThatWasNotToldOfAFailureFailsThroughTheReconciler) {
    const Execution e = active();
    const List both = ids(call(e, {{"a"}, {"b"}}));
    const Execution a = taken(both[0]);
    end_unnoticed(e, [&] { a.fail({.reason = "boom", .category = "x"}); });
    EXPECT_EQ(element(reconcile_dependencies(host(), e), 3), "1");
    EXPECT_EQ(e.vector(), vector_terminal("failed"));
    EXPECT_EQ(e.core("failure_reason"), "child a failed: boom");
    EXPECT_EQ(state(both[1]), "cancelled");
    EXPECT_EQ(e.core("called_live"), "0");
    EXPECT_FALSE(exists(e.key("children:pending")));
}

TEST_P(Ch02Calls, TheReconcilerLeavesAParentWhoseChildrenAreAtWork) {
    const Execution e = active();
    const List both = ids(call(e, {{"a"}, {"b"}}));
    const Execution a = taken(both[0]);
    EXPECT_EQ(flat(reconcile_dependencies(host(), e)), (List{"1", "OK", "0", "held"}));
    end_unnoticed(e, [&] { a.complete("A"); });
    EXPECT_EQ(flat(reconcile_dependencies(host(), e)), (List{"1", "OK", "1", "held"}));
    EXPECT_EQ(e.core("public_state"), "waiting_children");
    EXPECT_EQ(e.core("called_live"), "1");
    taken(both[1]).complete("B");
    EXPECT_EQ(e.core("public_state"), "waiting");
}

/// As a library of before left it, which took the child out of the set first.
TEST_P(Ch02Calls, AParentThatWaitsForNobodyComesBackThroughTheReconciler) {
    const Execution e = active();
    call(e, {{"a"}});
    command({"DEL", e.key("children:pending")});
    EXPECT_EQ(flat(reconcile_dependencies(host(), e)), (List{"1", "OK", "1", "promoted"}));
    EXPECT_EQ(e.memberships(), List{"eligible"});
}

}  // namespace
}  // namespace ff::contract
