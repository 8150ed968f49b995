#include <array>

#include "contract/execution.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch02Create, ExecutionContract);

TEST_P(Ch02Create, S01_FreshIdIsEligibleAtItsScore) {
    Execution e = execution();
    EXPECT_EQ(flat(e.create({.priority = "7"})), (List{"1", "OK", e.id(), "waiting"}));
    EXPECT_EQ(e.vector(), vector_l1());
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_TRUE(in_set(index("all_executions"), e.id()));
    EXPECT_TRUE(in_set(lane_index("lane", "eligible_ns"), "ns"));
    EXPECT_EQ(score(e.lane_key("eligible"), e.id()),
              -7 * 1'000'000'000'000 + std::stoll(e.core("created_at")));
}

TEST_P(Ch02Create, S02_PriorityIsClampedAndMustBeAnInteger) {
    Execution high = created({.priority = "10000"});
    EXPECT_EQ(high.core("priority"), "9000");
    Execution low = created({.priority = "-5"});
    EXPECT_EQ(low.core("priority"), "0");
    for (const char* bad : {"1.5", "nan", "abc"}) {
        Execution e = execution();
        const RespValue reply = e.create({.priority = bad});
        EXPECT_EQ(element(reply, 2), "invalid_input") << bad;
        EXPECT_TRUE(element(reply, 3).starts_with("priority")) << bad;
        EXPECT_FALSE(exists(e.key("core")));
        EXPECT_FALSE(exists(e.key("payload")));
    }
}

TEST_P(Ch02Create, S03_DelayDecidesTheIndexWhateverKeyWasPassed) {
    const std::int64_t until = now() + 60'000;
    Execution later = created({.delay_until = std::to_string(until)});
    EXPECT_EQ(later.vector(), vector_l2("waiting_for_delay"));
    EXPECT_EQ(later.core("blocking_detail"), "delayed until " + std::to_string(until));
    EXPECT_EQ(later.memberships(), List{"delayed"});
    EXPECT_EQ(score(later.lane_key("delayed"), later.id()), until);

    Execution overdue = execution();
    List keys = overdue.create_keys();
    keys[4] = overdue.lane_key("delayed");
    host().fcall("ff_create_execution", keys, overdue.create_args({.delay_until = "1000"}));
    EXPECT_EQ(overdue.vector(), vector_l1());
    EXPECT_EQ(overdue.memberships(), List{"eligible"});
}

/// Every byte value once.
std::string all_bytes() {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    return bytes;
}

TEST_P(Ch02Create, S04_PayloadAndResultAreBytes) {
    const std::string bytes = all_bytes();
    Execution e = active({}, {.payload = bytes});
    EXPECT_EQ(command({"GET", e.key("payload")}).text, bytes);
    EXPECT_EQ(e.core("payload_len"), "256");
    EXPECT_EQ(flat(e.complete(bytes)), (List{"1", "OK", "completed"}));
    EXPECT_EQ(command({"GET", e.key("result")}).text, bytes);
}

TEST_P(Ch02Create, S05_IdempotencyKeyNamesTheFirstExecution) {
    Execution first = created({.idempotency_key = "order-1"});
    Execution second = execution();
    EXPECT_EQ(flat(second.create({.idempotency_key = "order-1"})),
              (List{"1", "DUPLICATE", first.id(), "waiting"}));
    EXPECT_FALSE(exists(second.key("core")));
    EXPECT_EQ(first.core("idem_key"), "ff:idem:" + tag() + ":ns:order-1");
    EXPECT_GT(host().ttl_ms(first.core("idem_key")).value_or(INT64_MAX), 86'000'000);

    // The same through KEYS[6]; another namespace is another key; a window of 0 stores nothing.
    Execution third = execution();
    List keys = third.create_keys();
    keys[5] = first.core("idem_key");
    EXPECT_EQ(element(host().fcall("ff_create_execution", keys, third.create_args({})), 3),
              first.id());
    EXPECT_EQ(element(execution().create({.ns = "other", .idempotency_key = "order-1"}), 2), "OK");
    Execution unkept = created({.dedup_ttl_ms = "0", .idempotency_key = "order-2"});
    EXPECT_EQ(unkept.core("idem_key"), "");
    EXPECT_EQ(element(execution().create({.idempotency_key = "order-2"}), 2), "OK");
}

TEST_P(Ch02Create, S06_IdempotencyKeyOfAPurgedExecutionIsIgnored) {
    Execution first = created({.idempotency_key = "k"});
    command({"DEL", first.key("core")});
    Execution second = execution();
    EXPECT_EQ(flat(second.create({.idempotency_key = "k"})),
              (List{"1", "OK", second.id(), "waiting"}));
    EXPECT_EQ(command({"GET", second.core("idem_key")}).text, second.id());
}

TEST_P(Ch02Create, S07_SameIdTwiceLeavesTheFirstRecord) {
    Execution e = created({.priority = "3"});
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(e.create({.priority = "9", .payload = "other"})),
              (List{"1", "DUPLICATE", e.id(), "waiting"}));
    EXPECT_EQ(host().contents(tag()), before);
}

std::string many_tokens(int count, std::size_t bytes) {
    std::string list = "[";
    std::size_t used = 0;
    for (int i = 0; i < count; ++i) {
        std::string token = "t" + std::to_string(1000 + i);
        if (i + 1 == count && bytes > used + token.size())
            token.append(bytes - used - token.size(), 'x');
        used += token.size() + 1;
        list += (i ? ",\"" : "\"") + token + "\"";
    }
    return R"({"routing_requirements":{"required_capabilities":)" + list + "]}}";
}

TEST_P(Ch02Create, S08_BadPoliciesAreRefusedWithTheirCode) {
    const auto requires_list = [](const std::string& list) {
        return R"({"routing_requirements":{"required_capabilities":)" + list + "}}";
    };
    const std::vector<std::array<std::string, 3>> cases{
        {"{", "invalid_policy_json", "malformed"},
        {"[1]", "invalid_policy_json", "not_object"},
        {"5", "invalid_policy_json", "not_object"},
        {R"({"routing_requirements":5})", "invalid_policy_json", "routing_requirements:not_object"},
        {R"({"retry_policy":[1]})", "invalid_policy_json", "retry_policy:not_object"},
        {R"({"retry_policy":{"max_retries":-1}})", "invalid_policy_json",
         "retry_policy.max_retries:not_integer"},
        {R"({"retry_policy":{"backoff":{"type":"odd"}}})", "invalid_policy_json",
         "retry_policy:backoff_type"},
        {R"({"retry_policy":{"backoff":{"delay_ms":1.5}}})", "invalid_policy_json",
         "retry_policy.backoff.delay_ms:not_integer"},
        {R"({"retention_ms":"1"})", "invalid_policy_json", "retention_ms:not_integer"},
        {R"({"budget_ids":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]})", "invalid_policy_json",
         "budget_ids:too_many"},
        {requires_list(R"({"a":1})"), "invalid_capabilities", "required:not_array"},
        {requires_list(R"(["gpu",null])"), "invalid_capabilities", "required:non_string_token"},
        {requires_list(R"([""])"), "invalid_capabilities", "required:empty_token"},
        {requires_list(R"(["a,b"])"), "invalid_capabilities", "required:comma_in_token"},
        {requires_list(R"(["a b"])"), "invalid_capabilities", "required:control_or_whitespace"},
        {many_tokens(257, 0), "invalid_capabilities", "required:too_many_tokens"},
        {many_tokens(3, 4097), "invalid_capabilities", "required:too_many_bytes"},
    };
    for (const auto& [json, code, detail] : cases) {
        Execution e = execution();
        EXPECT_EQ(flat(e.create({.policy = json})), (List{"0", code, detail})) << json;
    }
    EXPECT_TRUE(host().contents(tag()).empty());
    for (const std::string& json : {std::string(R"({"routing_requirements":null})"),
                                    many_tokens(256, 0), many_tokens(3, 4096)}) {
        EXPECT_EQ(element(execution().create({.policy = json}), 2), "OK") << json;
    }
    Execution sorted = created({.policy = requires_list(R"(["gpu","cpu","gpu","Zed"])")});
    EXPECT_EQ(sorted.core("required_capabilities"), "Zed,cpu,gpu");
}

TEST_P(Ch02Create, S09_BadTagsAreRefused) {
    for (const char* tags : {"{", "[1]", R"({"a":{"b":1}})", R"({"a":[1]})", "7"}) {
        const RespValue reply = execution().create({.tags = tags});
        EXPECT_EQ(element(reply, 2), "invalid_input") << tags;
        EXPECT_TRUE(element(reply, 3).starts_with("tags_json")) << tags;
    }
    EXPECT_TRUE(host().contents(tag()).empty());
    Execution e = created({.tags = R"({"team":"red","size":7,"hot":true})"});
    using Fields = std::map<std::string, std::string>;
    EXPECT_EQ(hash(e.key("tags")), (Fields{{"team", "red"}, {"size", "7"}, {"hot", "true"}}));
    EXPECT_EQ(e.core("has_tags"), "1");
    const auto events = feed("instance_tags");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].at("+team"), "red");
}

TEST_P(Ch02Create, S10_InitialHoldWinsOverEverything) {
    Execution e = created({.hold = "dependencies"});
    EXPECT_EQ(e.vector(), vector_l3());
    EXPECT_EQ(e.core("blocking_detail"), "waiting for dependency edges to be applied");
    EXPECT_EQ(e.memberships(), List{"blocked:dependencies"});
    EXPECT_EQ(flat(e.take()), (List{"0", "execution_not_leaseable"}));
    EXPECT_EQ(element(execution().create({.hold = "other"}), 2), "invalid_input");

    const std::string until = std::to_string(now() + 60'000);
    Execution both = created({.delay_until = until, .hold = "dependencies"});
    EXPECT_EQ(both.vector(), vector_l3());
    EXPECT_EQ(both.core("delay_until"), until);
}

TEST_P(Ch02Create, S61_RelativeTimesCountFromTheStoreClock) {
    const std::int64_t before = now();
    Execution e = created({.delay_until = "+5000", .deadline = "+60000"});
    const std::int64_t created_at = std::stoll(e.core("created_at"));
    EXPECT_GE(created_at, before);
    EXPECT_EQ(e.core("delay_until"), std::to_string(created_at + 5000));
    EXPECT_EQ(score(e.index_key("execution_deadline"), e.id()), created_at + 60'000);
    for (const char* bad : {"+x", "+-1", "+", "++1"}) {
        EXPECT_EQ(element(execution().create({.delay_until = bad}), 2), "invalid_input") << bad;
        EXPECT_EQ(element(execution().create({.deadline = bad}), 2), "invalid_input") << bad;
    }

    Execution claimed = created();
    claimed.take({.deadline = "+60000"});
    EXPECT_EQ(claimed.core("execution_deadline_at"),
              std::to_string(std::stoll(claimed.core("started_at")) + 60'000));
    const RespValue delayed = claimed.delay("+0");
    EXPECT_EQ(element(delayed, 3), claimed.core("delay_until"));
    EXPECT_EQ(element(delayed, 3), claimed.core("last_transition_at"));
}

/// What two creations of the same arguments must have in common.
std::map<std::string, std::string> without_times(std::map<std::string, std::string> core) {
    for (const char* field :
         {"created_at", "last_mutation_at", "last_transition_at", "execution_id", "partition_id",
          "execution_deadline_at", "delay_until", "blocking_detail", "idem_key"}) {
        core.erase(field);
    }
    return core;
}

TEST_P(Ch02Create, S65_BatchAndSingleCreationAgree) {
    const std::array<CreateArgs, 2> both{
        CreateArgs{.priority = "5",
                   .policy = R"({"retry_policy":{"max_retries":2},"retention_ms":7})",
                   .tags = R"({"a":"b"})",
                   .deadline = "+1000",
                   .encoding = "raw",
                   .idempotency_key = "k"},
        CreateArgs{.lane = "other", .payload = "", .delay_until = "+9000"}};
    List batch_args{"2", "16"};
    std::vector<Execution> single;
    std::vector<Execution> batched;
    const std::string batch_tag = another_tag();
    List expected{"1", "OK"};
    for (const CreateArgs& args : both) {
        single.push_back(execution());
        const RespValue reply = single.back().create(args);
        Execution twin(host(), batch_tag);
        const List values = twin.create_args(args);
        batch_args.insert(batch_args.end(), values.begin(), values.end());
        batched.push_back(twin);
        EXPECT_EQ(element(reply, 2), "OK");
    }
    const RespValue reply =
        host().fcall("ff_create_batch",
                     {"ff:idx:" + batch_tag + ":execution_deadline",
                      "ff:idx:" + batch_tag + ":all_executions", "ff:wake:" + batch_tag},
                     batch_args);
    ASSERT_EQ(reply.items.size(), 4U) << to_string(reply);
    for (std::size_t i = 0; i < both.size(); ++i) {
        EXPECT_EQ(flat(reply.items[2 + i]),
                  (List{"1", "OK", batched[i].id(), single[i].core("public_state")}));
        EXPECT_EQ(without_times(hash(batched[i].key("core"))),
                  without_times(hash(single[i].key("core"))));
        EXPECT_EQ(hash(batched[i].key("tags")), hash(single[i].key("tags")));
        for (const char* key : {"payload", "policy"}) {
            EXPECT_EQ(command({"GET", batched[i].key(key)}), command({"GET", single[i].key(key)}));
        }
    }
    EXPECT_EQ(host().contents(batch_tag).size(), host().contents(tag()).size());
}

}  // namespace
}  // namespace ff::contract
