#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "keyspace/call.h"

namespace ff::keyspace {

struct ScoreInterval {
    ScoreBound min;
    ScoreBound max;
};

/// nullopt: refused.
std::optional<ScoreInterval> parse_interval(Call& call, std::string_view min, std::string_view max);

struct Ranks {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};
Ranks ranks_of(const SortedSet& sorted, const ScoreInterval& interval);

/// A double, or its text where the protocol has none.
void reply_score(ReplySink& reply, double score);

struct MemberReply {
    bool with_scores = false;
    bool down = false;
};
/// The members at these ranks, from the first up or from the last down.
void reply_members(ReplySink& reply, const SortedSet& sorted, Ranks ranks, MemberReply how);

}  // namespace ff::keyspace
