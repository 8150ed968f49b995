#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/call.h"

namespace ff::scan {

struct ScoredMember {
    std::string member{};
    std::int64_t score = 0;
};

/// Part of a sorted set, by score: `ZRANGEBYSCORE key from to WITHSCORES LIMIT skip count`.
struct RangeRead {
    std::string key{};
    std::string from = "-inf";
    std::string to = "+inf";
    std::size_t skip = 0;
    std::size_t count = 0;

    store::Call call() const;
    /// Scores are whole milliseconds in all time indexes.
    static std::vector<ScoredMember> read(const store::Reply& reply);
};

/// A page of a set: `SSCAN key cursor COUNT count`.
struct SetPage {
    std::vector<std::string> members{};
    /// `0` when there are no more.
    std::string cursor = "0";

    static store::Call call(const std::string& key, const std::string& cursor, std::size_t count);
    static Result<SetPage> read(const store::Reply& reply);
};

}  // namespace ff::scan
