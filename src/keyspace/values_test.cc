#include <limits>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "keyspace/byte_string.h"
#include "keyspace/dense_index.h"
#include "keyspace/hash_value.h"
#include "keyspace/set_value.h"
#include "keyspace/stream_value.h"
#include "keyspace/wire.h"

namespace ff::keyspace {
namespace {

TEST(ByteString, HoldsEverySizeAroundItsOwn) {
    for (const std::size_t size : {0U, 1U, 14U, 15U, 16U, 17U, 255U, 256U, 100'000U}) {
        const std::string bytes(size, '\xff');
        ByteString text(bytes);
        EXPECT_EQ(text.view(), bytes);
        ByteString moved = std::move(text);
        EXPECT_EQ(moved.view(), bytes);
        EXPECT_EQ(moved.clone().view(), bytes);
        for (const std::size_t other : {0U, 15U, 16U, 17U}) {
            const std::string next(other, 'n');
            moved.assign(next);
            EXPECT_EQ(moved.view(), next);
            moved.assign(bytes);
            EXPECT_EQ(moved.view(), bytes);
        }
    }
}

TEST(ByteString, IsMetered) {
    const std::int64_t before = metered_bytes;
    {
        const ByteString text(std::string(1000, 'x'));
        EXPECT_EQ(metered_bytes, before + 1000);
    }
    EXPECT_EQ(metered_bytes, before);
}

TEST(DenseIndex, AgreesWithAModel) {
    SeededRandom random(21);
    SetValue set;
    std::map<std::string, int> model;
    for (int step = 0; step < 30'000; ++step) {
        // Grows to many and shrinks to few, so that both forms and every slot are used.
        const std::uint64_t range = step / 5000 % 2 == 0 ? 2000 : 20;
        const std::string key = std::to_string(random.below(range));
        const std::uint32_t at = set.find(key);
        ASSERT_EQ(at != SetValue::kNowhere, model.contains(key)) << step;
        if (at == SetValue::kNowhere) {
            set.append(SetMember{.bytes = ByteString(key)});
            model[key] = 1;
        } else if (random.below(2) == 0) {
            set.erase(at);
            model.erase(key);
        }
        ASSERT_EQ(set.size(), model.size());
    }
    for (const SetMember& member : set.items()) {
        EXPECT_TRUE(model.contains(std::string(member.key())));
    }
}

TEST(DenseIndex, ARemovalOnlyMovesItemsForward) {
    for (const int size : {10, 100}) {
        SetValue set;
        for (int i = 0; i < size; ++i) {
            set.append(SetMember{.bytes = ByteString(std::to_string(i))});
        }
        std::map<std::string, std::uint32_t> before;
        for (std::uint32_t i = 0; i < set.size(); ++i) before[std::string(set.at(i).key())] = i;
        set.erase(set.find("4"));
        for (std::uint32_t i = 0; i < set.size(); ++i) {
            EXPECT_LE(i, before[std::string(set.at(i).key())]);
        }
    }
}

TEST(SymbolTable, LooksAtWhatLiesAtAnAddressNow) {
    SymbolTable symbols;
    EXPECT_EQ(symbols.intern(std::string_view()), symbols.intern(""));
    char room[] = "a_field_of_some_length";
    const std::string_view name(room);
    const auto first = symbols.intern(name);
    EXPECT_EQ(symbols.intern(name), first);
    for (const std::size_t at : {std::size_t{0}, std::size_t{9}, name.size() - 1}) {
        room[at] = 'X';
        EXPECT_NE(symbols.intern(name), first) << at;
        EXPECT_EQ(symbols.name(symbols.intern(name)), name);
    }
    EXPECT_NE(symbols.intern(name.substr(0, 5)), symbols.intern(name));
    EXPECT_EQ(symbols.intern("a_field_of_some_length"), first);
}

TEST(SymbolTable, IsBoundedInNumberAndLength) {
    SymbolTable symbols({.symbols_max = 300, .name_bytes_max = 5});
    EXPECT_EQ(symbols.intern("longer"), SymbolTable::kNoSymbol);
    for (int i = 0; i < 300; ++i) EXPECT_EQ(symbols.intern(std::to_string(i)), i);
    EXPECT_EQ(symbols.intern("300"), SymbolTable::kNoSymbol);
    EXPECT_EQ(symbols.find("300"), SymbolTable::kNoSymbol);
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(symbols.intern(std::to_string(i)), i);
        EXPECT_EQ(symbols.name(static_cast<SymbolTable::Symbol>(i)), std::to_string(i));
    }
}

TEST(HashValue, AgreesWithAModelInBothForms) {
    SeededRandom random(22);
    SymbolTable symbols;
    for (const std::uint64_t range : {8U, 90U, 400U}) {
        HashValue hash;
        std::map<std::string, std::string> model;
        for (int step = 0; step < 5000; ++step) {
            std::string field = "f" + std::to_string(random.below(range));
            if (range == 400 && random.below(10) == 0) field += std::string(40, 'x');
            const std::string value(random.below(40), 'v');
            if (random.below(3) > 0) {
                EXPECT_EQ(hash.put(symbols, field, value), !model.contains(field));
                model[field] = value;
            } else {
                EXPECT_EQ(hash.erase(symbols, field), model.erase(field) == 1);
            }
            ASSERT_EQ(hash.size(), model.size());
        }
        const HashValue copy = hash.clone();
        hash = HashValue();
        std::map<std::string, std::string> met;
        copy.for_each(symbols, [&met](std::string_view field, std::string_view value) {
            met.emplace(field, value);
        });
        EXPECT_EQ(met, model);
        for (const auto& [field, value] : model) {
            ASSERT_NE(copy.find(symbols, field), nullptr);
            EXPECT_EQ(copy.find(symbols, field)->view(), value);
        }
    }
}

TEST(HashValue, FallsBackToNamesWhenTheTableIsFull) {
    SymbolTable symbols({.symbols_max = 2, .name_bytes_max = 10});
    HashValue hash;
    for (const char* field : {"a", "b", "c", "d"}) EXPECT_TRUE(hash.put(symbols, field, field));
    EXPECT_FALSE(hash.put(symbols, "a", "new"));
    EXPECT_EQ(hash.find(symbols, "a")->view(), "new");
    EXPECT_EQ(hash.find(symbols, "d")->view(), "d");
    EXPECT_EQ(hash.find(symbols, "e"), nullptr);
}

TEST(StreamId, StepsStayWithinSixtyFourBits) {
    StreamId id{.ms = 5, .seq = std::numeric_limits<std::uint64_t>::max()};
    EXPECT_TRUE(id.step_up());
    EXPECT_EQ(id, (StreamId{.ms = 6, .seq = 0}));
    EXPECT_TRUE(id.step_down());
    EXPECT_EQ(id.text(), "5-18446744073709551615");
    StreamId first;
    EXPECT_FALSE(first.step_down());
    StreamId last = StreamId::max();
    EXPECT_FALSE(last.step_up());
    EXPECT_EQ(last, StreamId::max());
}

TEST(StreamValue, AgreesWithAModel) {
    SeededRandom random(23);
    StreamValue stream;
    std::map<std::uint64_t, std::string> model;
    std::uint64_t ms = 0;
    for (int step = 0; step < 5000; ++step) {
        ms += 1 + random.below(3);
        const std::string fields(random.below(30), 'f');
        stream.append({.ms = ms, .seq = 0}, fields, 10);
        model[ms] = fields;
        if (random.below(20) == 0) {
            const std::size_t count = stream.excess(random.below(60), random.below(2) == 0);
            stream.drop_front(count);
            for (std::size_t i = 0; i < count; ++i) model.erase(model.begin());
        }
        ASSERT_EQ(stream.size(), model.size());
        const std::uint64_t from = ms - random.below(200) % (ms + 1);
        const std::uint64_t to = from + random.below(100);
        const std::size_t limit = 1 + random.below(20);
        std::vector<std::uint64_t> expected;
        for (auto at = model.lower_bound(from); at != model.end() && at->first <= to; ++at) {
            if (expected.size() < limit) expected.push_back(at->first);
        }
        std::vector<std::uint64_t> met;
        stream.for_range({.ms = from}, {.ms = to}, false, limit,
                         [&met](StreamId id, std::string_view) { met.push_back(id.ms); });
        ASSERT_EQ(met, expected);
        ASSERT_EQ(stream.count_range({.ms = from}, {.ms = to}, limit), expected.size());
    }
    const StreamValue copy = stream.clone();
    auto at = model.rbegin();
    copy.for_range({}, StreamId::max(), true, 10'000, [&at](StreamId id, std::string_view fields) {
        EXPECT_EQ(id.ms, at->first);
        EXPECT_EQ(fields, at->second);
        ++at;
    });
    EXPECT_EQ(at, model.rend());
}

TEST(Wire, KeepsWhatWasWrittenWhileItGrows) {
    ByteBuffer out;
    WireWriter writer(out);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        writer.byte(static_cast<std::uint8_t>(i));
        writer.number(i * i);
        writer.bytes(std::string(i % 300, 'x'));
        writer.score(static_cast<double>(i) / 3);
    }
    WireReader reader(out.view());
    for (std::uint64_t i = 0; i < 5000; ++i) {
        ASSERT_EQ(reader.byte(), static_cast<std::uint8_t>(i));
        ASSERT_EQ(reader.number(), i * i);
        ASSERT_EQ(reader.bytes(), std::string(i % 300, 'x'));
        ASSERT_EQ(reader.score(), static_cast<double>(i) / 3);
    }
    EXPECT_TRUE(reader.done() && !reader.broken());
    out.clear();
    EXPECT_TRUE(out.empty() && out.view().empty());
    writer.bytes("again");
    EXPECT_EQ(out.view(),
              "\x05"
              "again");
}

TEST(Wire, NumbersComeBackAndBrokenOnesDoNot) {
    for (const std::uint64_t number :
         {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{1} << 63U,
          std::numeric_limits<std::uint64_t>::max()}) {
        ByteBuffer buffer;
        WireWriter(buffer).number(number);
        const std::string_view out = buffer.view();
        WireReader reader(out);
        EXPECT_EQ(reader.number(), number);
        EXPECT_TRUE(reader.done() && !reader.broken());
        WireReader cut(out.substr(0, out.size() - 1));
        cut.number();
        EXPECT_TRUE(cut.broken());
    }
    WireReader too_large("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
    too_large.number();
    EXPECT_TRUE(too_large.broken());
    WireReader short_bytes(
        "\x05"
        "abc");
    EXPECT_EQ(short_bytes.bytes(), "");
    EXPECT_TRUE(short_bytes.broken() && short_bytes.done());
}

}  // namespace
}  // namespace ff::keyspace
