#include "model/approval_link.h"

#include <gtest/gtest.h>

namespace ff::model {
namespace {

ApprovalLink minted() {
    SeededRandom random(7);
    const auto execution = ExecutionId::in_partition(4711, Uuid::mint_v4(random));
    return ApprovalLink::mint(execution, WaitpointId::mint(random), random);
}

TEST(ApprovalLink, ItsCodeSaysWhereItLeadsAndHoldsTheSecret) {
    const ApprovalLink link = minted();
    const std::string code = link.reveal();
    EXPECT_EQ(code.size(), ApprovalLink::kCodeSize);
    EXPECT_EQ(code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-_"),
              std::string::npos);
    const auto read = ApprovalLink::parse(code);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->execution_id(), link.execution_id());
    EXPECT_EQ(read->waitpoint_id(), link.waitpoint_id());
    EXPECT_EQ(read->digest(), link.digest());
    EXPECT_EQ(read->reveal(), code);
    EXPECT_EQ(read->id(), link.digest().substr(0, 16));
}

TEST(ApprovalLink, AnotherSecretOrAnotherPageHasAnotherToken) {
    const ApprovalLink link = minted();
    std::string code = link.reveal();
    code.back() = code.back() == 'A' ? 'B' : 'A';
    const auto other = ApprovalLink::parse(code);
    ASSERT_TRUE(other.has_value());
    EXPECT_NE(other->digest(), link.digest());
    EXPECT_NE(other->page_token("page"), link.page_token("page"));
    EXPECT_NE(link.page_token("page"), link.page_token("another page"));
    EXPECT_EQ(link.page_token("page"), link.page_token("page"));
}

TEST(ApprovalLink, WhatNoLinkSaysIsNone) {
    const std::string code = minted().reveal();
    for (const std::string& text :
         {std::string(), code.substr(1), code + "A", code.substr(1) + "+", code.substr(1) + "/",
          code.substr(2) + "==", code.substr(1) + " ", std::string(72, '.')})
        EXPECT_FALSE(ApprovalLink::parse(text).has_value()) << text;
}

}  // namespace
}  // namespace ff::model
