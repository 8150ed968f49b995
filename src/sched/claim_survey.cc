// A group of claimers that comes to a lane for the first time, or after a gap, knows of no
// partition that it is empty. To ask each with a claim call would take one call for each of them
// and for each group, and nearly all hold nothing for anybody. So when the first have given
// nothing, the others are looked through with plain reads in one pipeline, by one claimer at a
// time, and what is bare is known to all groups. A place is armed before it is read, in order,
// because both are of one slot: work that enters after the reads is told.

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/timer.h"
#include "model/index_keys.h"
#include "sched/claim_waits.h"
#include "sched/claimer.h"
#include "sched/store_time.h"

namespace ff::sched {
namespace {

/// Fewer are simply asked.
constexpr std::size_t kSurveyLeast = 4;
/// Arming, and the reads after it.
constexpr std::size_t kCallsEach = 4;

struct Look {
    std::string now{};
    std::string armed_until{};
};

void add_calls(std::vector<store::Call>& calls, const model::LaneId& lane, std::uint16_t partition,
               const Look& look) {
    const model::IndexKeys keys(partition);
    const model::LaneKeys lane_keys = keys.lane(lane);
    calls.push_back(store::plain({"HSET", keys.wake(), lane.text(), look.armed_until}, true));
    calls.push_back(store::plain({"EXISTS", lane_keys.eligible()}, true));
    calls.push_back(store::plain({"EXISTS", lane_keys.route_sets()}, true));
    calls.push_back(store::plain({"ZCOUNT", lane_keys.active(), "-inf", look.now}, true));
}

bool is_bare(const std::vector<Result<store::Reply>>& replies, std::size_t at) {
    const auto begin = replies.begin() + static_cast<std::ptrdiff_t>(at * kCallsEach);
    return std::all_of(begin + 1, begin + kCallsEach,
                       [](const auto& read) { return read->to_integer() == 0; });
}

}  // namespace

void Claimer::leave_out_bare(const Round& round, const model::LaneId& lane,
                             std::vector<std::uint16_t>& places) {
    const Timestamp now = clock_.now();
    const std::uint64_t known = board_.news(round.group);
    std::erase_if(places, [&](std::uint16_t partition) {
        const bool bare = bare_.is_bare(lane.text(), partition, now);
        if (bare) board_.found_empty(round.group, lane.text(), partition, known);
        return bare;
    });
}

Task<Done> Claimer::survey(const Round& round, model::LaneId lane,
                           std::vector<std::uint16_t>& places) {
    if (places.size() < kSurveyLeast || options_.arm_wake.count() == 0) co_return Done{};
    const auto under_way = waits_->surveys.find(lane.text());
    if (under_way != waits_->surveys.end()) {
        const std::shared_ptr<Timer> ended = under_way->second;
        auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
        co_await ended->async_wait(token);
    } else {
        const Waits::Survey mine(*waits_, lane.text());
        FF_CO_CHECK(co_await look_through(lane, places));
    }
    leave_out_bare(round, lane, places);
    co_return Done{};
}

Task<Done> Claimer::look_through(model::LaneId lane, std::vector<std::uint16_t> places) {
    const std::uint64_t known = bare_.begin(lane.text());
    FF_CO_TRY(const Timestamp now, co_await store_time(store_));
    const Look look{.now = std::to_string(to_ms(now)),
                    .armed_until = std::to_string(to_ms(now + options_.arm_wake))};
    std::vector<store::Call> calls;
    calls.reserve(places.size() * kCallsEach);
    for (const std::uint16_t partition : places) add_calls(calls, lane, partition, look);
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    for (const Result<store::Reply>& reply : replies) {
        if (!reply) co_return reply.error();
    }
    // As long as the sweep that makes up for lost messages stays away.
    const Timestamp until = clock_.now() + std::min(options_.sweep_interval, options_.arm_wake);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (is_bare(replies, i)) bare_.found(lane.text(), places[i], known, until);
    }
    co_return Done{};
}

}  // namespace ff::sched
