#include <algorithm>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"
#include "keyspace/sorted_set_reply.h"

namespace ff::keyspace {
namespace {

enum class By : std::uint8_t { Rank, Score };

struct RangeOptions {
    By by = By::Rank;
    bool with_scores = false;
    std::int64_t offset = 0;
    /// Negative: all.
    std::int64_t limit = -1;
};

/// nullopt: refused. Only ZRANGE may choose what it ranges by.
std::optional<RangeOptions> parse_options(Call& call, By by, bool may_choose) {
    RangeOptions options{.by = by};
    for (std::size_t i = 4; i < call.argv.size(); ++i) {
        const std::string_view option = call.argv[i];
        if (same_word(option, "withscores")) {
            options.with_scores = true;
        } else if (same_word(option, "limit") && i + 2 < call.argv.size()) {
            const auto offset = parse_integer(call.argv[i + 1]);
            const auto limit = parse_integer(call.argv[i + 2]);
            if (!offset || !limit) {
                call.refuse(refusal::kNotInteger);
                return std::nullopt;
            }
            options.offset = *offset;
            options.limit = *limit;
            i += 2;
        } else if (may_choose && same_word(option, "byscore")) {
            options.by = By::Score;
        } else {
            call.refuse(refusal::kSyntax);
            return std::nullopt;
        }
    }
    if (options.limit != -1 && options.by == By::Rank) {
        call.refuse(
            "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or "
            "BYLEX");
        return std::nullopt;
    }
    return options;
}

void range_by_rank(Call& call, const RangeOptions& options, bool down) {
    const auto from = parse_integer(call.argv[2]);
    const auto to = parse_integer(call.argv[3]);
    if (!from || !to) return call.refuse(refusal::kNotInteger);
    const auto* sorted = call.read<SortedSet>(call.argv[1]);
    if (call.refused) return;
    const std::int64_t size = sorted == nullptr ? 0 : sorted->size();
    const std::int64_t first = std::max<std::int64_t>(*from < 0 ? *from + size : *from, 0);
    const std::int64_t last = std::min(*to < 0 ? *to + size : *to, size - 1);
    if (first > last) return call.reply.array(0);
    const std::int64_t lowest = down ? size - 1 - last : first;
    reply_members(call.reply, *sorted,
                  {.first = static_cast<std::uint32_t>(lowest),
                   .count = static_cast<std::uint32_t>(last - first + 1)},
                  {.with_scores = options.with_scores, .down = down});
}

void range_by_score(Call& call, const RangeOptions& options) {
    const auto interval = parse_interval(call, call.argv[2], call.argv[3]);
    if (!interval) return;
    const auto* sorted = call.read<SortedSet>(call.argv[1]);
    if (call.refused) return;
    if (sorted == nullptr) return call.reply.array(0);
    Ranks ranks = ranks_of(*sorted, *interval);
    if (options.offset < 0 || options.offset >= ranks.count) return call.reply.array(0);
    ranks.first += static_cast<std::uint32_t>(options.offset);
    ranks.count -= static_cast<std::uint32_t>(options.offset);
    if (options.limit >= 0 && options.limit < ranks.count) {
        ranks.count = static_cast<std::uint32_t>(options.limit);
    }
    reply_members(call.reply, *sorted, ranks, {.with_scores = options.with_scores});
}

}  // namespace

void run_zrange(Call& call) {
    const auto options = parse_options(call, By::Rank, true);
    if (!options) return;
    if (options->by == By::Score) return range_by_score(call, *options);
    range_by_rank(call, *options, false);
}

void run_zrevrange(Call& call) {
    const auto options = parse_options(call, By::Rank, false);
    if (options) range_by_rank(call, *options, true);
}

void run_zrangebyscore(Call& call) {
    const auto options = parse_options(call, By::Score, false);
    if (options) range_by_score(call, *options);
}

}  // namespace ff::keyspace
