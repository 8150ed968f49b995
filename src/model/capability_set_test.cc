#include "model/capability_set.h"

#include <gtest/gtest.h>

namespace ff::model {
namespace {

using Tokens = std::vector<std::string_view>;

std::string refusal(const Tokens& tokens, std::string_view side = {}) {
    const auto set = CapabilitySet::parse(tokens, side);
    if (set) return "accepted";
    EXPECT_EQ(set.error().code, "invalid_capabilities");
    EXPECT_EQ(set.error().cls, ErrorClass::Terminal);
    return set.error().detail.at(0);
}

std::string refusal(const std::vector<std::string>& tokens) {
    return refusal(Tokens(tokens.begin(), tokens.end()));
}

/// `count` distinct tokens that join to exactly `bytes`.
std::vector<std::string> tokens_of(std::size_t count, std::size_t bytes) {
    std::vector<std::string> out;
    out.reserve(count);
    for (std::size_t at = 0; at < count; ++at) out.push_back(std::to_string(1000 + at));
    std::size_t missing = bytes - (count * 5 - 1);
    for (std::size_t at = 0; missing != 0; at = (at + 1) % count, --missing) out[at] += 'x';
    return out;
}

TEST(Ch01, S11_CapabilityLimitsAreInclusive) {
    EXPECT_EQ(refusal(tokens_of(256, 4096)), "accepted");
    EXPECT_EQ(refusal(tokens_of(256, 4097)), "too_many_bytes");
    EXPECT_EQ(refusal(tokens_of(257, 2000)), "too_many_tokens");
    auto repeated = tokens_of(256, 4096);
    repeated.push_back(repeated.front());
    EXPECT_EQ(refusal(repeated), "accepted") << "only distinct tokens count";
}

TEST(CapabilitySet, RefusesEveryBadTokenWithItsReason) {
    EXPECT_EQ(refusal(Tokens{"gpu", ""}), "empty_token");
    EXPECT_EQ(refusal(Tokens{"a,b"}), "comma_in_token");
    for (const std::string_view bad :
         {std::string_view("a b"), std::string_view("a\n"), std::string_view("a\0b", 3),
          std::string_view("\x7f"), std::string_view("\x1f"), std::string_view("\xc2\x85"),
          std::string_view("\xc2\xa0"), std::string_view("\xe3\x80\x80")})
        EXPECT_EQ(refusal(Tokens{bad}), "control_or_whitespace") << bad;
    EXPECT_EQ(refusal(Tokens{"\xe4\xb8\x9c\xe4\xba\xac-gpu"}), "accepted");
    EXPECT_EQ(refusal(Tokens{""}, "required"), "required:empty_token");
}

TEST(CapabilitySet, SortsBytewiseAndDropsDuplicates) {
    const auto set = CapabilitySet::parse(Tokens{"gpu", "Cuda", "gpu", "\xe4\xb8\x9c", "a"});
    EXPECT_EQ(set->csv(), "Cuda,a,gpu,\xe4\xb8\x9c");
    EXPECT_EQ(CapabilitySet::parse_csv("b,,a,")->csv(), "a,b");
    EXPECT_TRUE(CapabilitySet::parse_csv("")->empty());
    EXPECT_EQ(CapabilitySet::parse_csv("a b", "worker").error().detail.at(0),
              "worker:control_or_whitespace");
}

TEST(CapabilitySet, DigestsAgreeWithTheVectorsOfChapter06) {
    EXPECT_EQ(CapabilitySet().digest(), "4fd0bfc1");
    EXPECT_EQ(CapabilitySet::parse_csv("gpu")->digest(), "2fc2accd");
    EXPECT_EQ(CapabilitySet::parse_csv("gpu,cuda")->digest(), "c952a6c4");
    EXPECT_EQ(CapabilitySet().route_hash(), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(CapabilitySet, CoversExactlyTheSubsets) {
    const auto able = *CapabilitySet::parse_csv("cuda,gpu");
    EXPECT_TRUE(able.covers(CapabilitySet()));
    EXPECT_TRUE(able.covers(*CapabilitySet::parse_csv("gpu")));
    EXPECT_FALSE(able.covers(*CapabilitySet::parse_csv("GPU")));
    EXPECT_FALSE(CapabilitySet().covers(able));
    EXPECT_EQ(able.missing(*CapabilitySet::parse_csv("eu,gpu,x")).csv(), "eu,x");
    EXPECT_TRUE(able.missing(able).empty());
}

}  // namespace
}  // namespace ff::model
