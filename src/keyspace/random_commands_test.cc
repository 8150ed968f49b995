#include "keyspace/random_commands.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "keyspace/keyspace_fixture.h"

namespace ff::keyspace {
namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::string RandomCommands::key(Kind kind) {
    static const std::vector<std::string> kUuids = {"11111111-2222-4333-8444-555555555555",
                                                    "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
                                                    "AAAAAAAA-bbbb-4ccc-8ddd-eeeeeeeeeeee"};
    if (chance(40)) kind = static_cast<Kind>(below(6));
    const std::string letter(1, "shelzx"[static_cast<std::size_t>(kind)]);
    switch (below(5)) {
        case 0:
            return letter + std::to_string(below(4)) + "{t}";
        case 1:
            return "ff:idx:{t}:lane:" + letter + ":eligible";
        case 2:
            return "ff:wp:{t}:" + pick(kUuids) + ":" + letter;
        default:
            return pick({"ff:exec:{t}:{t}:", "ff:attempt:{t}:{t}:"}) + pick(kUuids) + ":" + letter;
    }
}

std::string RandomCommands::field() {
    if (chance(30)) return std::string(40, static_cast<char>('a' + below(3)));
    return "field" + std::to_string(below(chance(4) ? 300 : 12));
}

std::string RandomCommands::member() {
    if (chance(3)) return "m" + std::to_string(below(10));
    return "{t}:member-of-some-length-" + std::to_string(below(400));
}

std::string RandomCommands::value() {
    switch (below(6)) {
        case 0:
            return std::to_string(below(1000));
        case 1:
            return std::string(below(100), 'v');
        case 2:
            return std::string("\0\r\n\xff", 4);
        case 3:
            return pick({"", "9223372036854775807", "-9223372036854775808", "1.5", "007", "-0"});
        default:
            return "value" + std::to_string(below(100));
    }
}

std::string RandomCommands::integer() {
    if (chance(12)) return pick({"", "x", "1.5", "+1", " 1", "01", "-0", "9223372036854775808"});
    if (chance(12)) return pick({"9223372036854775807", "-9223372036854775808"});
    return std::to_string(static_cast<std::int64_t>(below(40)) - 15);
}

std::string RandomCommands::duration() {
    if (chance(4)) {
        return pick({"", "x", "1.5", "+1", "-0", "0", "-5", "9223372036854775807",
                     "-9223372036854775808", "9223372036854775808"});
    }
    return pick({"99999999999", "88888888888888"});
}

std::string RandomCommands::rank() {
    if (chance(25)) return integer();
    return std::to_string(static_cast<std::int64_t>(below(60)) - 25);
}

/// No -0: Valkey prints it one way from a small set and another from a large one.
std::string RandomCommands::score() {
    if (chance(25)) {
        return pick({"nan", "", " 1", "1 ", "x", "1e400", "1e-400", "0x10", "+5", "infinity",
                     "-INF", "1e3", ".5", "5.", "0x", "1e"});
    }
    if (chance(6)) return pick({"inf", "-inf", "-8998300000000000", "1700000000123", "1e20"});
    const std::string whole = std::to_string(static_cast<std::int64_t>(below(60)) - 20);
    return chance(3) ? whole + pick({".5", ".25", ".1"}) : whole;
}

std::string RandomCommands::bound() {
    const std::string text = chance(4) ? pick({"-inf", "+inf"}) : score();
    return chance(4) ? "(" + text : text;
}

std::string RandomCommands::stream_id() {
    if (chance(20)) {
        return pick({"0-0", "x", "1-x", "-", "+", "", "1-2-3", "-5", "18446744073709551616", "07"});
    }
    if (chance(400)) return "18446744073709551615-18446744073709551615";
    if (chance(10)) return known_ms() + "-" + std::to_string(below(3));
    stream_ms_ += below(3);
    const std::string ms = std::to_string(stream_ms_);
    return chance(8) ? ms : ms + "-" + std::to_string(below(5));
}

std::string RandomCommands::known_ms() {
    const std::uint64_t span = stream_ms_ - kFirstStreamMs + 10;
    return std::to_string(stream_ms_ + 5 -
                          below(chance(3) ? span : std::min<std::uint64_t>(span, 200)));
}

std::string RandomCommands::range_id() {
    if (chance(4)) return pick({"-", "+"});
    std::string id = known_ms();
    if (chance(2)) id += "-" + std::to_string(below(4));
    if (chance(15)) {
        id = pick({"0-0", "x", "18446744073709551615-18446744073709551615", "", "-", "+", "5-"});
    }
    return chance(4) ? "(" + id : id;
}

std::vector<std::string> RandomCommands::some(std::string (RandomCommands::*make)(),
                                              std::uint64_t most) {
    std::vector<std::string> all;
    for (std::uint64_t left = 1 + below(chance(30) ? most * 20 : most); left > 0; --left) {
        all.push_back((this->*make)());
    }
    return all;
}

RandomCommands::Command RandomCommands::key_command() {
    static const std::vector<std::string> kTimes = {
        "32503680000000", "32503680000001", "1000", "0", "-1", "9223372036854775807"};
    switch (below(8)) {
        case 0:
            return {"EXISTS", any_key()};
        case 1: {
            Command command = {"DEL"};
            append(command, some(&RandomCommands::any_key, 2));
            return command;
        }
        case 2:
            return {"PERSIST", any_key()};
        case 3:
            return {"COPY", any_key(), any_key(), pick({"REPLACE", "replace"})};
        case 4:
            return {"PEXPIRE", any_key(), duration()};
        case 5:
            return {"TIME"};
        default:
            return {"PEXPIREAT", any_key(), chance(5) ? integer() : pick(kTimes)};
    }
}

RandomCommands::Command RandomCommands::string_command() {
    const std::string name = key(Kind::String);
    switch (below(8)) {
        case 0:
            return {"GET", name};
        case 1:
            return {"STRLEN", name};
        case 2:
            return {"INCR", name};
        case 3:
            return {"DECR", name};
        default:
            break;
    }
    Command command = {"SET", name, chance(2) ? value() : std::to_string(below(50))};
    if (chance(3)) {
        append(command, {"PX", duration()});
    }
    if (chance(3)) command.insert(command.begin() + 3, pick({"NX", "nx"}));
    return command;
}

RandomCommands::Command RandomCommands::hash_command() {
    const std::string name = key(Kind::Hash);
    switch (below(12)) {
        case 0:
            return {"HGET", name, field()};
        case 1: {
            Command command = {"HMGET", name};
            append(command, some(&RandomCommands::field, 4));
            return command;
        }
        case 2:
            return {"HGETALL", name};
        case 3:
            return {"HKEYS", name};
        case 4:
            return {"HLEN", name};
        case 5:
            return {"HEXISTS", name, field()};
        case 6:
            return {"HSETNX", name, field(), value()};
        case 7:
            return {"HINCRBY", name, field(), integer()};
        case 8: {
            Command command = {"HDEL", name};
            append(command, some(&RandomCommands::field, 4));
            return command;
        }
        default:
            break;
    }
    Command command = {"HSET", name};
    for (const std::string& text : some(&RandomCommands::field, 5)) {
        append(command, {text, chance(3) ? std::to_string(below(50)) : value()});
    }
    return command;
}

RandomCommands::Command RandomCommands::set_command() {
    const std::string name = key(Kind::Set);
    switch (below(8)) {
        case 0:
            return {"SISMEMBER", name, member()};
        case 1:
            return {"SMEMBERS", name};
        case 2:
            return {"SCARD", name};
        case 3:
            return {"SSCAN", name, chance(15) ? pick({"x", "", "-1"}) : "0", "COUNT",
                    chance(15) ? pick({"0", "x", "-1"}) : "100000"};
        case 4:
        case 5: {
            Command command = {"SREM", name};
            append(command, some(&RandomCommands::member, 4));
            return command;
        }
        default: {
            Command command = {"SADD", name};
            append(command, some(&RandomCommands::member, 5));
            return command;
        }
    }
}

RandomCommands::Command RandomCommands::list_command() {
    if (chance(2)) return {"LRANGE", key(Kind::List), rank(), rank()};
    Command command = {"RPUSH", key(Kind::List)};
    append(command, some(&RandomCommands::value, 3));
    return command;
}

RandomCommands::Command RandomCommands::sorted_command() {
    const std::string name = key(Kind::Sorted);
    switch (below(8)) {
        case 0:
            return {"ZSCORE", name, member()};
        case 1:
            return {"ZCARD", name};
        case 2:
            return chance(8) ? Command{"ZREMRANGEBYSCORE", name, bound(), bound()}
                             : Command{"ZREMRANGEBYSCORE", name, "5", "8"};
        case 3: {
            Command command = {"ZREM", name};
            append(command, some(&RandomCommands::member, 4));
            return command;
        }
        default:
            break;
    }
    Command command = {"ZADD", name};
    for (const std::string& text : some(&RandomCommands::member, 4))
        append(command, {score(), text});
    return command;
}

RandomCommands::Command RandomCommands::sorted_range_command() {
    const std::string name = key(Kind::Sorted);
    Command command;
    switch (below(5)) {
        case 0:
            return {"ZCOUNT", name, bound(), bound()};
        case 1:
            command = {"ZRANGE", name, rank(), rank()};
            break;
        case 2:
            command = {"ZREVRANGE", name, rank(), rank()};
            break;
        case 3:
            command = {"ZRANGE", name, bound(), bound(), "BYSCORE"};
            break;
        default:
            command = {"ZRANGEBYSCORE", name, bound(), bound()};
    }
    if (chance(2)) command.push_back(pick({"WITHSCORES", "withscores"}));
    if (chance(command[0] == "ZRANGEBYSCORE" || command.size() > 4 ? 2 : 20)) {
        // No offset below 0: Valkey finds nothing in a small set, and counts from the end of a
        // large.
        const std::string offset = chance(25) ? pick({"", "x", "1.5"}) : std::to_string(below(40));
        append(command, {"LIMIT", offset, rank()});
    }
    return command;
}

RandomCommands::Command RandomCommands::stream_command() {
    const std::string name = key(Kind::Stream);
    Command command = {chance(5) ? "XTRIM" : "XADD", name};
    if (command[0] == "XTRIM" || chance(4)) {
        command.push_back(pick({"MAXLEN", "maxlen"}));
        if (!chance(3)) command.push_back(pick({"~", "="}));
        command.push_back(chance(20) ? integer() : std::to_string(below(chance(3) ? 20 : 400)));
    }
    if (command[0] == "XTRIM") return command;
    command.push_back(chance(6) ? "*" : stream_id());
    for (const std::string& text : some(&RandomCommands::value, 3)) append(command, {"f", text});
    if (chance(25)) command.pop_back();
    return command;
}

RandomCommands::Command RandomCommands::stream_read_command() {
    const std::string name = key(Kind::Stream);
    Command command;
    switch (below(4)) {
        case 0:
            return {"XLEN", name};
        case 1:
            command = {"XRANGE", name, range_id(), range_id()};
            break;
        case 2:
            command = {"XREVRANGE", name, range_id(), range_id()};
            break;
        default: {
            command = {"XREAD"};
            if (chance(2)) append(command, {"COUNT", integer()});
            const std::uint64_t streams = 1 + below(2);
            command.push_back(pick({"STREAMS", "streams"}));
            for (std::uint64_t i = 0; i < streams; ++i) command.push_back(key(Kind::Stream));
            for (std::uint64_t i = 0; i < streams; ++i) {
                command.push_back(chance(8) ? pick({"$", "x", "0-0", "-"}) : known_ms());
            }
            if (chance(30)) command.pop_back();
            return command;
        }
    }
    if (chance(2)) append(command, {"COUNT", chance(4) ? integer() : std::to_string(below(30))});
    return command;
}

/// A good command with something cut off, doubled or unknown at its end.
RandomCommands::Command RandomCommands::malformed_command() {
    Command command;
    switch (below(6)) {
        case 0:
            command = string_command();
            break;
        case 1:
            command = hash_command();
            break;
        case 2:
            command = sorted_range_command();
            break;
        case 3:
            command = stream_command();
            break;
        case 4:
            command = stream_read_command();
            break;
        default:
            command = sorted_command();
    }
    if (chance(2) && command.size() > 1) {
        command.pop_back();
    } else {
        command.push_back(pick({"nonsense", "", "LIMIT", "COUNT", "WITHSCORES", "PX", "MAXLEN"}));
    }
    return command;
}

RandomCommands::Command RandomCommands::next() {
    switch (below(32)) {
        case 0:
        case 1:
            return key_command();
        case 2:
        case 3:
        case 4:
            return string_command();
        case 5:
            return malformed_command();
        case 6:
        case 7:
            return list_command();
        default:
            break;
    }
    switch (below(6)) {
        case 0:
            return hash_command();
        case 1:
            return set_command();
        case 2:
            return sorted_range_command();
        case 3:
            return stream_command();
        case 4:
            return stream_read_command();
        default:
            return sorted_command();
    }
}

namespace {

TEST(RandomCommands, TheSameSeedGivesTheSameSequenceAndEveryCommandOccurs) {
    RandomCommands one(5);
    RandomCommands other(5);
    std::set<std::string> names;
    for (int i = 0; i < 20'000; ++i) {
        const auto command = one.next();
        ASSERT_EQ(command, other.next());
        names.insert(command[0]);
    }
    EXPECT_EQ(names.size(), all_commands().size());
}

}  // namespace
}  // namespace ff::keyspace
