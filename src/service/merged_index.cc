#include "service/merged_index.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "model/error_catalogue.h"
#include "model/execution_id.h"
#include "model/partition.h"

namespace ff::service {
namespace {

/// Members of one score that are read at once.
constexpr std::size_t kTiesPage = 1024;

std::string score_text(const store::Reply& score) {
    if (const auto text = score.text()) return std::string(*text);
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, score.as_double().value_or(0));
    return {digits, end.ptr};
}

void add_scored(Scored one, std::vector<Scored>& out) {
    one.value = value_of(one.score);
    out.push_back(std::move(one));
}

bool ascending(const Scored& a, const Scored& b) {
    return a.value != b.value ? a.value < b.value : a.member < b.member;
}

/// Members of equal score come in the order of their ids, whose first part is the partition:
/// partitions before that of the cursor are done with its score, later ones are not. In its
/// own one the rest of that score is read by `add_ties`.
std::string from_in(std::uint16_t partition, const IndexPlace& place) {
    const std::string tag = model::PartitionKey::flow(partition).tag();
    const bool later = tag > place.member.substr(0, tag.size());
    return later ? place.score : "(" + place.score;
}
}  // namespace

double value_of(const std::string& score) {
    double value = 0;
    std::from_chars(score.data(), score.data() + score.size(), value);
    return value;
}

std::vector<Scored> read_scored(const store::Reply& reply) {
    std::vector<Scored> found;
    const auto items = reply.items();
    if (!items.empty() && items.front().is_aggregate()) {
        for (const store::Reply& pair : items) {
            const auto parts = pair.items();
            if (parts.size() != 2) continue;
            add_scored({.member = std::string(parts[0].text().value_or("")),
                        .score = score_text(parts[1])},
                       found);
        }
        return found;
    }
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        add_scored({.member = std::string(items[i].text().value_or("")),
                    .score = score_text(items[i + 1])},
                   found);
    }
    return found;
}

Result<std::optional<IndexPlace>> place_of(const std::string& cursor) {
    if (cursor.empty()) return std::optional<IndexPlace>();
    FF_TRY(IndexPlace place, IndexPlace::decode(cursor));
    char* end = nullptr;
    std::strtod(place.score.c_str(), &end);
    if (place.score.empty() || end != place.score.c_str() + place.score.size()) {
        return model::make_error("invalid_cursor");
    }
    return std::optional(std::move(place));
}

Task<std::vector<Scored>> MergedIndex::next(std::optional<IndexPlace> place,
                                            std::vector<std::uint16_t> partitions,
                                            std::size_t limit) {
    std::vector<store::Call> reads;
    const std::string count = std::to_string(limit);
    for (const std::uint16_t partition : partitions) {
        const std::string from = place ? from_in(partition, *place) : "-inf";
        reads.push_back(store::plain(
            {"ZRANGEBYSCORE", key_(partition), from, "+inf", "WITHSCORES", "LIMIT", "0", count},
            true));
    }
    const auto replies = co_await store_.pipeline(std::move(reads));
    std::vector<Scored> merged;
    for (const Result<store::Reply>& reply : replies) {
        if (!reply) co_return reply.error();
        std::ranges::move(read_scored(*reply), std::back_inserter(merged));
    }
    if (place) FF_CO_CHECK(co_await add_ties(*place, limit, merged));
    std::ranges::sort(merged, ascending);
    if (merged.size() > limit) merged.resize(limit);
    co_return merged;
}

Task<Done> MergedIndex::add_ties(IndexPlace place, std::size_t limit, std::vector<Scored>& merged) {
    const auto last = model::ExecutionId::parse(place.member);
    if (!last) co_return model::make_error("invalid_cursor");
    const std::string index = key_(last->partition_index());
    const std::size_t most = std::max(limit, kTiesPage);
    const std::string count = std::to_string(most);
    std::size_t found = 0;
    for (std::size_t offset = 0; found < limit; offset += most) {
        const std::string skip = std::to_string(offset);
        store::Call read = store::plain(
            {"ZRANGEBYSCORE", index, place.score, place.score, "WITHSCORES", "LIMIT", skip, count},
            true);
        FF_CO_TRY(const store::Reply reply, co_await store_.call(std::move(read)));
        const std::vector<Scored> ties = read_scored(reply);
        for (const Scored& one : ties) {
            if (one.member <= place.member) continue;
            merged.push_back(one);
            ++found;
        }
        if (ties.size() < most) break;
    }
    co_return Done{};
}

}  // namespace ff::service
