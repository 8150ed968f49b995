#include <charconv>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "model/partition.h"
#include "model/slot.h"
#include "spec/spec_document.h"

namespace ff::model {
namespace {

using ff::testing::code_spans;
using ff::testing::SpecRow;
using ff::testing::SpecSection;

/// `0x9018` or `36888`.
unsigned number(std::string_view text) {
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    unsigned value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    EXPECT_TRUE(end.ec == std::errc{} && end.ptr == text.data() + text.size()) << text;
    return value;
}

/// What a row of a hash table feeds to the checksum: the raw bytes of a UUID, or plain text.
Bytes input_of(const std::string& cell) {
    if (cell == "uuid of all `f` (raw bytes)") return Bytes(16, '\xff');
    std::string text = code_spans(cell).at(0);
    if (!cell.starts_with("uuid")) return text;
    return Bytes(Uuid::parse(text)->bytes());
}

void expect_row(const SpecRow& row, std::initializer_list<unsigned> moduli) {
    const std::uint16_t hash = crc16(input_of(row[0]));
    const auto spans = code_spans(row[1]);
    EXPECT_EQ(hash, number(spans.empty() ? row[1] : spans[0])) << row[0];
    std::size_t column = 2;
    for (const unsigned modulus : moduli) {
        const std::string& cell = row.at(column++);
        if (cell.empty()) continue;
        EXPECT_EQ(hash % modulus, number(cell)) << row[0] << " mod " << modulus;
    }
}

/// Every `<tag text>` followed by its slot in the running text.
void expect_slots(const std::string& text) {
    int found = 0;
    for (const std::string prefix : {"`fp:", "`b:", "`q:"}) {
        for (std::size_t at = text.find(prefix); at != std::string::npos;
             at = text.find(prefix, at + 1)) {
            const std::size_t close = text.find('`', at + 1);
            const std::size_t start = close + 2;
            const std::size_t end = text.find_first_not_of("0123456789", start);
            if (end == start) continue;
            const std::string tag = text.substr(at + 1, close - at - 1);
            EXPECT_EQ(slot_of("ff:noop:{" + tag + "}"), number(text.substr(start, end - start)))
                << tag;
            ++found;
        }
    }
    EXPECT_GE(found, 5);
}

TEST(HashVectors, OfChapter01) {
    const SpecSection section("01-keys-partitions-storage.md", "### 3.2 Hash");
    for (const SpecRow& row : section.rows()) expect_row(row, {256, 32});
    expect_slots(section.text());
}

TEST(Ch05, S01_EveryHashAndModulusOfTheTable) {
    const SpecSection section("05-flows.md", "### 5.2.3 CRC16");
    ASSERT_EQ(section.rows().size(), 10U);
    for (const SpecRow& row : section.rows()) expect_row(row, {4, 64, 256, 1024});
    expect_slots(section.text());
    EXPECT_EQ(crc16("123456789"), 12739);
}

TEST(Ch06, S30_DigestsAndScanStarts) {
    EXPECT_EQ(digest8(""), "4fd0bfc1");
    EXPECT_EQ(digest8("gpu"), "2fc2accd");
    EXPECT_EQ(digest8("cuda,gpu"), "c952a6c4");
    EXPECT_EQ(fnv16("w1", 200), 93);
    EXPECT_EQ(direct_claim_start(*WorkerInstanceId::parse("w1"), 200), 101);
}

}  // namespace
}  // namespace ff::model
