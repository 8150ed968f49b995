#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/csv.h"
#include "base/digest.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "base/random.h"
#include "base/result.h"

namespace ff {
namespace {

TEST(Result, CarriesAValueOrAnError) {
    const Result<int> good = 7;
    EXPECT_EQ(*good, 7);
    const Result<int> bad = invalid_input("lane", "empty");
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().code, "invalid_input");
    EXPECT_EQ(bad.error().detail, std::vector<std::string>{"lane:empty"});
}

Result<int> doubled(const Result<int>& input) {
    FF_TRY(const int value, Result<int>(input));
    return value * 2;
}

TEST(Result, TryLeavesWithTheErrorOrGoesOnWithTheValue) {
    EXPECT_EQ(*doubled(21), 42);
    EXPECT_EQ(doubled(invalid_input("x", "y")).error().detail[0], "x:y");
}

TEST(Error, TellsThePlacesItPassed) {
    Error error{.code = "storage_error", .message = "disk full"};
    EXPECT_EQ(std::move(error).within("commit").within("boot").message, "boot: commit: disk full");
}

TEST(Bytes, HexRoundTripsAndRefusesEverythingElse) {
    const Bytes raw("\x00\xff\x10z", 4);
    EXPECT_EQ(to_hex(raw), "00ff107a");
    EXPECT_EQ(from_hex("00FF107a"), raw);
    for (const char* bad : {"0", "0g", " 00", "0x00", "+1", "-1"})
        EXPECT_FALSE(from_hex(bad).has_value()) << bad;
}

TEST(Bytes, Base64RoundTripsEveryLength) {
    SeededRandom random(7);
    for (std::size_t length = 0; length < 64; ++length) {
        std::vector<std::uint8_t> raw(length);
        random.fill(raw);
        const Bytes bytes(raw.begin(), raw.end());
        const std::string text = to_base64(bytes);
        EXPECT_EQ(text.size() % 4, 0U);
        EXPECT_EQ(from_base64(text), bytes);
        EXPECT_EQ(from_base64(text.substr(0, text.find('='))), bytes) << "padding is optional";
    }
    // RFC 4648 section 10.
    EXPECT_EQ(to_base64(""), "");
    EXPECT_EQ(to_base64("f"), "Zg==");
    EXPECT_EQ(to_base64("fo"), "Zm8=");
    EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Bytes, Base64RefusesWhatIsNotCanonical) {
    for (const char* bad : {"Z", "Zm9v=", "Zm8=Zm8=", "Zm 9v", "Zm9-", "Zh", "Zm9=", "===="})
        EXPECT_FALSE(from_base64(bad).has_value()) << bad;
}

TEST(Bytes, ComparesInConstantTimeByContent) {
    EXPECT_TRUE(constant_time_equal("", ""));
    EXPECT_TRUE(constant_time_equal("secret", "secret"));
    EXPECT_FALSE(constant_time_equal("secret", "secreT"));
    EXPECT_FALSE(constant_time_equal("secret", "secrets"));
}

TEST(Bytes, KnowsUtf8FromOtherBytes) {
    for (const char* good :
         {"", "abc", "\xc3\xa4", "\xe4\xb8\x9c", "\xf0\x9f\x98\x80", "\xef\xbf\xbd"})
        EXPECT_TRUE(is_utf8(good)) << good;
    for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"})
        EXPECT_FALSE(is_utf8(bad));
}

TEST(Bytes, Utf8IsRefusedWhereverItIsBroken) {
    for (std::size_t at = 0; at < 40; ++at) {
        std::string text(40, 'x');
        text[at] = '\xff';
        EXPECT_FALSE(is_utf8(text)) << at;
        const std::string whole = std::string(at, 'x') + "\xc3\xa9" + std::string(9, 'y');
        EXPECT_TRUE(is_utf8(whole)) << at;
        EXPECT_FALSE(is_utf8(whole.substr(0, at + 1))) << at;
    }
}

TEST(Digest, AgreesWithPublishedVectors) {
    EXPECT_EQ(sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    // RFC 2202, cases 1, 2 and 6 (a key longer than a block).
    EXPECT_EQ(to_hex(hmac_sha1(Bytes(20, '\x0b'), "Hi There")),
              "b617318655057264e28bc0b6fb378c8ef146be00");
    EXPECT_EQ(to_hex(hmac_sha1("Jefe", "what do ya want for nothing?")),
              "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    EXPECT_EQ(to_hex(hmac_sha1(Bytes(80, '\xaa'),
                               "Test Using Larger Than Block-Size Key - Hash Key First")),
              "aa4ae5e15272d00e95705637ce8a3b55ed402112");
}

TEST(Hash, Crc16IsTheSlotChecksum) {
    EXPECT_EQ(crc16(""), 0);
    EXPECT_EQ(crc16("123456789"), 0x31C3);
    EXPECT_EQ(crc16("fp:42") % 16384, 2824);
}

TEST(Hash, FnvAndItsDigestAgreeWithTheVectors) {
    EXPECT_EQ(fnv1a64(""), 0xcbf29ce484222325ULL);
    EXPECT_EQ(fnv1a64("w1"), 0x08cb8707b56d7b05ULL);
    EXPECT_EQ(digest8(""), "4fd0bfc1");
    EXPECT_EQ(digest8("w1"), "bda6fc02");
}

TEST(Numbers, ParseWholeTextsOnly) {
    EXPECT_EQ(parse_i64("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(parse_i64("007"), 7);
    EXPECT_EQ(parse_u64("18446744073709551615"), UINT64_MAX);
    EXPECT_FALSE(parse_canonical_u64("007").has_value());
    EXPECT_EQ(parse_canonical_u64("0"), 0U);
    for (const char* bad : {"", "+1", " 1", "1 ", "1.0", "0x1", "9223372036854775808", "--1"})
        EXPECT_FALSE(parse_i64(bad).has_value()) << bad;
    EXPECT_FALSE(parse_u64("-1").has_value());
}

TEST(Random, SeededSequencesRepeatAndStayInBounds) {
    SeededRandom one(42);
    SeededRandom two(42);
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t value = one.below(10);
        EXPECT_LT(value, 10U);
        EXPECT_EQ(value, two.below(10));
    }
}

TEST(Csv, HasNoEmptyPieces) {
    EXPECT_EQ(split_csv(",a,,b,"), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(split_csv("").empty());
}

TEST(Random, TheSecureSourceDoesNotRepeat) {
    SecureRandom random;
    EXPECT_NE(random.u64(), random.u64());
}

TEST(Random, TheBufferedSourceHandsNothingOutTwice) {
    BufferedRandom random;
    std::set<std::array<std::uint8_t, 16>> seen;
    for (int i = 0; i < 1000; ++i) {
        std::array<std::uint8_t, 16> id{};
        random.fill(id);
        EXPECT_TRUE(seen.insert(id).second) << i;
        EXPECT_NE(id, (std::array<std::uint8_t, 16>{})) << i;
    }
    std::vector<std::uint8_t> more_than_it_keeps(5000);
    random.fill(more_than_it_keeps);
    EXPECT_GT(
        std::ranges::count_if(more_than_it_keeps, [](std::uint8_t byte) { return byte != 0; }),
        4000);
}

}  // namespace
}  // namespace ff
