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
/// Reads of each place; whatever arms it comes before them.
constexpr std::size_t kReadsEach = 3;

struct Look {
    std::string now{};
    std::string armed_until{};
    model::KindSet kinds{};

    /// Who asks for kinds arms these, and has what enters from now on sorted by them.
    std::size_t calls_each() const { return kReadsEach + (kinds.any() ? 1 : 2); }
};

void add_arming(std::vector<store::Call>& calls, const model::LaneId& lane, const std::string& wake,
                const Look& look) {
    store::Call arm = store::plain({"HSET", wake}, true);
    if (look.kinds.any()) {
        arm.command.arg(lane.text());
        arm.command.arg(look.armed_until);
    } else {
        // Unsorted so far: the first claim sorts what is there.
        calls.push_back(store::plain({"HSETNX", wake, lane.text() + "\n", "eligible"}, true));
    }
    for (const std::string& kind : look.kinds.names()) {
        arm.command.arg(lane.text() + "\n" + kind);
        arm.command.arg(look.armed_until);
    }
    calls.push_back(std::move(arm));
}

void add_calls(std::vector<store::Call>& calls, const model::LaneId& lane, std::uint16_t partition,
               const Look& look) {
    const model::IndexKeys keys(partition);
    const model::LaneKeys lane_keys = keys.lane(lane);
    add_arming(calls, lane, keys.wake(), look);
    calls.push_back(store::plain({"EXISTS", lane_keys.eligible()}, true));
    calls.push_back(store::plain({"EXISTS", lane_keys.route_sets()}, true));
    calls.push_back(store::plain({"ZCOUNT", lane_keys.active(), "-inf", look.now}, true));
}

/// `end`: behind the replies of the place.
bool is_bare(const std::vector<Result<store::Reply>>& replies, std::size_t end) {
    const auto last = replies.begin() + static_cast<std::ptrdiff_t>(end);
    return std::all_of(last - kReadsEach, last,
                       [](const auto& read) { return read->to_integer() == 0; });
}

}  // namespace

void Claimer::leave_out_bare(const Round& round, const model::LaneId& lane,
                             std::vector<std::uint16_t>& places) {
    // What is bare was armed for claims of any kind: who asks for kinds would not be told.
    if (!round.request.kinds.any()) return;
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
    const bool any_kind = round.request.kinds.any();
    const std::string name =
        any_kind ? lane.text() : lane.text() + "\n" + round.group.wants + "\n" + round.group.kinds;
    const auto under_way = waits_->surveys.find(name);
    if (under_way != waits_->surveys.end()) {
        const std::shared_ptr<Timer> ended = under_way->second;
        auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
        co_await ended->async_wait(token);
    } else {
        const Waits::Survey mine(*waits_, name);
        FF_CO_CHECK(co_await look_through(round, lane, places));
    }
    leave_out_bare(round, lane, places);
    std::erase_if(places, [&](std::uint16_t partition) {
        return !board_.is_maybe(round.group, lane.text(), partition);
    });
    co_return Done{};
}

Task<Done> Claimer::look_through(const Round& of, model::LaneId lane,
                                 std::vector<std::uint16_t> places) {
    const bool any_kind = of.request.kinds.any();
    const std::uint64_t known = bare_.begin(lane.text());
    const std::uint64_t news = board_.news(of.group);
    FF_CO_TRY(const Timestamp now, co_await store_time(store_));
    const Look look{.now = std::to_string(to_ms(now)),
                    .armed_until = std::to_string(to_ms(now + options_.arm_wake)),
                    .kinds = of.request.kinds};
    std::vector<store::Call> calls;
    calls.reserve(places.size() * look.calls_each());
    for (const std::uint16_t partition : places) add_calls(calls, lane, partition, look);
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    for (const Result<store::Reply>& reply : replies) {
        if (!reply) co_return reply.error();
    }
    // As long as the sweep that makes up for lost messages stays away.
    const Timestamp until = clock_.now() + std::min(options_.sweep_interval, options_.arm_wake);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!is_bare(replies, (i + 1) * look.calls_each())) continue;
        if (any_kind) {
            bare_.found(lane.text(), places[i], known, until);
        } else {
            board_.found_empty(of.group, lane.text(), places[i], news);
        }
    }
    co_return Done{};
}

}  // namespace ff::sched
