#include "keyspace/key_table.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ff::keyspace {
namespace {

Value text(std::string_view bytes) {
    Value value = Value::empty<ByteString>();
    value.get<ByteString>()->assign(bytes);
    return value;
}

std::string text_of(const Entry* entry) {
    return std::string(entry->value.get<ByteString>()->view());
}

constexpr const char* kUuid = "11111111-2222-4333-8444-555555555555";

TEST(KeyShape, SplitsTheKeysOfAnExecution) {
    const std::string key = std::string("ff:exec:{fp:42}:{fp:42}:") + kUuid + ":lease:current";
    const auto shape = KeyShape::of(key);
    ASSERT_TRUE(shape.has_value());
    EXPECT_EQ(shape->head, "ff:exec:");
    EXPECT_EQ(shape->place, "{fp:42}:{fp:42}:");
    EXPECT_EQ(shape->tail, ":lease:current");
    std::string uuid;
    append_uuid_text(uuid, shape->uuid);
    EXPECT_EQ(uuid, kUuid);
    const std::string flow_key = std::string("ff:flow:{fp:1}:") + kUuid;
    const auto flow = KeyShape::of(flow_key);
    ASSERT_TRUE(flow.has_value());
    EXPECT_EQ(flow->place, "{fp:1}:");
    EXPECT_EQ(flow->tail, "");
}

TEST(KeyShape, LeavesOtherKeysAlone) {
    for (const char* key : {"", "{", "{}", "{}:", "plain", "ff:idx:{fp:1}:lane:default:eligible",
                            "ff:exec:{fp:1}11111111-2222-4333-8444-555555555555",
                            "ff:exec:{fp:1}:{fp:1}:11111111-2222-4333-8444-55555555555",
                            "ff:exec:{fp:1}:{fp:1}:11111111-2222-4333-8444-55555555555G",
                            "ff:exec:{fp:1}:{fp:1}:AAAAAAAA-2222-4333-8444-555555555555",
                            "ff:exec:{fp:1}:{fp:1:11111111-2222-4333-8444-555555555555",
                            "ff:exec:{fp:1}:{fp:1}:{fp:1}:11111111-2222-4333-8444-555555555555"}) {
        EXPECT_FALSE(KeyShape::of(key).has_value()) << key;
    }
}

TEST(KeyTable, KeepsKeysOfOneBodyApart) {
    KeyTable table;
    const std::string body = std::string("{fp:1}:{fp:1}:") + kUuid;
    table.create("ff:exec:" + body + ":core", text("1"));
    table.create("ff:attempt:" + body + ":core", text("2"));
    table.create("ff:exec:" + body, text("3"));
    table.create(body, text("4"));
    EXPECT_EQ(text_of(table.find("ff:exec:" + body + ":core")), "1");
    EXPECT_EQ(text_of(table.find("ff:attempt:" + body + ":core")), "2");
    EXPECT_EQ(text_of(table.find("ff:exec:" + body)), "3");
    EXPECT_EQ(text_of(table.find(body)), "4");
    EXPECT_EQ(table.find("ff:exec:" + body + ":cor"), nullptr);
    EXPECT_EQ(table.find("ff:exec:" + body + ":core:"), nullptr);
    table.erase("ff:exec:" + body + ":core");
    EXPECT_EQ(table.find("ff:exec:" + body + ":core"), nullptr);
    EXPECT_EQ(text_of(table.find("ff:attempt:" + body + ":core")), "2");
    EXPECT_EQ(table.size(), 3U);
}

/// Many more spellings than the table may intern: the rest must work all the same.
TEST(KeyTable, SurvivesMoreSpellingsThanItInterns) {
    KeyTable table;
    const auto key = [](int i) {
        return "ff:sigdedup:{fp:1}:" + std::string(kUuid) + ":" + std::to_string(i);
    };
    for (int i = 0; i < 10'000; ++i) table.create(key(i), text(std::to_string(i)));
    for (int i = 0; i < 10'000; ++i) {
        const Entry* entry = table.find(key(i));
        ASSERT_NE(entry, nullptr) << i;
        EXPECT_EQ(text_of(entry), std::to_string(i));
    }
    for (int i = 0; i < 10'000; i += 2) table.erase(key(i));
    for (int i = 0; i < 10'000; ++i) EXPECT_EQ(table.find(key(i)) == nullptr, i % 2 == 0);
}

TEST(KeyTable, AgreesWithAModelAndAWalkMeetsWhatStays) {
    SeededRandom random(11);
    KeyTable table;
    std::map<std::string, std::string> model;
    std::set<std::string> stays;
    const auto some_key = [&random] {
        std::string uuid = kUuid;
        uuid[0] = "0123456789abcdef"[random.below(16)];
        uuid[1] = "0123456789abcdef"[random.below(16)];
        const auto n = std::to_string(random.below(6));
        return random.below(4) == 0 ? "plain" + std::to_string(random.below(500))
                                    : "ff:exec:{fp:" + n + "}:" + uuid + ":" + n;
    };
    const auto change = [&] {
        const std::string key = some_key();
        const std::string value = std::to_string(random.below(1000));
        Entry* entry = table.find(key);
        ASSERT_EQ(entry != nullptr, model.contains(key)) << key;
        if (entry == nullptr) {
            table.create(key, text(value));
            model[key] = value;
        } else if (random.below(2) == 0) {
            table.erase(key);
            model.erase(key);
            stays.erase(key);
        } else {
            EXPECT_EQ(text_of(entry), model[key]);
        }
    };
    for (int i = 0; i < 20'000; ++i) change();
    EXPECT_EQ(table.size(), model.size());
    for (const auto& [key, value] : model) stays.insert(key);
    std::set<std::string> met;
    KeyTable::Cursor cursor = table.begin_walk();
    const auto visit = [&met](std::string_view key, Entry&) { met.emplace(key); };
    while (table.walk_row(cursor, visit)) {
        for (int i = 0; i < 3; ++i) change();
    }
    for (const std::string& key : stays) EXPECT_TRUE(met.contains(key)) << key;
}

}  // namespace
}  // namespace ff::keyspace
