#include "keyspace/command_table.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "keyspace/commands.h"
#include "keyspace/quick_hash.h"

namespace ff::keyspace {
namespace {

enum class Access : std::uint8_t { Read, Write };
enum class Offer : std::uint8_t { Functions, Outside, Both };

constexpr CommandSpec spec(std::string_view name, int arity, Access access, Offer offer,
                           void (*handler)(Call&)) {
    return {.name = name,
            .arity = arity,
            .write = access == Access::Write,
            .in_functions = offer != Offer::Outside,
            .outside_functions = offer != Offer::Functions,
            .handler = handler};
}

using enum Access;
using enum Offer;

constexpr std::array kCommands = {
    spec("time", 1, Read, Both, run_time),
    spec("exists", -2, Read, Both, run_exists),
    spec("del", -2, Write, Both, run_del),
    spec("persist", 2, Write, Functions, run_persist),
    spec("copy", -3, Write, Functions, run_copy),
    spec("pexpire", -3, Write, Both, run_pexpire),
    spec("pexpireat", -3, Write, Functions, run_pexpireat),

    spec("get", 2, Read, Both, run_get),
    spec("set", -3, Write, Both, run_set),
    spec("strlen", 2, Read, Both, run_strlen),
    spec("incr", 2, Write, Functions, run_incr),
    spec("decr", 2, Write, Functions, run_decr),

    spec("hget", 3, Read, Both, run_hget),
    spec("hmget", -3, Read, Both, run_hmget),
    spec("hgetall", 2, Read, Both, run_hgetall),
    spec("hkeys", 2, Read, Functions, run_hkeys),
    spec("hlen", 2, Read, Functions, run_hlen),
    spec("hexists", 3, Read, Functions, run_hexists),
    spec("hset", -4, Write, Both, run_hset),
    spec("hsetnx", 4, Write, Outside, run_hsetnx),
    spec("hdel", -3, Write, Both, run_hdel),
    spec("hincrby", 4, Write, Functions, run_hincrby),

    spec("sadd", -3, Write, Both, run_sadd),
    spec("srem", -3, Write, Both, run_srem),
    spec("sismember", 3, Read, Both, run_sismember),
    spec("smembers", 2, Read, Both, run_smembers),
    spec("scard", 2, Read, Both, run_scard),
    spec("sscan", -3, Read, Both, run_sscan),

    spec("rpush", -3, Write, Functions, run_rpush),
    spec("lrange", 4, Read, Functions, run_lrange),

    spec("zadd", -4, Write, Both, run_zadd),
    spec("zrem", -3, Write, Both, run_zrem),
    spec("zscore", 3, Read, Both, run_zscore),
    spec("zcard", 2, Read, Both, run_zcard),
    spec("zcount", 4, Read, Both, run_zcount),
    spec("zrange", -4, Read, Both, run_zrange),
    spec("zrevrange", -4, Read, Outside, run_zrevrange),
    spec("zrangebyscore", -4, Read, Both, run_zrangebyscore),
    spec("zremrangebyscore", 4, Write, Functions, run_zremrangebyscore),

    spec("xadd", -5, Write, Both, run_xadd),
    spec("xtrim", -4, Write, Functions, run_xtrim),
    spec("xlen", 2, Read, Both, run_xlen),
    spec("xrange", -4, Read, Both, run_xrange),
    spec("xrevrange", -4, Read, Both, run_xrevrange),
    spec("xread", -4, Read, Outside, run_xread),
};

constexpr std::size_t kNameBytesMax = 16;

static_assert(std::ranges::all_of(kCommands, [](const CommandSpec& command) {
    return command.name.size() <= kNameBytesMax;
}));

/// From the folded name to the command: open addressing, filled once.
class Directory {
  public:
    Directory() {
        for (const CommandSpec& command : kCommands) {
            std::size_t at = home(command.name);
            while (slots_[at] != nullptr) at = (at + 1) % slots_.size();
            slots_[at] = &command;
        }
    }
    const CommandSpec* find(std::string_view folded) const {
        std::size_t at = home(folded);
        while (slots_[at] != nullptr && slots_[at]->name != folded) at = (at + 1) % slots_.size();
        return slots_[at];
    }

  private:
    std::size_t home(std::string_view name) const { return quick_hash32(name) % slots_.size(); }

    std::array<const CommandSpec*, 256> slots_{};
};

}  // namespace

const CommandSpec* find_command(std::string_view name) {
    if (name.size() > kNameBytesMax) return nullptr;
    static const Directory kDirectory;
    char folded[kNameBytesMax];
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        folded[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    }
    return kDirectory.find({folded, name.size()});
}

std::span<const CommandSpec> all_commands() {
    return kCommands;
}

}  // namespace ff::keyspace
