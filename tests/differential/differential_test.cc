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

/// One sequence of commands on both stores.
class Duel {
  public:
    Duel(std::uint64_t seed, bool resp3, RespConnection& valkey)
        : seed_(seed), resp3_(resp3), valkey_(valkey), commands_(seed), now_(clock_.now_us()) {}

    /// Stops at the first difference, which is reported.
    void run(std::uint64_t count) {
        for (std::uint64_t done = 0; done < count && !::testing::Test::HasFailure();) {
            const std::uint64_t size = std::min<std::uint64_t>(kBatch, count - done);
            std::vector<Command> batch;
            for (std::uint64_t i = 0; i < size; ++i) batch.push_back(commands_.next());
            const auto expected = valkey_.commands(batch);
            for (std::uint64_t i = 0; i < size; ++i) {
                history_.push_back(batch[i]);
                if (!same(batch[i], expected[i])) return report(batch[i], expected[i]);
            }
            done += size;
        }
        compare_whole();
    }

  private:
    RespValue ours(const Command& command, std::chrono::microseconds now) {
        const auto* spec = keyspace::find_command(command.at(0));
        if (spec == nullptr) return {.kind = RespValue::Kind::Error, .text = "unknown command"};
        const std::vector<std::string_view> argv(command.begin(), command.end());
        ReplyTree tree(resp3_);
        keyspace_.execute(*spec, argv, now, tree);
        effects_ += keyspace_.effects();
        keyspace_.clear_effects();
        return tree.take();
    }

    bool same(const Command& command, const RespValue& expected) {
        std::chrono::microseconds now = now_;
        if (command[0] == "TIME") return ours(command, now).items.size() == expected.items.size();
        // An id that Valkey chose by its clock: ours must be the same at that time.
        if (command[0] == "XADD" && expected.kind == RespValue::Kind::Bulk) {
            const auto ms = parse_i64(expected.text.substr(0, expected.text.find('-')));
            if (ms && *ms >= now_.count() / 1000 && *ms < now_.count() / 1000 + kClockToleranceMs) {
                now = std::chrono::milliseconds(*ms);
            }
        }
        actual_ = ours(command, now);
        return in_order(command, actual_) == in_order(command, expected);
    }

    void report(const Command& command, const RespValue& expected) {
        std::string text = "FF_SEED=" + std::to_string(seed_) + (resp3_ ? " RESP3" : " RESP2") +
                           ", command " + std::to_string(history_.size()) +
                           ". Commands that touch its keys, and itself:\n";
        for (const Command& earlier : history_) {
            const bool related = std::ranges::any_of(earlier, [&command](const std::string& word) {
                return word.size() > 4 && std::ranges::find(command, word) != command.end() &&
                       word.find("{t}") != std::string::npos && !word.starts_with("{t}:member");
            });
            if (related) text += "  " + to_line(earlier) + "\n";
        }
        ADD_FAILURE() << text << "Valkey: " << to_string(expected)
                      << "\nours:   " << to_string(actual_);
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
        for (const auto& [key, text] : keyspace::content_of(keyspace_)) {
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
        keyspace_.for_each_key(
            [&types](std::string_view key, std::string_view type) { types.emplace(key, type); });
        const auto expiries = our_expiries();
        const RespValue keys = valkey_("KEYS", "*");
        ASSERT_EQ(keys.items.size(), types.size()) << "FF_SEED=" << seed_;
        for (const RespValue& item : keys.items) {
            const std::string& key = item.text;
            ASSERT_EQ(valkey_("TYPE", key).text, types[key]) << key << " FF_SEED=" << seed_;
            const Command read = read_of(key, types[key]);
            const RespValue expected = valkey_.command(read);
            EXPECT_TRUE(same(read, expected)) << key << " FF_SEED=" << seed_;
            const std::int64_t theirs = valkey_("PEXPIRETIME", key).integer;
            const std::int64_t difference = theirs / 2 - expiries.at(key) / 2;
            const bool never = theirs > (std::int64_t{1} << 53U);
            EXPECT_TRUE(never ? expiries.at(key) == std::int64_t{1} << 53U
                              : std::abs(difference) < kClockToleranceMs)
                << key << " FF_SEED=" << seed_;
        }
        compare_replayed();
    }

    void compare_replayed() {
        keyspace::Keyspace replayed;
        ASSERT_TRUE(replayed.apply(effects_).has_value()) << "FF_SEED=" << seed_;
        EXPECT_EQ(keyspace::content_of(replayed), keyspace::content_of(keyspace_))
            << "FF_SEED=" << seed_;
    }

    SystemClock clock_;
    std::uint64_t seed_;
    bool resp3_;
    RespConnection& valkey_;
    keyspace::RandomCommands commands_;
    std::chrono::microseconds now_;
    keyspace::Keyspace keyspace_;
    std::string effects_;
    std::vector<Command> history_;
    RespValue actual_;
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
