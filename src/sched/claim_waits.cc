#include "sched/claim_waits.h"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/digest.h"
#include "base/timer.h"

namespace ff::sched {
namespace {

constexpr std::size_t kRequestIdMost = 128;

std::string with_suffix(std::string_view request_id, std::string_view suffix) {
    std::string id(request_id);
    if (id.size() + suffix.size() > kRequestIdMost) id = sha1_hex(request_id);
    return id.append(suffix);
}

}  // namespace

std::string second_request_id(std::string_view request_id) {
    return with_suffix(request_id, "/admitted");
}

std::string mark_id(std::string_view request_id) {
    return with_suffix(request_id, "/mark");
}

boost::asio::awaitable<void> Claimer::wait_for_work(Round& round, Deadline until) {
    const WakeBoard::WaiterId id = board_.wait(round.group);
    if (waits_->next_sweep.is_never()) {
        waits_->next_sweep = Deadline::after(options_.sweep_interval);
    }
    Timer timer(waits_->loop);
    Waits::Waiter me{.timer = timer};
    waits_->waiters.emplace(id, &me);
    if (waits_->sweeper == 0) waits_->sweeper = id;
    const auto& abandonment = round.request.abandonment;
    if (abandonment) abandonment->on_abandon([this, &me] { waits_->wake(me); });
    const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
    auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
    bool sweeps = false;
    while (!me.woken && !until.passed() && !sweeps &&
           cancellation.cancelled() == boost::asio::cancellation_type::none) {
        const bool is_sweeper = waits_->sweeper == id;
        timer.expires_at(is_sweeper ? std::min(until.at(), waits_->next_sweep.at()) : until.at());
        co_await timer.async_wait(token);
        sweeps = waits_->sweeper == id && waits_->next_sweep.passed();
    }
    if (abandonment) abandonment->on_abandon({});
    waits_->waiters.erase(id);
    board_.leave(id);
    if (waits_->sweeper == id) waits_->pass_sweeping_on();
    if (sweeps) {
        waits_->next_sweep =
            board_.waiting() == 0 ? Deadline::never() : Deadline::after(options_.sweep_interval);
        on_gap();
    }
}

void Claimer::wake(const std::vector<WakeBoard::WaiterId>& waiters) {
    for (const WakeBoard::WaiterId waiter : waiters) {
        const auto found = waits_->waiters.find(waiter);
        if (found != waits_->waiters.end()) waits_->wake(*found->second);
    }
}

void Claimer::on_wake(const std::string& lane, std::uint16_t partition, std::string_view kind) {
    bare_.on_wake(lane, partition);
    wake(board_.on_wake(lane, partition, kind));
}

void Claimer::on_gap() {
    bare_.on_gap();
    wake(board_.on_gap());
}

void Claimer::stop() {
    stopped_ = true;
    for (const auto& [id, waiter] : waits_->waiters) waits_->wake(*waiter);
}

}  // namespace ff::sched
