#include "valkey/resend.h"

#include <algorithm>
#include <array>

namespace ff::valkey {
namespace {

constexpr std::array kPlainReads = std::to_array<std::string_view>({
    "EXISTS",    "FCALL_RO", "GET",    "HEXISTS", "HGET",          "HGETALL",   "HKEYS",
    "HLEN",      "HMGET",    "INFO",   "LRANGE",  "PING",          "SCARD",     "SISMEMBER",
    "SMEMBERS",  "SSCAN",    "STRLEN", "TIME",    "XLEN",          "XRANGE",    "XREAD",
    "XREVRANGE", "ZCARD",    "ZCOUNT", "ZRANGE",  "ZRANGEBYSCORE", "ZREVRANGE", "ZSCORE",
});

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace

bool is_plain_read(std::string_view name) {
    return std::ranges::any_of(kPlainReads, [name](std::string_view known) {
        return std::ranges::equal(name, known, {}, upper);
    });
}

}  // namespace ff::valkey
