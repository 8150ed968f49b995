#include "model/waitpoint_token.h"

#include <sstream>

#include <gtest/gtest.h>

#include "base/log.h"

namespace ff::model {
namespace {

constexpr std::string_view kDigest = "a4d6865324495f06d292bf305b977387fdca2142";

const WaitpointId& waitpoint() {
    static const WaitpointId kId = *WaitpointId::parse("3f2504e0-4f89-41d3-9a0c-0305e82c3301");
    return kId;
}

std::string repeated(std::string_view piece, int times) {
    std::string out;
    while (times-- > 0) out += piece;
    return out;
}

std::string minted(std::string_view kid, std::string_view secret, const WaitpointKey& key,
                   std::int64_t created_at) {
    const auto token = WaitpointToken::mint(
        kid, secret, {.id = waitpoint(), .key = key, .created_at = timestamp_from_ms(created_at)});
    return token ? token->reveal() : token.error().code;
}

TEST(WaitpointToken, ReproducesTheVectorsOfChapter03) {
    const WaitpointKey usual = default_waitpoint_key(waitpoint());
    EXPECT_EQ(minted("k1", repeated("00", 32), usual, 1700000000000),
              "k1:a4d6865324495f06d292bf305b977387fdca2142");
    EXPECT_EQ(minted("k2", repeated("0123456789abcdef", 4), usual, 1700000000000),
              "k2:d731defdc90018aed9925afa08d273ca9fe1dd8a");
    EXPECT_EQ(
        minted("k3", repeated("aa", 80), *WaitpointKey::parse("order-42|approval"), 1700000000123),
        "k3:6e95d632f33660c5a7ab4592ca9df40fc7e85467");
}

TEST(WaitpointToken, DoesNotMintUnderABadSecretOrKid) {
    const WaitpointKey usual = default_waitpoint_key(waitpoint());
    for (const char* bad : {"", "0", "0g", "00 00", "0x00", "+1"})
        EXPECT_EQ(minted("k1", bad, usual, 1), "invalid_secret") << bad;
    for (const char* bad : {"", "a:b", "a b"})
        EXPECT_EQ(minted(bad, "00", usual, 1), "invalid_kid") << bad;
}

std::string refusal(const std::string& text) {
    const auto token = WaitpointToken::parse(text);
    return token ? "accepted" : token.error().code;
}

TEST(WaitpointToken, AcceptsOneFormOnly) {
    const std::string digest(kDigest);
    const auto token = WaitpointToken::parse("k1:" + digest);
    ASSERT_TRUE(token.has_value());
    EXPECT_EQ(token->kid(), "k1");
    EXPECT_EQ(token->reveal(), "k1:" + digest);
    EXPECT_EQ(token->fingerprint(), "a4d6865324495f06");
    EXPECT_EQ(refusal(""), "missing_token");
    for (const std::string& bad :
         {digest, ":" + digest, std::string("k1:"), "k1:" + digest.substr(1), "k1:" + digest + "0",
          "k1:A" + digest.substr(1), "k1:g" + digest.substr(1), "k1:x:" + digest})
        EXPECT_EQ(refusal(bad), "invalid_token") << bad;
}

TEST(WaitpointToken, ComparesKidAndDigest) {
    const auto token = [](std::string_view text) { return *WaitpointToken::parse(text); };
    const std::string digest(kDigest);
    EXPECT_EQ(token("k1:" + digest), token("k1:" + digest));
    EXPECT_FALSE(token("k1:" + digest) == token("k2:" + digest));
    EXPECT_FALSE(token("k1:" + digest) == token("k1:" + digest.substr(0, 39) + "3"));
}

TEST(Ch01, S12_NoRenderingOfATokenShowsItsDigest) {
    const auto token = *WaitpointToken::parse("k1:" + std::string(kDigest));
    std::string line;
    auto former = log::set_sink([&](std::string_view text) { line = text; });
    log::error("model", "signal_refused", {{"token", token.to_string()}});
    log::set_sink(std::move(former));
    EXPECT_NE(line.find("k1:<REDACTED:len=40>"), std::string::npos) << line;
    EXPECT_EQ(line.find(kDigest.substr(0, 6)), std::string::npos) << line;
    std::ostringstream printed;
    printed << token;
    EXPECT_EQ(printed.str(), "k1:<REDACTED:len=40>");
}

TEST(WaitpointToken, TextThatIsNoTokenIsShownAsSuch) {
    EXPECT_EQ(redacted_token("k1:secret"), "k1:<REDACTED:len=6>");
    for (const char* bad : {"", "secret", ":secret", "k1:"})
        EXPECT_EQ(redacted_token(bad), "<REDACTED:malformed>") << bad;
}

}  // namespace
}  // namespace ff::model
