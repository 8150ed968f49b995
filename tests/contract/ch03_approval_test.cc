#include "contract/suspension.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch03Approval, SuspensionContract);

const std::string kContext = std::string("\x00\xff\xc3\x28", 4);

List question(const std::string& due_at = "5000000000000") {
    return {"Refund 120 EUR?", R"(["ann","finance"])",     R"({"type":"object"})",
            kContext,          "application/octet-stream", due_at};
}

TEST_P(Ch03Approval, S64_AWaitpointCarriesWhatAPersonNeeds) {
    const Execution e = active();
    const Suspended s = suspend(e, {.approval = question()});
    auto record = waitpoint(s.primary().id);
    EXPECT_EQ(record["prompt"], "Refund 120 EUR?");
    EXPECT_EQ(record["assignees"], R"(["ann","finance"])");
    EXPECT_EQ(record["form"], R"({"type":"object"})");
    EXPECT_EQ(record["context"], kContext);
    EXPECT_EQ(record["context_type"], "application/octet-stream");
    EXPECT_EQ(record["due_at"], "5000000000000");
    EXPECT_EQ(score(e.index_key("approvals"), e.id()), 5'000'000'000'000);
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    EXPECT_FALSE(score(e.index_key("approvals"), e.id()).has_value());
    EXPECT_EQ(waitpoint(s.primary().id)["prompt"], "Refund 120 EUR?");
}

TEST_P(Ch03Approval, S64_WithoutAQuestionNothingIsWritten) {
    const Execution e = active();
    const Suspended s = suspend(e, {.approval = {"", "", "", "", "", ""}});
    EXPECT_FALSE(waitpoint(s.primary().id).contains("has_approval"));
    EXPECT_FALSE(waitpoint(s.primary().id).contains("prompt"));
    EXPECT_FALSE(suspension(e).contains("has_approval"));
    EXPECT_FALSE(score(e.index_key("approvals"), e.id()).has_value());
}

TEST_P(Ch03Approval, S65_APendingWaitpointKeepsItsQuestionUntilTheSuspensionAsks) {
    const Execution e = active();
    const std::string id = new_uuid();
    List args{e.id(), "0", id, "wpk:" + id, "+60000", e.lease_id, e.epoch, e.attempt_id};
    for (const std::string& each : question()) args.push_back(each);
    ASSERT_EQ(element(host().fcall("ff_create_pending_waitpoint", pending_keys(e, id), args), 2),
              "OK");
    EXPECT_EQ(waitpoint(id)["context"], kContext);
    EXPECT_FALSE(score(e.index_key("approvals"), e.id()).has_value());
    suspend(e, {.waitpoint_id = id, .use_pending = true});
    EXPECT_EQ(waitpoint(id)["prompt"], "Refund 120 EUR?");
    EXPECT_EQ(score(e.index_key("approvals"), e.id()), 5'000'000'000'000);

    const Execution other = active();
    const Waitpoint bare = pending(other);
    suspend(other, {.waitpoint_id = bare.id, .use_pending = true, .approval = {"Now?"}});
    EXPECT_EQ(waitpoint(bare.id)["prompt"], "Now?");
    EXPECT_EQ(waitpoint(bare.id)["context"], "");
    const auto due = score(other.index_key("approvals"), other.id());
    ASSERT_TRUE(due.has_value());
    EXPECT_GT(*due, 9'999'999'999'999);
}

TEST_P(Ch03Approval, S65_ASatisfiedSuspensionAsksNobody) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    buffer(e, p);
    const RespValue reply =
        try_suspend(e, {.waitpoint_id = p.id, .use_pending = true, .approval = question()});
    EXPECT_EQ(element(reply, 2), "ALREADY_SATISFIED");
    EXPECT_FALSE(score(e.index_key("approvals"), e.id()).has_value());
}

TEST_P(Ch03Approval, S66_EveryEndOfTheSuspensionEndsTheQuestion) {
    const Execution resumed = active();
    suspend(resumed, {.approval = question()});
    EXPECT_EQ(element(resume(resumed), 2), "OK");
    EXPECT_FALSE(score(resumed.index_key("approvals"), resumed.id()).has_value());

    const Execution escalated = active();
    suspend(escalated, {.timeout_at = "+60000", .behavior = "escalate", .approval = question()});
    make_due(escalated);
    EXPECT_EQ(element(expire_suspension(escalated), 3), "escalate");
    EXPECT_FALSE(score(escalated.index_key("approvals"), escalated.id()).has_value());

    const Execution expired = active();
    suspend(expired, {.timeout_at = "+60000", .behavior = "fail", .approval = question()});
    make_due(expired);
    EXPECT_EQ(element(expire_suspension(expired), 3), "fail");
    EXPECT_FALSE(score(expired.index_key("approvals"), expired.id()).has_value());
}

TEST_P(Ch03Approval, S67_WhatIsNoQuestionIsRefusedAndChangesNothing) {
    const Execution e = active();
    const auto before = host().contents(tag());
    const std::vector<List> wrong = {
        {std::string(4097, 'x')},
        {"", R"({"a":"b"})"},
        {"", R"([1])"},
        {"", R"([""])"},
        {"", "", "no json"},
        {"", "", "[1]"},
        {"", "", "", std::string(65'537, 'x')},
        {"", "", "", "", std::string(129, 'x')},
        {"", "", "", "", "", "soon"},
        {"", "", "", "", "", "-5"},
        {"", "", "", "", "", "10000000000000"},
    };
    for (const List& approval : wrong)
        EXPECT_EQ(element(try_suspend(e, {.approval = approval}), 2), "invalid_input")
            << approval.back().substr(0, 40);
    EXPECT_EQ(host().contents(tag()), before);
    suspend(e, {.approval = {std::string(4096, 'x'), "[]", "{}", std::string(65'536, 'x'),
                             std::string(128, 'x'), "9999999999999"}});
}

}  // namespace
}  // namespace ff::contract
