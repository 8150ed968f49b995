#include "contract/execution.h"

namespace ff::contract {
namespace {

struct StepArgs {
    std::string name{};
    std::string value{};
    std::string encoding{};
};

class StepsContract : public ExecutionContract {
  protected:
    static List as_args(const std::vector<StepArgs>& steps) {
        List args{std::to_string(steps.size())};
        for (const StepArgs& step : steps) {
            args.push_back(step.name);
            args.push_back(step.value);
            args.push_back(step.encoding);
        }
        return args;
    }
    RespValue record(const Execution& e, const std::vector<StepArgs>& steps) const {
        List args{e.id(), e.lease_id, e.epoch, e.attempt_id};
        for (const std::string& one : as_args(steps)) args.push_back(one);
        return host().fcall("ff_record_steps", {e.key("core"), e.key("steps")}, args);
    }
    RespValue read(const Execution& e, const List& more = {}) const {
        List args{e.id()};
        args.insert(args.end(), more.begin(), more.end());
        return host().fcall("ff_read_steps", {e.key("core"), e.key("steps")}, args);
    }
    /// Name, value, encoding and attempt index of every step, in the order of writing.
    std::vector<List> all(const Execution& e) const {
        std::vector<List> found;
        const RespValue reply = read(e, {"", "1000"});
        if (reply.items.size() < 5) return found;
        for (const RespValue& item : reply.items[4].items) {
            List one = flat(item);
            EXPECT_EQ(one.size(), 5U);
            one.resize(4);
            found.push_back(one);
        }
        return found;
    }
    /// What ff_record_steps says of each step.
    static std::vector<List> said(const RespValue& reply) {
        std::vector<List> out;
        if (reply.items.size() < 3) return out;
        for (const RespValue& item : reply.items[2].items) out.push_back(flat(item));
        return out;
    }
    /// The one task that a batch claim of the lane gives: its steps_state and steps.
    std::pair<std::string, List> claimed_steps(std::string_view payload_bytes = "100000") const {
        const RespValue reply = host().fcall(
            "ff_claim_batch",
            {lane_index("lane", "eligible"), lane_index("lane", "blocked:route"),
             index("lease_expiry"), "ff:idx:" + tag() + ":worker:w-1:leases",
             lane_index("lane", "active"), index("attempt_timeout"), index("execution_deadline"),
             index("wake")},
            {"w",       "w-1", "lane", "", "1", "30000", "",  "",  "",  std::string(payload_bytes),
             "bypass",  "",    "0",    "", "",  "",      "0", "0", "0", new_uuid(),
             new_uuid()});
        if (reply.items.size() < 3 || reply.items[2].items.empty()) return {to_string(reply), {}};
        const RespValue& task = reply.items[2].items[0];
        if (task.items.size() < 21) return {"", {}};
        return {task.items[19].text, flat(task.items[20])};
    }
};

FF_CONTRACT_SUITE(Ch02Steps, StepsContract);

TEST_P(Ch02Steps, S68_TheFirstValueOfANameStays) {
    const Execution e = active();
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    const RespValue first = record(e, {{"charge", bytes, "raw"}, {"mail", ""}});
    EXPECT_EQ(element(first, 2), "OK");
    EXPECT_EQ(said(first), (std::vector<List>{{"charge", "recorded"}, {"mail", "recorded"}}));
    const RespValue again = record(e, {{"charge", "other"}, {"mail", "x"}});
    EXPECT_EQ(element(again, 2), "DUPLICATE");
    EXPECT_EQ(said(again), (std::vector<List>{{"charge", "duplicate", bytes, "raw"},
                                              {"mail", "duplicate", "", ""}}));
    const RespValue mixed = record(e, {{"charge", "x"}, {"ship", "1"}, {"ship", "2"}});
    EXPECT_EQ(element(mixed, 2), "OK");
    EXPECT_EQ(said(mixed), (std::vector<List>{{"charge", "duplicate", bytes, "raw"},
                                              {"ship", "recorded"},
                                              {"ship", "duplicate", "1", ""}}));
    EXPECT_EQ(all(e),
              (std::vector<List>{
                  {"charge", bytes, "raw", "0"}, {"mail", "", "", "0"}, {"ship", "1", "", "0"}}));
    const auto told = feed("step");
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].at("event"), "recorded");
    EXPECT_EQ(told[0].at("names"), "charge,mail");
    EXPECT_EQ(told[1].at("count"), "1");
    EXPECT_EQ(e.core("step_count"), "3");
    EXPECT_EQ(e.core("step_bytes"), std::to_string(6 + 256 + 3 + 4 + 4 + 1));
}

TEST_P(Ch02Steps, S69_OnlyTheHolderOfTheLeaseRecords) {
    Execution e = created();
    e.lease_id = new_uuid();
    e.attempt_id = new_uuid();
    e.epoch = "1";
    EXPECT_EQ(element(record(e, {{"a", "1"}}), 2), "execution_not_active");
    e.take();
    Execution other = e;
    other.lease_id = new_uuid();
    EXPECT_EQ(flat(record(other, {{"a", "1"}})), (List{"0", "stale_lease"}));
    other.lease_id = "";
    EXPECT_EQ(flat(record(other, {{"a", "1"}})), (List{"0", "partial_fence_triple"}));
    other.attempt_id = other.epoch = "";
    EXPECT_EQ(flat(record(other, {{"a", "1"}})), (List{"0", "fence_required"}));
    e.lose_lease();
    EXPECT_EQ(flat(record(e, {{"a", "1"}})), (List{"0", "lease_expired"}));
    EXPECT_FALSE(exists(e.key("steps")));
    EXPECT_EQ(flat(read(e)), (List{"1", "OK", "0", "", "[]"}));
    const Execution unknown = execution();
    EXPECT_EQ(flat(record(unknown, {{"a", "1"}})), (List{"0", "execution_not_found"}));
    EXPECT_EQ(flat(read(unknown)), (List{"0", "execution_not_found"}));
}

TEST_P(Ch02Steps, S70_ALimitRefusesTheWholeCallBeforeAnyWrite) {
    const Execution e = active({}, {.policy = R"({"max_steps_bytes":20})"});
    const std::string large(1'048'577, 'x');
    EXPECT_EQ(flat(record(e, {{"a", "1"}, {"b", large}})),
              (List{"0", "step_limit_exceeded", "bytes_per_step", "1048576", "b"}));
    EXPECT_EQ(flat(record(e, {{"a", std::string(19, 'x')}, {"b", ""}})),
              (List{"0", "step_limit_exceeded", "max_steps_bytes", "20", "b"}));
    EXPECT_FALSE(exists(e.key("steps")));
    EXPECT_EQ(element(record(e, {{"a", std::string(19, 'x')}}), 2), "OK");
    // What is recorded already passes no limit.
    EXPECT_EQ(element(record(e, {{"a", std::string(19, 'y')}}), 2), "DUPLICATE");
    const Execution full = active();
    full.set_core("step_count", "9999");
    EXPECT_EQ(flat(record(full, {{"a", "1"}, {"b", "1"}})),
              (List{"0", "step_limit_exceeded", "steps_per_execution", "10000", "b"}));
    EXPECT_EQ(element(record(full, {{"a", "1"}}), 2), "OK");
    EXPECT_EQ(full.core("step_count"), "10000");
}

TEST_P(Ch02Steps, S70_NamesAndCountsAreChecked) {
    const Execution e = active();
    EXPECT_EQ(element(record(e, {}), 2), "invalid_input");
    EXPECT_EQ(element(record(e, std::vector<StepArgs>(65, {"a", "1"})), 2), "invalid_input");
    EXPECT_EQ(element(record(e, {{"", "1"}}), 2), "invalid_input");
    EXPECT_EQ(element(record(e, {{"a\n", "1"}}), 2), "invalid_input");
    EXPECT_EQ(element(record(e, {{std::string(257, 'n'), "1"}}), 2), "invalid_input");
    EXPECT_EQ(element(record(e, {{std::string(256, 'n'), "1"}}), 2), "OK");
    EXPECT_EQ(element(record(e, {{"gr\xc3\xbc\xc3\x9f e", "1"}}), 2), "OK");
}

TEST_P(Ch02Steps, S71_TheyArePagedInTheOrderOfWriting) {
    const Execution e = active();
    for (int call = 0; call < 3; ++call) {
        std::vector<StepArgs> steps;
        for (int i = 0; i < 64; ++i)
            steps.push_back({std::to_string(1000 - 64 * call - i), std::string(100, 'v')});
        ASSERT_EQ(element(record(e, steps), 2), "OK");
    }
    List names;
    std::string next = "0";
    int pages = 0;
    while (!next.empty() && pages < 10) {
        const RespValue page = read(e, {next, "50"});
        EXPECT_EQ(element(page, 3), "192");
        for (const RespValue& item : page.items.at(4).items) names.push_back(item.items[0].text);
        next = element(page, 4);
        ++pages;
    }
    EXPECT_EQ(pages, 4);
    ASSERT_EQ(names.size(), 192U);
    for (std::size_t i = 0; i < names.size(); ++i)
        EXPECT_EQ(names[i], std::to_string(1000 - static_cast<int>(i)));
    // The first of a page always goes along.
    EXPECT_EQ(element(read(e, {"5", "50", "1"}), 4), "6");
    EXPECT_EQ(element(read(e, {"0", "50", "300"}), 4), "2");
    EXPECT_EQ(flat(read(e, {"192"})), (List{"1", "OK", "192", "", "[]"}));
}

TEST_P(Ch02Steps, S72_TheyOutliveAttempts) {
    Execution e = active({}, {.policy = R"({"retry_policy":{"max_retries":5}})"});
    record(e, {{"first", "1"}});
    e.delay("+0");
    e.promote();
    e.take_resumed();
    record(e, {{"resumed", "2"}});
    e.lose_lease();
    e.take_over();
    record(e, {{"reclaimed", "3"}});
    e.fail({.retry_policy_source = "stored"});
    e.set_core("delay_until", "1");
    e.promote();
    e.take();
    record(e, {{"retried", "4"}});
    const std::vector<List> expected{{"first", "1", "", "0"},
                                     {"resumed", "2", "", "0"},
                                     {"reclaimed", "3", "", "1"},
                                     {"retried", "4", "", "2"}};
    EXPECT_EQ(all(e), expected);
    e.complete();
    EXPECT_EQ(all(e), expected);
}

TEST_P(Ch02Steps, S73_AReplayDropsThemUnlessToldToKeepThem) {
    Execution e = active();
    record(e, {{"a", "1"}});
    e.complete();
    host().fcall(
        "ff_replay_execution",
        {e.key("core"), e.lane_key("terminal"), e.lane_key("eligible"), e.key("lease:history")},
        {e.id(), "", "why", "ann", "1"});
    e.take();
    EXPECT_EQ(element(record(e, {{"a", "2"}}), 2), "DUPLICATE");
    e.complete();
    e.replay();
    EXPECT_EQ(e.core("step_count"), "");
    EXPECT_FALSE(exists(e.key("steps")));
    e.take();
    EXPECT_EQ(element(record(e, {{"a", "2"}}), 2), "OK");
    EXPECT_EQ(all(e), (std::vector<List>{{"a", "2", "", "2"}}));
}

TEST_P(Ch02Steps, S74_AClaimBringsThemAlongWhileTheyFit) {
    Execution e = active({}, {.payload = "in"});
    record(e, {{"a", "1"}, {"b", std::string(50, 'x'), "raw"}});
    const auto back = [&] {
        e.lease_id = e.core("current_lease_id");
        e.epoch = e.core("current_lease_epoch");
        e.give_back();
    };
    back();
    EXPECT_EQ(claimed_steps(), (std::pair<std::string, List>{
                                   "inline", {"a", "1", "", "b", std::string(50, 'x'), "raw"}}));
    back();
    EXPECT_EQ(claimed_steps("20"), (std::pair<std::string, List>{"omitted", {}}));
    back();
    EXPECT_EQ(claimed_steps("60").first, "inline");
    e.cancel("stop", "operator_override");
    created();
    EXPECT_EQ(claimed_steps(), (std::pair<std::string, List>{"none", {}}));
}

TEST_P(Ch02Steps, S76_TheyComeAlongWithWhatEndsALease) {
    const List fenced_steps{"2", "a", "1", "", "b", "2", "raw"};
    const auto act = [&](std::string_view function, const Execution& e, const List& keys,
                         const List& own, const List& steps) {
        List args{e.id(), e.lease_id, e.epoch, e.attempt_id};
        args.insert(args.end(), own.begin(), own.end());
        args.insert(args.end(), steps.begin(), steps.end());
        return host().fcall(function, keys, args);
    };
    struct Row {
        std::string_view function{};
        List (Execution::*keys)() const = nullptr;
        List own{};
    };
    const std::vector<Row> rows{
        {"ff_complete_execution", &Execution::complete_keys, {"out", "", ""}},
        {"ff_fail_execution", &Execution::fail_keys, {"r", "c", "", "", "", ""}},
        {"ff_delay_execution", &Execution::delay_keys, {"+0", "", ""}},
        {"ff_move_to_waiting_children", &Execution::waiting_children_keys, {"", "1"}},
    };
    for (const Row& row : rows) {
        const Execution e = active();
        const List keys = (e.*row.keys)();
        EXPECT_EQ(
            flat(act(row.function, e, keys, row.own, {"1", "a", std::string(1'048'577, 'x'), ""})),
            (List{"0", "step_limit_exceeded", "bytes_per_step", "1048576", "a"}))
            << row.function;
        EXPECT_EQ(e.vector(), vector_l9()) << row.function;
        EXPECT_FALSE(exists(e.key("steps"))) << row.function;
        EXPECT_EQ(element(act(row.function, e, keys, row.own, fenced_steps), 2), "OK")
            << row.function;
        const std::vector<List> expected{{"a", "1", "", "0"}, {"b", "2", "raw", "0"}};
        EXPECT_EQ(all(e), expected) << row.function;
        EXPECT_EQ(element(act(row.function, e, keys, row.own, {"1", "c", "3", ""}), 2),
                  "execution_not_active");
        EXPECT_EQ(all(e), expected) << row.function;
    }
}

TEST_P(Ch02Steps, S75_APurgeRemovesThem) {
    Execution e = active();
    record(e, {{"a", "1"}});
    e.complete();
    ASSERT_EQ(element(e.purge(), 3), "purged");
    EXPECT_FALSE(exists(e.key("steps")));
}

TEST_P(Ch02Steps, ALostHashIsNoticedByTheReconciler) {
    const Execution e = active();
    record(e, {{"a", "1"}});
    EXPECT_EQ(element(e.reconcile(), 3), "consistent");
    command({"DEL", e.key("steps")});
    EXPECT_EQ(element(e.reconcile(), 3), "repaired");
    EXPECT_EQ(e.core("step_count"), "");
    EXPECT_EQ(element(record(e, {{"a", "1"}}), 2), "OK");
    EXPECT_EQ(e.core("step_bytes"), "2");
}

/// The store calls, counted by the embedded host.
class StepCalls : public StepsContract {};
INSTANTIATE_TEST_SUITE_P(On, StepCalls, ::testing::Values(HostKind::Embedded),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(StepCalls, AnExecutionWithoutStepsPaysNone) {
    const auto cost = [&](const auto& claim) {
        const std::uint64_t before = host().store_calls("ff_claim_batch").value_or(0);
        claim();
        return host().store_calls("ff_claim_batch").value_or(0) - before;
    };
    Execution e = created({.payload = ""});
    const auto claim = [&] { EXPECT_NE(claimed_steps().first, ""); };
    const std::uint64_t without = cost(claim);
    e.lease_id = e.core("current_lease_id");
    e.epoch = e.core("current_lease_epoch");
    e.attempt_id = e.core("current_attempt_id");
    record(e, {{"a", "1"}});
    e.complete();
    e.replay();
    const std::uint64_t replayed = cost(claim);
    EXPECT_LE(without, 20U);
    EXPECT_LE(replayed, without + 4);
    // TIME, the core, the write of hash and core, and two for the feed.
    e.lease_id = e.core("current_lease_id");
    e.epoch = e.core("current_lease_epoch");
    e.attempt_id = e.core("current_attempt_id");
    const std::uint64_t before = host().store_calls("ff_record_steps").value_or(0);
    record(e, {{"a", "1"}, {"b", "2"}});
    EXPECT_EQ(host().store_calls("ff_record_steps").value_or(0) - before, 6U);
}

}  // namespace
}  // namespace ff::contract
