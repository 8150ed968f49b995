#include <array>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "keyspace/keyspace_fixture.h"
#include "keyspace/memory_meter.h"
#include "keyspace/random_commands.h"

namespace ff::keyspace {
namespace {

using Content = std::map<std::string, std::string>;

/// Commands come in calls of random length, some of which are undone. What is kept is handed on as
/// the journal would get it, and each command that is kept is run by a twin that knows no calls.
class Calls {
  public:
    explicit Calls(std::uint64_t seed) : commands_(seed), random_(seed + 1000) {}

    void kept_command() {
        const auto command = next();
        const std::string reply = shell.run(command);
        compare(command, reply);
        take();
    }
    void call(bool keep) {
        shell.keyspace.begin_call();
        std::vector<RandomCommands::Command> done;
        std::vector<std::string> replies;
        for (std::uint64_t left = 1 + random_.below(random_.below(10) == 0 ? 300 : 20); left > 0;
             --left) {
            done.push_back(next());
            replies.push_back(shell.run(done.back()));
        }
        if (!keep) return shell.keyspace.undo_call();
        shell.keyspace.keep_call();
        for (std::size_t i = 0; i < done.size(); ++i) compare(done[i], replies[i]);
        take();
    }
    void take() {
        if (shell.keyspace.effects().empty()) return;
        records.emplace_back(shell.keyspace.effects());
        shell.keyspace.clear_effects();
    }
    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

    Shell shell;
    Shell twin;
    std::vector<std::string> records;

  private:
    /// `*` ids and what expires depend on the time, so it stands still.
    RandomCommands::Command next() { return commands_.next(); }

    void compare(const RandomCommands::Command& command, const std::string& reply) {
        const std::string expected = twin.run(command);
        // Nobody can rely on the order of a hash or a set, and a field that is put back comes last.
        const std::set<std::string> unordered = {"HKEYS", "HGETALL", "SMEMBERS", "SSCAN"};
        if (!unordered.contains(command[0])) EXPECT_EQ(reply, expected);
    }

    RandomCommands commands_;
    SeededRandom random_;
};

TEST(Undo, LeavesTheKeyspaceAsItWas) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Calls calls(seed);
        Keyspace& keyspace = calls.shell.keyspace;
        for (int i = 0; i < 25; ++i) {
            for (int j = 0; j < 30; ++j) calls.kept_command();
            const Content before = content_of(keyspace);
            const std::size_t keys = keyspace.key_count();
            const auto expiry = keyspace.next_expiry();
            calls.call(false);
            ASSERT_EQ(content_of(keyspace), before) << "seed " << seed;
            ASSERT_EQ(keyspace.key_count(), keys);
            ASSERT_EQ(keyspace.next_expiry(), expiry);
            ASSERT_TRUE(keyspace.effects().empty());
            calls.call(true);
        }
        EXPECT_EQ(content_of(keyspace), content_of(calls.twin.keyspace)) << "seed " << seed;
        Keyspace rebuilt;
        for (const std::string& record : calls.records)
            ASSERT_TRUE(rebuilt.apply(record).has_value()) << "seed " << seed;
        EXPECT_EQ(content_of(rebuilt), content_of(keyspace)) << "seed " << seed;
    }
}

TEST(Undo, DoesNotDisturbASnapshotUnderWay) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Calls calls(seed);
        Keyspace& keyspace = calls.shell.keyspace;
        for (int i = 0; i < 600; ++i) calls.kept_command();
        Keyspace rebuilt;
        calls.records.clear();
        keyspace.begin_snapshot();
        for (bool complete = false; !complete;) {
            for (std::uint64_t i = calls.below(3); i > 0; --i) calls.call(calls.below(3) == 0);
            ByteBuffer chunk;
            complete = keyspace.snapshot_step(200, chunk);
            ASSERT_TRUE(rebuilt.apply(chunk.view()).has_value());
        }
        calls.call(false);
        for (const std::string& record : calls.records)
            ASSERT_TRUE(rebuilt.apply(record).has_value()) << "seed " << seed;
        EXPECT_EQ(content_of(rebuilt), content_of(keyspace)) << "seed " << seed;
        EXPECT_EQ(content_of(keyspace), content_of(calls.twin.keyspace)) << "seed " << seed;
    }
}

TEST(Undo, GivesBackTheMemoryOfWhatItTakesBack) {
    const std::int64_t metered = metered_bytes;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Shell shell;
        RandomCommands first(seed);
        for (int i = 0; i < 500; ++i) shell.run(first.next());
        std::vector<RandomCommands::Command> commands;
        for (int i = 0; i < 200; ++i) commands.push_back(first.next());
        std::size_t after_few = 0;
        for (int round = 0; round < 60; ++round) {
            shell.keyspace.begin_call();
            for (const auto& command : commands) shell.run(command);
            shell.keyspace.undo_call();
            if (round == 2) after_few = shell.keyspace.memory_bytes();
        }
        // Arrays keep the room that they have grown to, so the first rounds may take some.
        EXPECT_LE(shell.keyspace.memory_bytes(), after_few + after_few / 50) << "seed " << seed;
    }
    EXPECT_EQ(metered_bytes, metered) << "nothing is left of keyspaces that are gone";
}

TEST(Undo, RestoresWhatHadExpiredAndWasDeletedOnAccess) {
    Shell shell;
    shell("HSET", "k", "f", "v");
    shell("PEXPIRE", "k", "10");
    const Content before = content_of(shell.keyspace);
    shell.keyspace.clear_effects();
    shell.now += std::chrono::milliseconds(20);
    shell.keyspace.begin_call();
    EXPECT_EQ(shell("HSET", "k", "g", "w"), "1");
    shell.keyspace.undo_call();
    EXPECT_EQ(content_of(shell.keyspace), before);
    EXPECT_TRUE(shell.keyspace.effects().empty());
    EXPECT_EQ(shell("EXISTS", "k"), "0") << "it is as due as it was";
    EXPECT_EQ(shell.keyspace.expire_due(shell.now, 10), 1U);
}

TEST(Undo, KeepsTheEffectsFromBeforeTheCallAndTheirSpelling) {
    const std::string body = "{fp:1}:{fp:1}:11111111-2222-4333-8444-555555555555";
    Shell shell;
    shell("HSET", "ff:exec:" + body + ":core", "f", "v");
    const std::string before(shell.keyspace.effects());
    shell.keyspace.begin_call();
    shell("HSET", "other", "f", "v");
    shell("SET", "", "the key without a name");
    shell.keyspace.undo_call();
    EXPECT_EQ(shell.keyspace.effects(), before);
    shell("HSET", "ff:exec:" + body + ":core", "g", "w");
    shell("SET", "", "now it counts");
    Keyspace rebuilt;
    ASSERT_TRUE(rebuilt.apply(shell.keyspace.effects()).has_value());
    EXPECT_EQ(content_of(rebuilt), content_of(shell.keyspace));
}

TEST(Undo, TakesBackWhatWasLentToABuffer) {
    Shell shell;
    ByteBuffer buffer;
    LentPieces lent;
    const std::string payload(5000, 'p');
    const auto set = [&](std::string_view key) {
        const std::array<std::string_view, 3> argv = {"SET", key, payload};
        LineSink sink(false);
        shell.keyspace.set_staying(payload);
        shell.keyspace.execute(*find_command("SET"), argv, shell.now, sink);
        shell.keyspace.set_staying({});
    };
    shell.keyspace.write_effects_to(&buffer, &lent);
    set("kept");
    shell.keyspace.begin_call();
    set("undone");
    EXPECT_EQ(lent.count(), 2U);
    shell.keyspace.undo_call();
    EXPECT_EQ(lent.bytes(), payload.size());
    ByteBuffer joined;
    lent.append_joined(buffer.view(), joined);
    Keyspace rebuilt;
    ASSERT_TRUE(rebuilt.apply(joined.view()).has_value());
    EXPECT_EQ(content_of(rebuilt), content_of(shell.keyspace));
    EXPECT_EQ(rebuilt.key_count(), 1U);
}

TEST(Undo, HidesNothingFromAScanUnderWay) {
    for (const std::size_t size : {10U, 15U, 16U, 17U, 100U}) {
        Shell shell;
        const auto member = [](std::size_t i) { return "member" + std::to_string(i); };
        for (std::size_t i = 0; i < size; ++i) shell("SADD", "s", member(i));
        std::string seen;
        std::string cursor = "0";
        do {
            const std::string page = shell("SSCAN", "s", cursor, "COUNT", "3");
            seen += page;
            cursor = page.substr(2, page.find('"', 2) - 2);
            shell.keyspace.begin_call();
            for (std::size_t i = 0; i < size; i += 2) shell("SREM", "s", member(i));
            for (std::size_t i = 0; i < 20; ++i) shell("SADD", "s", "new" + std::to_string(i));
            for (std::size_t i = 1; i < size; i += 4) shell("SREM", "s", member(i));
            shell.keyspace.undo_call();
        } while (cursor != "0");
        for (std::size_t i = 0; i < size; ++i)
            EXPECT_NE(seen.find('"' + member(i) + '"'), std::string::npos) << size << " " << i;
    }
}

TEST(Undo, TellsOfEntriesOnlyWhenTheCallIsKept) {
    Shell shell;
    std::vector<std::string> told;
    shell.keyspace.set_append_listener([&told](std::string_view key) { told.emplace_back(key); });
    shell.keyspace.begin_call();
    shell("XADD", "x", "1-1", "f", "v");
    shell.keyspace.undo_call();
    EXPECT_TRUE(told.empty());
    shell.keyspace.begin_call();
    shell("XADD", "x", "1-1", "f", "v");
    shell("XADD", "y", "1-1", "f", "v");
    EXPECT_TRUE(told.empty());
    shell.keyspace.keep_call();
    shell("XADD", "z", "1-1", "f", "v");
    EXPECT_EQ(told, (std::vector<std::string>{"x", "y", "z"}));
}

TEST(Undo, PutsTheEntriesOfATrimmedStreamBack) {
    for (const char* keep : {"0", "1", "99", "100", "101", "250"}) {
        Shell shell;
        for (int i = 1; i <= 350; ++i) shell("XADD", "x", std::to_string(i), "f", "v");
        shell("XTRIM", "x", "MAXLEN", "=", "330");
        const Content before = content_of(shell.keyspace);
        shell.keyspace.begin_call();
        shell("XTRIM", "x", "MAXLEN", "=", keep);
        shell("XADD", "x", "MAXLEN", "~", "20", "400", "f", "w");
        shell("XTRIM", "x", "MAXLEN", "=", "0");
        shell("XADD", "x", "500", "f", "w");
        shell.keyspace.undo_call();
        EXPECT_EQ(content_of(shell.keyspace), before) << keep;
        EXPECT_EQ(shell("XADD", "x", "351", "f", "v"), "\"351-0\"") << "the last id is back, too";
        EXPECT_EQ(shell("XLEN", "x"), "331");
    }
}

}  // namespace
}  // namespace ff::keyspace
