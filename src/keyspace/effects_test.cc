#include "keyspace/effects.h"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "base/random.h"
#include "keyspace/keyspace_fixture.h"
#include "keyspace/random_commands.h"
#include "keyspace/snapshot_pieces.h"

namespace ff::keyspace {
namespace {

using Content = std::map<std::string, std::string>;

/// A shell whose effects are handed on as the journal would: one record per command.
class Recorded {
  public:
    explicit Recorded(std::uint64_t seed) : commands_(seed) {}

    void step() {
        shell.now += std::chrono::milliseconds(1);
        shell.run(commands_.next());
        take();
    }
    void take() {
        if (shell.keyspace.effects().empty()) return;
        records.emplace_back(shell.keyspace.effects());
        shell.keyspace.clear_effects();
    }
    Content content() { return content_of(shell.keyspace); }

    Shell shell;
    std::vector<std::string> records;

  private:
    RandomCommands commands_;
};

void apply_all(Keyspace& keyspace, const std::vector<std::string>& records) {
    for (const std::string& record : records) {
        const auto applied = keyspace.apply(record);
        ASSERT_TRUE(applied.has_value());
    }
}

TEST(Effects, RebuildTheKeyspaceFromNothing) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Recorded recorded(seed);
        for (int i = 0; i < 2000; ++i) recorded.step();
        Keyspace rebuilt;
        apply_all(rebuilt, recorded.records);
        EXPECT_EQ(content_of(rebuilt), recorded.content()) << "seed " << seed;
        EXPECT_EQ(rebuilt.next_expiry(), recorded.shell.keyspace.next_expiry());
        EXPECT_EQ(rebuilt.key_count(), recorded.shell.keyspace.key_count());
        EXPECT_TRUE(rebuilt.effects().empty()) << "replay logs nothing";
    }
}

TEST(Effects, MayBeJoined) {
    Recorded recorded(77);
    std::string joined;
    for (int i = 0; i < 2000; ++i) recorded.step();
    for (const std::string& record : recorded.records) joined += record;
    Keyspace rebuilt;
    ASSERT_TRUE(rebuilt.apply(joined).has_value());
    EXPECT_EQ(content_of(rebuilt), recorded.content());
}

TEST(Effects, IncludeTheDeletionOfWhatExpired) {
    Recorded recorded(1);
    Shell& shell = recorded.shell;
    for (const char* key : {"read", "written", "collected"}) {
        shell("HSET", key, "f", "v");
        shell("PEXPIRE", key, "10");
    }
    recorded.take();
    shell.now += std::chrono::milliseconds(10);
    EXPECT_EQ(shell("HGETALL", "read"), "[]");
    EXPECT_TRUE(shell.keyspace.effects().empty()) << "a read writes nothing";
    shell("HSET", "written", "g", "w");
    recorded.take();
    EXPECT_EQ(shell.keyspace.expire_due(shell.now, 10), 2U);
    recorded.take();
    Keyspace rebuilt;
    apply_all(rebuilt, recorded.records);
    EXPECT_EQ(content_of(rebuilt), (Content{{"written", "#5 \"g\"=\"w\""}}));
}

TEST(Effects, ShareTheSpellingOfKeysOfOneExecution) {
    Shell shell;
    const std::string body = "{fp:1}:{fp:1}:11111111-2222-4333-8444-555555555555";
    shell("HSET", "ff:exec:" + body + ":core", "f", "v");
    const std::size_t first = shell.keyspace.effects().size();
    shell("HSET", "ff:attempt:" + body + ":0", "f", "v");
    shell("HSET", "ff:attempt:" + body + ":0", "f", "w");
    EXPECT_LT(shell.keyspace.effects().size(), first + 30);
    Keyspace rebuilt;
    ASSERT_TRUE(rebuilt.apply(shell.keyspace.effects()).has_value());
    EXPECT_EQ(content_of(rebuilt), content_of(shell.keyspace));
}

TEST(Snapshot, HoldsTheContentAtItsBeginningWhileWritesGoOn) {
    for (std::uint64_t seed = 100; seed < 120; ++seed) {
        Recorded recorded(seed);
        for (int i = 0; i < 1500; ++i) recorded.step();
        const Content before = recorded.content();
        recorded.records.clear();
        ByteBuffer snapshot;
        recorded.shell.keyspace.begin_snapshot();
        while (!recorded.shell.keyspace.snapshot_step(200, snapshot)) {
            for (int i = 0; i < 10; ++i) recorded.step();
        }
        EXPECT_EQ(content_of_snapshot(snapshot.view()), before) << "seed " << seed;
        for (int i = 0; i < 300; ++i) recorded.step();
        Keyspace rebuilt;
        ASSERT_TRUE(rebuilt.apply(snapshot.view()).has_value());
        apply_all(rebuilt, recorded.records);
        EXPECT_EQ(content_of(rebuilt), recorded.content()) << "seed " << seed;
    }
}

TEST(Snapshot, KeepsWhatIsDeletedOrExpiredMeanwhile) {
    Shell shell;
    for (int i = 0; i < 100; ++i) {
        shell("SET", "k" + std::to_string(i), "v", "PX", std::to_string(50 + i % 2 * 1000));
    }
    const Content before = content_of(shell.keyspace);
    ByteBuffer snapshot;
    shell.keyspace.begin_snapshot();
    shell.keyspace.snapshot_step(50, snapshot);
    shell.now += std::chrono::milliseconds(60);
    EXPECT_EQ(shell.keyspace.expire_due(shell.now, 1000), 50U);
    for (int i = 1; i < 100; i += 2) EXPECT_EQ(shell("DEL", "k" + std::to_string(i)), "1");
    while (!shell.keyspace.snapshot_step(50, snapshot)) {
    }
    EXPECT_EQ(content_of_snapshot(snapshot.view()), before);
    EXPECT_EQ(shell.keyspace.key_count(), 0U);
}

TEST(Snapshot, SpreadsALargeKeyOverManySteps) {
    Shell shell;
    for (int i = 0; i < 30'000; ++i) {
        const std::string member = "a-member-of-some-length-" + std::to_string(i);
        shell("ZADD", "z", std::to_string(i), member);
        shell("SADD", "s", member);
    }
    shell.keyspace.clear_effects();
    constexpr std::size_t kBudget = 100'000;
    Keyspace rebuilt;
    std::size_t steps = 0;
    bool complete = false;
    shell.keyspace.begin_snapshot();
    shell("ZREM", "z", "a-member-of-some-length-7");
    const std::string later(shell.keyspace.effects());
    for (; !complete; ++steps) {
        ByteBuffer chunk;
        complete = shell.keyspace.snapshot_step(kBudget, chunk);
        EXPECT_LT(chunk.size(), kBudget + SnapshotPieces::kPieceBytes + 10'000);
        ASSERT_TRUE(rebuilt.apply(chunk.view()).has_value()) << "every step stands alone";
    }
    EXPECT_GT(steps, 5U);
    ASSERT_TRUE(rebuilt.apply(later).has_value());
    EXPECT_EQ(content_of(rebuilt), content_of(shell.keyspace));
}

TEST(Snapshot, AStepIsBoundedAlsoWithALargeBudget) {
    Shell shell;
    for (int i = 0; i < 5000; ++i) shell("SET", "k" + std::to_string(i), std::string(1000, 'v'));
    constexpr std::size_t kBudget = std::size_t{1} << 20U;
    std::size_t steps = 0;
    bool complete = false;
    shell.keyspace.begin_snapshot();
    for (; !complete; ++steps) {
        ByteBuffer chunk;
        complete = shell.keyspace.snapshot_step(kBudget, chunk);
        EXPECT_LT(chunk.size(), kBudget + SnapshotPieces::kPieceBytes + 10'000);
    }
    EXPECT_GE(steps, 4U);
}

TEST(Snapshot, CanBeAbortedAndBegunAgain) {
    Shell shell;
    for (int i = 0; i < 100; ++i) shell("SET", "k" + std::to_string(i), "v");
    ByteBuffer partial;
    shell.keyspace.begin_snapshot();
    EXPECT_FALSE(shell.keyspace.snapshot_step(50, partial));
    shell("SET", "k1", "w");
    shell.keyspace.abort_snapshot();
    const Content whole = content_of(shell.keyspace);
    EXPECT_EQ(whole.size(), 100U);
    EXPECT_EQ(whole.at("k1"), "#4 \"w\"");
}

TEST(Corruption, IsToldAndNeverFollowed) {
    const auto refused = [](std::string_view effects) {
        Keyspace keyspace;
        const auto applied = keyspace.apply(effects);
        return !applied.has_value() && applied.error().code == "corruption";
    };
    EXPECT_FALSE(refused(""));
    EXPECT_TRUE(refused(std::string(1, '\0')));
    EXPECT_TRUE(refused("\x3f\x01k"));
    EXPECT_TRUE(refused("\xc4\x01k\x01v")) << "no such spelling of a key";
    EXPECT_TRUE(refused("\x04\x05k")) << "a key longer than what is there";
    EXPECT_TRUE(refused("\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f")) << "a length of 2^70";
    EXPECT_TRUE(refused("\x01\x01k")) << "deletes what is not there";
    EXPECT_TRUE(refused(std::string_view("\x07\x01k\0", 4))) << "adds nothing";
    EXPECT_TRUE(refused("\x07\x01k\x7f\x01m")) << "fewer members than told";
    EXPECT_TRUE(refused("\x04\x01k\x01v\x07\x01k\x01\x01m")) << "another type";
    EXPECT_TRUE(refused("\x10\x01k\x01k")) << "copies a key to itself";
    EXPECT_TRUE(
        refused(std::string_view("\x0d\x01k\0\0\x02\x01"
                                 "f\x01v",
                                 10)))
        << "an entry with the id 0-0";
}

/// Flips, cuts and joins bytes of real effects: an answer must come, and no crash.
TEST(Corruption, DamagedEffectsNeverCrash) {
    SeededRandom random(3);
    Recorded recorded(9);
    for (int i = 0; i < 3000; ++i) recorded.step();
    std::string whole;
    for (const std::string& record : recorded.records) whole += record;
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
        std::string damaged = whole.substr(random.below(whole.size()), 4000);
        if (round % 2 == 0) damaged = whole.substr(0, 20'000);
        for (std::uint64_t flips = 1 + random.below(8); flips > 0; --flips) {
            damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
        }
        Keyspace keyspace;
        if (!keyspace.apply(damaged).has_value()) ++refused;
        content_of(keyspace);
    }
    EXPECT_GT(refused, 100);
}

TEST(Effects, LongBytesThatStayAreLent) {
    Shell shell;
    ByteBuffer buffer;
    LentPieces lent;
    const std::string stays(4096, 's');
    const std::string other(4096, 'o');
    // A shell copies its arguments.
    const auto set = [&shell](std::string_view key, std::string_view value) {
        const std::string_view argv[] = {"SET", key, value};
        LineSink shown(false);
        shell.keyspace.execute(*find_command("SET"), argv, shell.now, shown);
    };
    shell.keyspace.write_effects_to(&buffer, &lent);
    shell.keyspace.set_staying(stays);
    set("a", stays);
    set("b", other);
    set("c", std::string_view(stays).substr(0, 4000));
    set("d", stays);
    shell.keyspace.set_staying({});
    set("e", stays);
    EXPECT_EQ(lent.bytes(), 2 * stays.size()) << "of a and d";
    ByteBuffer joined;
    lent.append_joined(buffer.view(), joined);
    EXPECT_EQ(joined.size(), buffer.size() + lent.bytes());
    Keyspace replayed;
    ASSERT_TRUE(replayed.apply(joined.view()).has_value());
    EXPECT_EQ(content_of(replayed), content_of(shell.keyspace));
}

TEST(Effects, AreWrittenWhereTheCallerWantsThem) {
    Shell shell;
    shell("HSET", "h", "own", "1");
    ByteBuffer buffer;
    buffer.append("head");
    shell.keyspace.write_effects_to(&buffer);
    EXPECT_TRUE(shell.keyspace.effects().empty());
    shell("HSET", "h", "field", "2");
    shell("HSET", "h", "field", "3");
    const std::string first(shell.keyspace.effects());
    EXPECT_EQ(buffer.view(), "head" + first);
    shell.keyspace.clear_effects();
    EXPECT_TRUE(shell.keyspace.effects().empty());
    EXPECT_EQ(buffer.view(), "head" + first) << "clearing leaves them there";
    shell("HSET", "h", "field", "4");
    const std::string second(shell.keyspace.effects());
    EXPECT_EQ(buffer.view(), "head" + first + second);
    shell.keyspace.write_effects_to(nullptr);
    shell("HSET", "h", "field", "5");
    EXPECT_EQ(buffer.size(), 4 + first.size() + second.size());

    // Each of them stands alone, also one that goes on with the key of the one before.
    Shell replayed;
    ASSERT_TRUE(replayed.keyspace.apply(second));
    EXPECT_EQ(replayed("HGETALL", "h"), "[\"field\" \"4\"]");
    ASSERT_TRUE(replayed.keyspace.apply(first));
    ASSERT_TRUE(replayed.keyspace.apply(shell.keyspace.effects()));
    EXPECT_EQ(replayed("HGETALL", "h"), "[\"field\" \"5\"]");
}

TEST(Memory, IsGivenBack) {
    Shell shell;
    shell("SET", "warm", "up");
    shell("DEL", "warm");
    for (int i = 0; i < 1000; ++i) {
        const std::string name = "k" + std::to_string(i);
        shell("HSET", "h" + name, "field", std::string(100, 'v'));
        shell("ZADD", "z", std::to_string(i), name);
        shell("XADD", "x", "MAXLEN", "10", "*", "f", std::string(100, 'v'));
        shell("SET", name, "v", "PX", "5");
    }
    const std::size_t full = shell.keyspace.memory_bytes();
    EXPECT_GT(full, 200'000U);
    shell.keyspace.expire_due(shell.now + std::chrono::milliseconds(10), 10'000);
    for (int i = 0; i < 1000; ++i) shell("DEL", "hk" + std::to_string(i));
    shell("DEL", "z", "x");
    EXPECT_EQ(shell.keyspace.key_count(), 0U);
    EXPECT_LT(shell.keyspace.memory_bytes(), full / 2) << "tables keep their capacity, values go";
}

void fill(Shell& shell, int keys) {
    for (int i = 0; i < keys; ++i) {
        const std::string name = std::to_string(i);
        shell("HSET", "h" + name, "field", std::string(100, 'v'), "other", name);
        shell("SET", "s" + name, std::string(4096, 's'));
        shell("ZADD", "z", name, "member of the set " + name);
    }
}

TEST(Memory, OfOneKeyspaceIsApartFromThatOfAnother) {
    Shell one;
    Shell other;
    for (int i = 0; i < 3; ++i) {
        fill(one, 200);
        fill(other, 300);
        EXPECT_NE(content_of(one.keyspace), content_of(other.keyspace));
    }
    const auto content = content_of(one.keyspace);
    other.keyspace = Keyspace();
    EXPECT_EQ(content_of(one.keyspace), content);
    other.keyspace = std::move(one.keyspace);
    EXPECT_EQ(content_of(other.keyspace), content);
    fill(other, 400);
}

TEST(Memory, IsFilledByOneThreadAndLeftToAnother) {
    Shell source;
    fill(source, 500);
    const std::string snapshot = snapshot_of(source.keyspace);
    auto shell = std::make_unique<Shell>();
    std::thread([&] { EXPECT_TRUE(shell->keyspace.apply(snapshot)); }).join();
    for (int i = 0; i < 250; ++i) shell->run({"DEL", "h" + std::to_string(i)});
    EXPECT_EQ(shell->run({"HGET", "h300", "other"}), "\"300\"");
    std::thread([&] { shell.reset(); }).join();
}

}  // namespace
}  // namespace ff::keyspace
