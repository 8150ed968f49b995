#include "keyspace/sorted_set_reply.h"

#include "keyspace/arguments.h"
#include "resp/writer.h"

namespace ff::keyspace {

std::optional<ScoreInterval> parse_interval(Call& call, std::string_view min,
                                            std::string_view max) {
    const auto low = parse_score_bound(min);
    const auto high = parse_score_bound(max);
    if (!low || !high) {
        call.refuse("ERR min or max is not a float");
        return std::nullopt;
    }
    return ScoreInterval{.min = *low, .max = *high};
}

Ranks ranks_of(const SortedSet& sorted, const ScoreInterval& interval) {
    const std::uint32_t from = sorted.rank_from(interval.min);
    const std::uint32_t to = sorted.rank_to(interval.max);
    return {.first = from, .count = to > from ? to - from : 0};
}

void reply_score(ReplySink& reply, double score) {
    if (reply.resp3()) return reply.real(score);
    char text[resp::kDoubleTextMax];
    reply.bulk({text, resp::format_double(score, text)});
}

void reply_members(ReplySink& reply, const SortedSet& sorted, Ranks ranks, MemberReply how) {
    const bool pairs = how.with_scores && reply.resp3();
    reply.array(how.with_scores && !pairs ? std::size_t{ranks.count} * 2 : ranks.count);
    const std::uint32_t start = how.down ? ranks.first + ranks.count - 1 : ranks.first;
    sorted.for_ranks(start, ranks.count, how.down, [&](std::string_view member, double score) {
        if (pairs) reply.array(2);
        reply.bulk(member);
        if (how.with_scores) reply_score(reply, score);
    });
}

}  // namespace ff::keyspace
