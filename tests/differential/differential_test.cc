#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "differential/reply_tree.h"
#include "keyspace/expiry_index.h"
#include "keyspace/keyspace.h"
#include "keyspace/keyspace_fixture.h"
#include "keyspace/random_commands.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

using Command = std::vector<std::string>;

constexpr std::size_t kBatch = 500;
constexpr std::uint64_t kQuickCommands = 50'000;
constexpr std::uint64_t kSoakCommands = 1'000'000;
constexpr std::uint64_t kDefaultSeed = 20'240'601;
/// After so many commands the keyspaces are compared whole and emptied: long lists and streams
/// would only make the run slower.
constexpr std::uint64_t kRound = 25'000;
/// What PEXPIRE and SET PX count from differs by the time the test takes.
constexpr std::int64_t kClockToleranceMs = 600'000;

bool soaking() {
    return std::getenv("FF_SOAK") != nullptr;
}

std::uint64_t first_seed() {
    const char* given = std::getenv("FF_SEED");
    if (given != nullptr) return parse_u64(given).value();
    return soaking() ? SecureRandom().u64() % 1'000'000'000 : kDefaultSeed;
}

std::string to_line(const Command& command) {
    std::string line;
    for (const std::string& text : command) {
        line += line.empty() ? "" : " ";
        for (const char c : text) {
            if (c >= 0x21 && c < 0x7f && c != '"') {
                line += c;
            } else {
                char code[8];
                std::snprintf(code, sizeof(code), "\\x%02x", static_cast<unsigned char>(c));
                line += code;
            }
        }
        if (text.empty()) line += "\"\"";
    }
    return line;
}

/// Our half of a comparison.
class Embedded {
  public:
    explicit Embedded(bool resp3) : resp3_(resp3), now_(SystemClock().now_us()) {}

    /// Executes the command, and tells whether it is answered as Valkey did.
    bool answers(const Command& command, const RespValue& expected) {
        answer_ = execute(command, time_for(command, expected));
        if (command[0] == "TIME") return answer_.items.size() == expected.items.size();
        return in_order(command, answer_) == in_order(command, expected);
    }
    const RespValue& last_answer() const { return answer_; }

    keyspace::Keyspace& keyspace() { return keyspace_; }
    const std::string& effects() const { return effects_; }

  private:
    /// An id that Valkey chose by its clock: ours must be the same at that time.
    std::chrono::microseconds time_for(const Command& command, const RespValue& expected) const {
        if (command[0] != "XADD" || expected.kind != RespValue::Kind::Bulk) return now_;
        const auto ms = parse_i64(expected.text.substr(0, expected.text.find('-')));
        const std::int64_t now_ms = now_.count() / 1000;
        if (!ms || *ms < now_ms || *ms > now_ms + kClockToleranceMs) return now_;
        return std::chrono::milliseconds(*ms);
    }
    RespValue execute(const Command& command, std::chrono::microseconds now) {
        const auto* spec = keyspace::find_command(command.at(0));
        if (spec == nullptr) return {.kind = RespValue::Kind::Error, .text = "unknown command"};
        const std::vector<std::string_view> argv(command.begin(), command.end());
        ReplyTree tree(resp3_);
        keyspace_.execute(*spec, argv, now, tree);
        effects_ += keyspace_.effects();
        keyspace_.clear_effects();
        return tree.take();
    }

    bool resp3_;
    std::chrono::microseconds now_;
    keyspace::Keyspace keyspace_;
    std::string effects_;
    RespValue answer_;
};

/// One sequence of commands on both stores.
class Duel {
  public:
    Duel(std::uint64_t seed, bool resp3, RespConnection& valkey)
        : seed_(seed), resp3_(resp3), valkey_(valkey), commands_(seed), ours_(resp3) {}

    /// Stops at the first difference, which is reported.
    void run(std::uint64_t count) {
        for (std::uint64_t done = 0; done < count && !::testing::Test::HasFailure();) {
            const std::uint64_t size = std::min<std::uint64_t>(kBatch, count - done);
            std::vector<Command> batch;
            for (std::uint64_t i = 0; i < size; ++i) batch.push_back(commands_.next());
            const auto expected = valkey_.commands(batch);
            for (std::uint64_t i = 0; i < size; ++i) {
                history_.push_back(batch[i]);
                if (!ours_.answers(batch[i], expected[i])) return report(expected[i]);
            }
            done += size;
        }
        compare_whole();
    }

  private:
    /// Whether the answers to the last of these commands differ when they run on empty stores.
    bool differs(const std::vector<Command>& commands) {
        valkey_("FLUSHALL");
        const auto expected = valkey_.commands(commands);
        Embedded fresh(resp3_);
        bool same = true;
        for (std::size_t i = 0; i < commands.size(); ++i) {
            same = fresh.answers(commands[i], expected[i]);
        }
        return !same;
    }

    /// Leaves out ever smaller runs of commands that the difference does not need.
    std::vector<Command> reduced(std::vector<Command> commands) {
        if (!differs(commands)) return commands;
        for (std::size_t size = commands.size() / 2; size > 0; size /= 2) {
            for (std::size_t at = 0; at + size < commands.size();) {
                std::vector<Command> fewer(commands.begin(), offset(commands, at));
                fewer.insert(fewer.end(), offset(commands, at + size), commands.end());
                if (differs(fewer)) {
                    commands = std::move(fewer);
                } else {
                    at += size;
                }
            }
        }
        return commands;
    }
    static std::vector<Command>::iterator offset(std::vector<Command>& commands, std::size_t n) {
        return commands.begin() + static_cast<std::ptrdiff_t>(n);
    }

    void report(const RespValue& expected) {
        const std::string ours = to_string(ours_.last_answer());
        std::string text = where() + ", command " + std::to_string(history_.size()) + ":\n";
        for (const Command& command : reduced(history_)) text += "  " + to_line(command) + "\n";
        ADD_FAILURE() << text << "Valkey: " << to_string(expected) << "\nours:   " << ours;
    }
    std::string where() const {
        return "FF_SEED=" + std::to_string(seed_) + (resp3_ ? " RESP3" : " RESP2");
    }

    static Command read_of(const std::string& key, const std::string& type) {
        if (type == "string") return {"GET", key};
        if (type == "hash") return {"HGETALL", key};
        if (type == "set") return {"SMEMBERS", key};
        if (type == "list") return {"LRANGE", key, "0", "-1"};
        if (type == "zset") return {"ZRANGE", key, "0", "-1", "WITHSCORES"};
        return {"XRANGE", key, "-", "+"};
    }

    /// The expiry that our snapshot has for each key, and -1 for none, as PEXPIRETIME says it.
    std::map<std::string, std::int64_t> our_expiries() {
        std::map<std::string, std::int64_t> expiries;
        for (const auto& [key, text] : keyspace::content_of(ours_.keyspace())) {
            constexpr std::string_view kExpiry = "#2 ";
            const std::string time = text.substr(0, text.find('#', kExpiry.size()));
            expiries[key] =
                time.starts_with(kExpiry) ? parse_i64(time.substr(kExpiry.size())).value() : -1;
        }
        return expiries;
    }

    void compare_whole() {
        if (::testing::Test::HasFailure()) return;
        std::map<std::string, std::string> types;
        ours_.keyspace().for_each_key(
            [&types](std::string_view key, std::string_view type) { types.emplace(key, type); });
        const auto expiries = our_expiries();
        const RespValue keys = valkey_("KEYS", "*");
        ASSERT_EQ(keys.items.size(), types.size()) << where();
        for (const RespValue& item : keys.items) {
            const std::string& key = item.text;
            ASSERT_EQ(valkey_("TYPE", key).text, types[key]) << key << where();
            const Command read = read_of(key, types[key]);
            EXPECT_TRUE(ours_.answers(read, valkey_.command(read))) << key << where();
            const std::int64_t theirs = valkey_("PEXPIRETIME", key).integer;
            const bool never = theirs >= keyspace::ExpiryIndex::kLatestMs;
            EXPECT_TRUE(never ? expiries.at(key) == keyspace::ExpiryIndex::kLatestMs
                              : std::abs(theirs - expiries.at(key)) < kClockToleranceMs)
                << key << where();
        }
        keyspace::Keyspace replayed;
        ASSERT_TRUE(replayed.apply(ours_.effects()).has_value()) << where();
        EXPECT_EQ(keyspace::content_of(replayed), keyspace::content_of(ours_.keyspace()))
            << where();
    }

    std::uint64_t seed_;
    bool resp3_;
    RespConnection& valkey_;
    keyspace::RandomCommands commands_;
    Embedded ours_;
    std::vector<Command> history_;
};

void run_duels(bool resp3) {
    // Blocks of streams are bounded by entries alone, as ours are, so that `~` drops the same.
    auto server = ValkeyServer::start(
        {.arguments = {"--stream-node-max-bytes", "0", "--stream-node-max-entries", "100"}});
    auto valkey = server.connect();
    if (resp3) valkey("HELLO", "3");
    const std::uint64_t total = soaking() ? kSoakCommands : kQuickCommands;
    std::uint64_t seed = first_seed();
    for (std::uint64_t done = 0; done < total && !::testing::Test::HasFailure(); done += kRound) {
        valkey("FLUSHALL");
        Duel(seed++, resp3, valkey).run(kRound);
    }
}

TEST(Ch01, S44_EveryByteValuePassesThroughBothStoresUnchanged) {
    std::string payload;
    for (int i = 0; i < 1 << 20; ++i) payload += static_cast<char>(i * 7 + i / 256);
    auto server = ValkeyServer::start();
    auto valkey = server.connect();
    keyspace::Keyspace embedded;
    const auto ours = [&embedded](const Command& command) {
        const std::vector<std::string_view> argv(command.begin(), command.end());
        ReplyTree tree(false);
        embedded.execute(*keyspace::find_command(command[0]), argv, {}, tree);
        return tree.take();
    };
    const std::vector<Command> writes = {{"SET", "string", payload},
                                         {"HSET", "hash", "f", payload, payload, "v"},
                                         {"XADD", "stream", "1-1", "f", payload},
                                         {"SADD", payload, payload}};
    for (const Command& write : writes) EXPECT_EQ(ours(write), valkey.command(write));
    const std::vector<Command> reads = {{"GET", "string"},
                                        {"HMGET", "hash", "f", payload},
                                        {"XRANGE", "stream", "-", "+"},
                                        {"SMEMBERS", payload}};
    for (const Command& read : reads) EXPECT_TRUE(ours(read) == valkey.command(read)) << read[0];
    EXPECT_TRUE(ours(reads[0]).text == payload);
}

TEST(Differential, AnswersAreThoseOfValkeyInResp2) {
    run_duels(false);
}

TEST(Differential, AnswersAreThoseOfValkeyInResp3) {
    run_duels(true);
}

}  // namespace
}  // namespace ff::testing
