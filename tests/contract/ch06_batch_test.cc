#include <algorithm>
#include <functional>

#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Batch, SchedulingContract);

/// Calls ff_create_batch with these items, each the 16 arguments of one creation.
RespValue create_batch(Host& host, const std::string& tag, const std::vector<List>& items,
                       std::size_t stride = 16) {
    List args{std::to_string(items.size()), std::to_string(stride)};
    for (const List& item : items) {
        args.insert(args.end(), item.begin(), item.end());
        args.insert(args.end(), stride - item.size(), "reserved");
    }
    return host.fcall("ff_create_batch",
                      {"ff:idx:" + tag + ":execution_deadline", "ff:idx:" + tag + ":all_executions",
                       "ff:wake:" + tag},
                      args);
}

TEST_P(Ch06Batch, S49_CompletionsStandAloneAndTheClaimFollows) {
    for (int i = 0; i < 4; ++i) created();
    std::vector<ClaimedTask> tasks = claim({.max_tasks = 3}).claimed;
    ASSERT_EQ(tasks.size(), 3U);
    tasks[1].lease_epoch = "7";
    const List claim_part = batch_args({.max_tasks = 2, .request_id = "r"});
    const RespValue reply = complete_and_claim(tasks, claim_part);
    ASSERT_EQ(reply.items.size(), 4U) << to_string(reply);
    const auto& items = reply.items[2].items;
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(flat(items[0]), (List{tasks[0].execution_id, "1", "completed"}));
    EXPECT_EQ(items[0].items[1].kind, RespValue::Kind::Integer);
    EXPECT_EQ(flat(items[1]), (List{tasks[1].execution_id, "0", "stale_lease"}));
    EXPECT_EQ(flat(items[2]), (List{tasks[2].execution_id, "1", "completed"}));
    const BatchReply claimed(reply.items[3]);
    EXPECT_EQ(claimed.word, "OK");
    EXPECT_EQ(claimed.claimed.size(), 1U);

    const auto before = host().contents(tag());
    const RespValue again = complete_and_claim(tasks, claim_part);
    const List repeated = flat(again.items[2].items[0]);
    EXPECT_EQ(repeated[2], "execution_not_active");
    EXPECT_EQ(repeated[7], "completed");
    EXPECT_EQ(repeated[8], tasks[0].lease_id);
    EXPECT_EQ(BatchReply(again.items[3]).word, "DUPLICATE");
    EXPECT_EQ(BatchReply(again.items[3]).ids(), claimed.ids());
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch06Batch, ACompletionLeavesWhatASingleOneLeaves) {
    Execution e = created();
    const ClaimedTask task = claim().claimed.at(0);
    EXPECT_EQ(flat(complete_and_claim({task})).size(), 4U);
    EXPECT_EQ(e.vector(), vector_terminal("success"));
    EXPECT_EQ(e.memberships(), List{"terminal"});
    EXPECT_EQ(command({"GET", e.key("result")}).text, "out");
    EXPECT_EQ(e.attempt(0, "attempt_state"), "ended_success");
    EXPECT_EQ(e.core("current_lease_id"), "");
    EXPECT_FALSE(exists(e.worker_key("w1-1")));
    EXPECT_EQ(feed("completion").size(), 1U);
}

TEST_P(Ch06Batch, TheSameIdTwiceCompletesOnce) {
    created();
    const ClaimedTask task = claim().claimed.at(0);
    const RespValue reply = complete_and_claim({task, task});
    EXPECT_EQ(flat(reply.items.at(2).items.at(0))[2], "completed");
    EXPECT_EQ(flat(reply.items.at(2).items.at(1))[2], "execution_not_active");
    EXPECT_EQ(feed("completion").size(), 1U);
}

TEST_P(Ch06Batch, AnItemOfAnotherPartitionFailsAlone) {
    created();
    const ClaimedTask task = claim().claimed.at(0);
    ClaimedTask foreign = task;
    foreign.execution_id = another_tag() + ":" + new_uuid();
    const RespValue reply = complete_and_claim({foreign, task});
    EXPECT_EQ(flat(reply.items.at(2).items.at(0))[2], "invalid_input");
    EXPECT_EQ(flat(reply.items.at(2).items.at(1))[2], "completed");
}

TEST_P(Ch06Batch, S50_ABadClaimPartLeavesTheCompletions) {
    Execution e = created();
    const ClaimedTask task = claim().claimed.at(0);
    const RespValue reply = complete_and_claim({task}, {"w1", "w1-1"});
    EXPECT_EQ(flat(reply.items.at(2).items.at(0))[2], "completed");
    EXPECT_EQ(flat(reply.items.at(3))[0], "0");
    EXPECT_EQ(flat(reply.items.at(3))[1], "invalid_input");
    EXPECT_TRUE(flat(reply.items.at(3))[2].starts_with("arity"));
    EXPECT_EQ(e.vector(), vector_terminal("success"));
    EXPECT_EQ(flat(complete_and_claim({})), (List{"1", "OK", "[]", "[]"}));
    EXPECT_EQ(element(host().fcall("ff_complete_and_claim", batch_keys("lane"), {"1", "x"}), 2),
              "invalid_input");
    EXPECT_EQ(element(host().fcall("ff_complete_and_claim", batch_keys("lane"), {"257"}), 2),
              "invalid_input");
}

TEST_P(Ch06Batch, S51_ItemsOfABatchAreCreatedOneByOne) {
    Execution a = execution();
    Execution b = execution();
    Execution c = execution();
    const RespValue reply = create_batch(
        host(), tag(),
        {a.create_args({.encoding = "raw", .hold = "dependencies", .idempotency_key = "same"}),
         b.create_args({.policy = "{"}), c.create_args({.idempotency_key = "same"})});
    ASSERT_EQ(reply.items.size(), 5U) << to_string(reply);
    EXPECT_EQ(flat(reply.items[2]), (List{"1", "OK", a.id(), "waiting_children"}));
    EXPECT_EQ(flat(reply.items[3]), (List{"0", "invalid_policy_json", "malformed"}));
    EXPECT_EQ(flat(reply.items[4]), (List{"1", "DUPLICATE", a.id(), "waiting_children"}));
    EXPECT_EQ(command({"SMEMBERS", index("all_executions")}).items.size(), 1U);
    EXPECT_FALSE(exists(b.key("core")));
    EXPECT_FALSE(exists(c.key("core")));
    EXPECT_EQ(a.core("payload_encoding"), "raw");
    EXPECT_EQ(a.memberships(), List{"blocked:dependencies"});
    EXPECT_EQ(command({"GET", "ff:idem:" + tag() + ":ns:same"}).text, a.id());
}

/// Longer than what an embedded host makes a Lua string of.
std::string long_bytes(char first) {
    std::string bytes(5000, first);
    for (std::size_t i = 1; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i - 1] + 7);
    return bytes;
}

TEST_P(Ch06Batch, LongArgumentsStayWhatTheyAre) {
    Execution a = execution();
    Execution b = execution();
    const std::string policy =
        R"({"max_reclaim_count":3,"unknown":")" + std::string(2000, 'p') + "\"}";
    create_batch(host(), tag(),
                 {a.create_args({.policy = policy, .payload = long_bytes('a')}),
                  b.create_args({.payload = "short"})},
                 19);
    Execution c = created({.payload = long_bytes('c')});
    EXPECT_EQ(a.core("payload_len"), "5000");
    EXPECT_EQ(b.core("payload_len"), "5");
    EXPECT_EQ(command({"GET", a.key("policy")}).text, policy);
    const std::vector<ClaimedTask> tasks = claim({.max_tasks = 3}).claimed;
    ASSERT_EQ(tasks.size(), 3U);
    for (const ClaimedTask& task : tasks) {
        const std::string expected = task.execution_id == a.id()   ? long_bytes('a')
                                     : task.execution_id == b.id() ? "short"
                                                                   : long_bytes('c');
        EXPECT_EQ(task.payload, expected);
    }
    List args{"3"};
    for (const ClaimedTask& task : tasks) {
        const std::string result =
            task.execution_id == b.id() ? "" : long_bytes(task.execution_id.back());
        args.insert(args.end(), {task.execution_id, task.lease_id, task.lease_epoch,
                                 task.attempt_id, result, "raw"});
    }
    host().fcall("ff_complete_and_claim", batch_keys("lane"), args);
    EXPECT_EQ(command({"GET", a.key("result")}).text, long_bytes(a.id().back()));
    EXPECT_FALSE(exists(b.key("result")));
    EXPECT_EQ(command({"GET", c.key("result")}).text, long_bytes(c.id().back()));
}

TEST_P(Ch06Batch, APayloadThatIsNoStringKeepsNobodyFromWork) {
    Execution a = created({.payload = "a"});
    Execution b = created({.payload = "b"});
    command({"DEL", a.key("payload")});
    command({"SADD", a.key("payload"), "member"});
    const std::vector<ClaimedTask> tasks = claim({.max_tasks = 2}).claimed;
    ASSERT_EQ(tasks.size(), 2U);
    for (const ClaimedTask& task : tasks)
        EXPECT_EQ(task.payload, task.execution_id == a.id() ? "" : "b");
}

TEST_P(Ch06Batch, ALeaseThatRanOutIsNotMistakenForTheNextOne) {
    Execution a = created();
    Execution b = created();
    std::vector<ClaimedTask> tasks = claim({.max_tasks = 2}).claimed;
    ASSERT_EQ(tasks.size(), 2U);
    if (tasks[0].execution_id != a.id()) std::swap(tasks[0], tasks[1]);
    command({"HSET", a.key("core"), "lease_expires_at", "1"});
    const RespValue reply = complete_and_claim(tasks);
    EXPECT_EQ(flat(reply.items.at(2).items.at(0))[2], "lease_expired");
    EXPECT_EQ(flat(reply.items.at(2).items.at(1))[2], "completed");
    EXPECT_NE(a.core("lease_expired_at"), "");
    const List fields = flat(command({"HGETALL", b.key("core")}));
    EXPECT_EQ(std::ranges::count(fields, "lease_expired_at"), 0);
    EXPECT_EQ(b.vector(), vector_terminal("success"));
}

TEST_P(Ch06Batch, CreatingTheSameBatchAgainIsAllDuplicates) {
    Execution a = execution();
    Execution b = execution();
    const std::vector<List> items{a.create_args({.idempotency_key = "k"}),
                                  b.create_args({.delay_until = "+60000"})};
    create_batch(host(), tag(), items);
    const auto before = host().contents(tag());
    const RespValue again = create_batch(host(), tag(), items);
    EXPECT_EQ(flat(again.items.at(2)), (List{"1", "DUPLICATE", a.id(), "waiting"}));
    EXPECT_EQ(flat(again.items.at(3)), (List{"1", "DUPLICATE", b.id(), "delayed"}));
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch06Batch, TheSameIdTwiceIsCreatedOnceAndOtherPartitionsAreRefused) {
    Execution a = execution();
    List foreign = a.create_args({});
    foreign[0] = another_tag() + ":" + new_uuid();
    const RespValue reply = create_batch(
        host(), tag(),
        {a.create_args({.payload = "one"}), a.create_args({.payload = "two"}), foreign}, 18);
    EXPECT_EQ(flat(reply.items.at(2))[1], "OK");
    EXPECT_EQ(flat(reply.items.at(3))[1], "DUPLICATE");
    EXPECT_EQ(flat(reply.items.at(4))[1], "invalid_input");
    EXPECT_EQ(command({"GET", a.key("payload")}).text, "one");
}

TEST_P(Ch06Batch, ABatchOfAThousandEntersItsIndexesWhole) {
    std::vector<List> items;
    for (int i = 0; i < 1000; ++i) items.push_back(execution().create_args({}));
    EXPECT_EQ(create_batch(host(), tag(), items).items.size(), 1002U);
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "eligible")}).integer, 1000);
    EXPECT_EQ(command({"SCARD", index("all_executions")}).integer, 1000);
    items.push_back(execution().create_args({}));
    EXPECT_EQ(element(create_batch(host(), tag(), items), 2), "invalid_input");
    EXPECT_EQ(element(create_batch(host(), tag(), {}), 2), "invalid_input");
}

TEST_P(Ch06Batch, CreatingWakesAWaitingLane) {
    claim({.arm_wake_ms = "60000"});
    const auto listener = host().listen("ff:wake:lane");
    create_batch(host(), tag(), {execution().create_args({}), execution().create_args({})});
    EXPECT_TRUE(hears(*listener, tag()));
}

/// What the overview's section 8 promises for the plain case. The embedded store counts the calls
/// of each function, a server how often each command ran.
class Ch06StoreCalls : public SchedulingContract {
  protected:
    /// Store calls of one function during `act`.
    std::uint64_t calls(std::string_view function, const std::function<void()>& act) const {
        if (const auto before = host().store_calls(function)) {
            act();
            return *host().store_calls(function) - *before;
        }
        command({"CONFIG", "RESETSTAT"});
        act();
        return commands_run();
    }

  private:
    std::uint64_t commands_run() const {
        const std::string report = command({"INFO", "commandstats"}).text;
        std::uint64_t total = 0;
        for (std::size_t at = report.find("cmdstat_"); at != std::string::npos;
             at = report.find("cmdstat_", at + 1)) {
            const std::string name = report.substr(at + 8, report.find(':', at) - at - 8);
            if (name == "fcall" || name == "config|resetstat" || name == "info") continue;
            total += std::stoull(report.substr(report.find("calls=", at) + 6));
        }
        return total;
    }
};

INSTANTIATE_TEST_SUITE_P(On, Ch06StoreCalls,
                         ::testing::Values(HostKind::Embedded, HostKind::Valkey),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(Ch06StoreCalls, OfBatchFunctionsAreThoseOfTheOverview) {
    for (const std::size_t n : {1U, 2U, 16U}) {
        command({"DEL", "ff:wake:" + tag()});
        std::vector<List> items;
        for (std::size_t i = 0; i < 2 * n; ++i) items.push_back(execution().create_args({}));
        EXPECT_EQ(calls("ff_create_batch", [&] { create_batch(host(), tag(), items); }),
                  3 * 2 * n + 5);

        std::vector<ClaimedTask> tasks;
        const BatchArgs first{.max_tasks = n, .request_id = "r" + std::to_string(n)};
        EXPECT_EQ(calls("ff_claim_batch", [&] { tasks = claim(first).claimed; }), 5 * n + 11 + 1)
            << "what is left is counted";
        ASSERT_EQ(tasks.size(), n);
        EXPECT_EQ(calls("ff_complete_and_claim", [&] { complete_and_claim(tasks); }), 5 * n + 6);

        const BatchArgs rest{.max_tasks = n, .arm_wake_ms = "60000"};
        EXPECT_EQ(calls("ff_claim_batch", [&] { tasks = claim(rest).claimed; }), 5 * n + 9 + 2)
            << "drained and armed, without a request id";
        EXPECT_EQ(calls("ff_complete_and_claim", [&] { complete_and_claim(tasks); }), 5 * n + 6);
    }
}

TEST_P(Ch06StoreCalls, WithoutARequestIdAndALookAtLostLeasesEightAreShared) {
    created();
    created();
    EXPECT_EQ(calls("ff_claim_batch", [&] { claim({.include_reclaim = "0"}); }), 5U + 8U + 1U)
        << "what is left is counted";
    EXPECT_EQ(calls("ff_claim_batch", [&] { claim({.include_reclaim = "0"}); }), 5U + 8U + 1U)
        << "the hint of namespaces goes with the last one";
}

}  // namespace
}  // namespace ff::contract
