#include "contract/suspension.h"

namespace ff::contract {
namespace {

/// Links by which people answer.
class Ch03LinkBase : public SuspensionContract {
  protected:
    std::string state(const Execution& e, const Waitpoint& waitpoint, const std::string& id) const {
        const RespValue reply = read_link(e, waitpoint, id);
        return element(reply, 1) == "1" ? element(reply, 3) : element(reply, 2);
    }
    /// An execution that waits, and its waitpoint.
    struct Asked {
        Execution e;
        Waitpoint waitpoint{};
    };
    Asked ask(const SuspendArgs& args = {}) const {
        const Execution e = active();
        return {e, suspend(e, args).primary()};
    }
    /// Adds to the field `links` without the clock: only functions write it otherwise.
    void replace_in_links(const Waitpoint& waitpoint, const std::string& from,
                          const std::string& to) const {
        std::string links = this->waitpoint(waitpoint.id)["links"];
        const auto at = links.find(from);
        ASSERT_NE(at, std::string::npos) << links;
        links.replace(at, from.size(), to);
        command({"HSET", waitpoint_key(waitpoint.id), "links", links});
    }
};
FF_CONTRACT_SUITE(Ch03Link, Ch03LinkBase);

TEST_P(Ch03Link, S71_ALinkAnswersOnceAndEndsTheSuspension) {
    const Asked asked = ask();
    const RespValue made = try_link(asked.e, asked.waitpoint, "a");
    ASSERT_EQ(element(made, 2), "OK") << to_string(made);
    EXPECT_EQ(element(made, 3), "a");
    EXPECT_EQ(state(asked.e, asked.waitpoint, "a"), "open");
    const std::string signal_id = new_uuid();
    const List said{signal_id, "approved", "approved", R"({"comment":"fine"})"};
    const RespValue answered = answer_link(asked.e, asked.waitpoint, "a", said);
    EXPECT_EQ(flat(answered), (List{"1", "OK", signal_id, "resume_condition_satisfied"}));
    EXPECT_EQ(asked.e.vector(), vector_resumed());
    auto record = signal(signal_id);
    EXPECT_EQ(record["signal_name"], "approved");
    EXPECT_EQ(record["signal_category"], "approval");
    EXPECT_EQ(record["source_type"], "user");
    EXPECT_EQ(record["source_identity"], "ann");
    const RespValue read = read_link(asked.e, asked.waitpoint, "a");
    EXPECT_EQ(element(read, 3), "answered");
    EXPECT_EQ(element(read, 4), "ann");
    EXPECT_EQ(element(read, 6), "approved");
    EXPECT_EQ(element(read, 8), signal_id);

    const auto before = host().contents(tag());
    EXPECT_EQ(element(answer_link(asked.e, asked.waitpoint, "a", said), 2), "DUPLICATE");
    const RespValue second =
        answer_link(asked.e, asked.waitpoint, "a", {new_uuid(), "rejected", "rejected"});
    EXPECT_EQ(flat(second), (List{"0", "link_not_open", "answered"}));
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch03Link, S71_ARejectionIsASignalOfItsOwnName) {
    const Asked asked = ask({.condition = flat_condition(R"(["approved","rejected"])")});
    ASSERT_EQ(element(try_link(asked.e, asked.waitpoint, "a", "+60000", ""), 2), "OK");
    const std::string signal_id = new_uuid();
    answer_link(asked.e, asked.waitpoint, "a", {signal_id, "rejected", "rejected"});
    auto record = signal(signal_id);
    EXPECT_EQ(record["signal_category"], "rejection");
    EXPECT_EQ(record["source_identity"], "link:a");
    EXPECT_EQ(record["observed_effect"], "resume_condition_satisfied");
    EXPECT_EQ(record["payload_len"], "0");
}

TEST_P(Ch03Link, S71_TwoPeopleAnswerByALinkEach) {
    const Asked asked = ask({.condition = flat_condition(R"(["approved"])", "count", 2)});
    try_link(asked.e, asked.waitpoint, "a", "+60000", "ann");
    try_link(asked.e, asked.waitpoint, "b", "+60000", "ben");
    EXPECT_EQ(
        element(answer_link(asked.e, asked.waitpoint, "a", {new_uuid(), "approved", "approved"}),
                4),
        "appended_to_waitpoint");
    EXPECT_EQ(state(asked.e, asked.waitpoint, "b"), "open");
    EXPECT_EQ(
        element(answer_link(asked.e, asked.waitpoint, "b", {new_uuid(), "approved", "approved"}),
                4),
        "resume_condition_satisfied");
}

TEST_P(Ch03Link, S71_ALinkOfAPendingWaitpointOutlivesItsActivation) {
    const Execution e = active();
    const Waitpoint early = pending(e);
    ASSERT_EQ(element(try_link(e, early, "a"), 2), "OK");
    ASSERT_EQ(element(try_link(e, early, "b"), 2), "OK");
    EXPECT_EQ(element(answer_link(e, early, "b", {new_uuid(), "approved", "other"}), 4),
              "buffered_for_pending_waitpoint");
    suspend(e, {.condition = flat_condition(R"(["approved"])"),
                .waitpoint_id = early.id,
                .use_pending = true});
    EXPECT_EQ(state(e, early, "a"), "open");
    EXPECT_EQ(state(e, early, "b"), "answered");
    EXPECT_EQ(element(answer_link(e, early, "a", {new_uuid(), "approved", "approved"}), 4),
              "resume_condition_satisfied");
}

TEST_P(Ch03Link, S72_WithoutItsSecretALinkSaysNothing) {
    const Asked asked = ask();
    const Asked other = ask();
    try_link(asked.e, asked.waitpoint, "a");
    const auto before = host().contents(tag());
    const List wrong{asked.e.id(), asked.waitpoint.id, "a", std::string(64, '9')};
    const List said{new_uuid(), "approved", "approved"};
    EXPECT_EQ(
        element(host().fcall("ff_read_approval_link", {waitpoint_key(asked.waitpoint.id)}, wrong),
                2),
        "link_not_found");
    EXPECT_EQ(state(asked.e, asked.waitpoint, "b"), "link_not_found");
    EXPECT_EQ(state(other.e, asked.waitpoint, "a"), "link_not_found");
    EXPECT_EQ(state(asked.e, {.id = new_uuid()}, "a"), "link_not_found");
    EXPECT_EQ(element(answer_link(asked.e, asked.waitpoint, "b", said), 2), "link_not_found");
    EXPECT_EQ(element(answer_link(other.e, asked.waitpoint, "a", said), 2), "link_not_found");
    EXPECT_EQ(element(answer_link(other.e, other.waitpoint, "a", said), 2), "link_not_found");
    EXPECT_EQ(element(answer_link(asked.e, {.id = new_uuid()}, "a", said), 2), "link_not_found");
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch03Link, S73_ARevokedOrExpiredLinkOpensNothing) {
    const Asked asked = ask();
    const List said{new_uuid(), "approved", "approved"};
    for (const char* id : {"a", "b", "c"}) try_link(asked.e, asked.waitpoint, id);
    EXPECT_EQ(element(revoke_links(asked.e, asked.waitpoint, "a"), 3), "1");
    EXPECT_EQ(element(revoke_links(asked.e, asked.waitpoint, "a"), 3), "0");
    EXPECT_EQ(state(asked.e, asked.waitpoint, "a"), "revoked");
    EXPECT_EQ(element(answer_link(asked.e, asked.waitpoint, "a", said), 3), "revoked");
    EXPECT_EQ(element(revoke_links(asked.e, asked.waitpoint, "d"), 2), "link_not_found");
    EXPECT_EQ(state(asked.e, asked.waitpoint, "b"), "open");
    EXPECT_EQ(element(revoke_links(asked.e, asked.waitpoint), 3), "2");
    EXPECT_EQ(state(asked.e, asked.waitpoint, "c"), "revoked");
    EXPECT_EQ(asked.e.vector(), vector_suspended());

    const Asked late = ask();
    const std::string expires = element(try_link(late.e, late.waitpoint, "a"), 4);
    replace_in_links(late.waitpoint, "\"expires_at\":" + expires, "\"expires_at\":1");
    EXPECT_EQ(state(late.e, late.waitpoint, "a"), "expired");
    EXPECT_EQ(element(answer_link(late.e, late.waitpoint, "a", said), 3), "expired");
    EXPECT_EQ(late.e.vector(), vector_suspended());
}

TEST_P(Ch03Link, S74_TheEndOfTheWaitpointEndsItsLinks) {
    const Asked asked = ask();
    try_link(asked.e, asked.waitpoint, "a");
    ASSERT_EQ(effect(asked.e, asked.waitpoint), "resume_condition_satisfied");
    EXPECT_EQ(state(asked.e, asked.waitpoint, "a"), "closed");
    const auto before = host().contents(tag());
    EXPECT_EQ(
        element(answer_link(asked.e, asked.waitpoint, "a", {new_uuid(), "approved", "approved"}),
                3),
        "closed");
    EXPECT_EQ(element(try_link(asked.e, asked.waitpoint, "b"), 2), "waitpoint_closed");
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch03Link, S75_WhatIsNoLinkIsRefusedAndChangesNothing) {
    const Asked asked = ask();
    const Asked other = ask();
    ASSERT_EQ(element(try_link(asked.e, asked.waitpoint, "a"), 2), "OK");
    const auto before = host().contents(tag());
    EXPECT_EQ(element(try_link(asked.e, asked.waitpoint, "a"), 2), "DUPLICATE");
    for (const char* expires : {"", "0", "+0", "soon", "-5", "+31536000001"})
        EXPECT_EQ(element(try_link(asked.e, asked.waitpoint, "b", expires), 2), "invalid_input")
            << expires;
    EXPECT_EQ(element(try_link(asked.e, asked.waitpoint, "b", "+1", std::string(257, 'x')), 2),
              "invalid_input");
    for (const char* id : {"", "a:b"})
        EXPECT_EQ(element(try_link(asked.e, asked.waitpoint, id), 2), "invalid_input") << id;
    const std::string key = waitpoint_key(asked.waitpoint.id);
    for (const std::string& digest : {std::string(), std::string(63, 'a'), std::string(64, 'A')})
        EXPECT_EQ(element(host().fcall("ff_create_approval_link", {key},
                                       {asked.e.id(), asked.waitpoint.id, "b", digest, "+1"}),
                          2),
                  "invalid_input")
            << digest;
    EXPECT_EQ(
        element(host().fcall("ff_create_approval_link", {key},
                             {asked.e.id(), asked.waitpoint.id, "a", std::string(64, 'b'), "+1"}),
                2),
        "invalid_input");
    EXPECT_EQ(element(try_link(other.e, asked.waitpoint, "b"), 2),
              "invalid_waitpoint_for_execution");
    EXPECT_EQ(element(revoke_links(other.e, asked.waitpoint), 2),
              "invalid_waitpoint_for_execution");
    EXPECT_EQ(element(try_link(asked.e, {.id = new_uuid()}, "b"), 2), "waitpoint_not_found");
    EXPECT_EQ(element(answer_link(asked.e, asked.waitpoint, "a", {new_uuid(), "maybe", "ok"}), 2),
              "invalid_input");
    EXPECT_EQ(element(answer_link(asked.e, asked.waitpoint, "a",
                                  {new_uuid(), "approved", "ok", std::string(65'537, 'x')}),
                      2),
              "payload_too_large");
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch03Link, S75_AWaitpointHasThirtyTwoLinksAtMost) {
    const Asked asked = ask();
    for (int i = 0; i < 32; ++i)
        ASSERT_EQ(element(try_link(asked.e, asked.waitpoint, "l" + std::to_string(i)), 2), "OK");
    EXPECT_EQ(flat(try_link(asked.e, asked.waitpoint, "more")),
              (List{"0", "link_limit_exceeded", "32"}));
}

}  // namespace
}  // namespace ff::contract
