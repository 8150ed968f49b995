#include "service/flow_cancels.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/steady_clock.h"
#include "base/timer.h"
#include "engine/operation.h"

namespace ff::service {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> pause(asio::any_io_executor loop, Millis span) {
    Timer timer(loop, span);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

}  // namespace

FlowCancels::FlowCancels(asio::any_io_executor loop, store::Store& store, FlowCancelOptions options)
    : loop_(loop),
      store_(store),
      options_(std::move(options)),
      progress_(loop, SteadyClock::time_point::max()),
      tasks_(loop, "flow_cancels") {}

Task<engine::CancelFlowMembers::Outcome> FlowCancels::call_patiently(engine::CancelFlowMembers call,
                                                                     Deadline deadline) {
    for (std::size_t attempt = 0;; ++attempt) {
        engine::CancelFlowMembers again = call;
        auto outcome = co_await engine::run(store_, std::move(again));
        const bool may_pass = !outcome && outcome.error().cls == ErrorClass::Retryable;
        const bool is_last = attempt + 1 >= options_.retry_pauses.size();
        if (!may_pass || is_last || deadline.passed() || stopped_) co_return outcome;
        co_await pause(loop_, options_.retry_pauses[attempt]);
    }
}

Task<CancelPass> FlowCancels::run(model::FlowId flow, Deadline deadline) {
    CancelPass pass;
    engine::CancelFlowMembers page{.flow = {.id = flow, .partitions = options_.partitions},
                                   .members_max = options_.members_per_call};
    for (;;) {
        pass = CancelPass{};
        std::int64_t moved = 0;
        page.cursor = "0";
        do {
            FF_CO_TRY(const auto outcome, co_await call_patiently(page, deadline));
            pass.owed = outcome.owed;
            pass.draining += outcome.draining;
            pass.failed.insert(pass.failed.end(), outcome.failed.begin(), outcome.failed.end());
            moved += outcome.cancelled + outcome.already_terminal + outcome.not_found;
            page.cursor = outcome.cursor;
            pass.timed_out = page.cursor != "0" && deadline.passed();
        } while (page.cursor != "0" && !pass.timed_out);
        if (pass.owed == 0 || pass.timed_out || moved == 0 || stopped_) co_return pass;
        if (pass.only_draining()) co_return pass;
        if (deadline.passed()) {
            pass.timed_out = true;
            co_return pass;
        }
    }
}

void FlowCancels::dispatch(const model::FlowId& flow) {
    if (stopped_ || in_hand_.contains(flow)) return;
    if (queue_.size() >= options_.queue_max) {
        log::warn("flows", "cancel_left_to_reconciler", {{"flow_id", flow.to_string()}});
        return;
    }
    in_hand_.insert(flow);
    queue_.push_back(flow);
    pump();
}

void FlowCancels::pump() {
    while (running_ < options_.flows_at_once_max && !queue_.empty()) {
        const model::FlowId flow = queue_.front();
        queue_.pop_front();
        ++running_;
        tasks_.spawn(serve(flow));
    }
}

asio::awaitable<void> FlowCancels::serve(model::FlowId flow) {
    const auto pass = co_await run(flow, Deadline::never());
    if (!pass && !stopped_) {
        log::warn("flows", "cancel_left_to_reconciler",
                  {{"flow_id", flow.to_string()}, {"error", pass.error().text()}});
    }
    --running_;
    in_hand_.erase(flow);
    progress_.cancel();
    if (!stopped_) pump();
}

asio::awaitable<bool> FlowCancels::stop(Deadline deadline) {
    while (!in_hand_.empty() && !deadline.passed()) {
        // `progress_` wakes this at the latest at the deadline, at the earliest when a flow is
        // done.
        progress_.expires_at(deadline.at());
        boost::system::error_code ignored;
        co_await progress_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    const bool finished = in_hand_.empty();
    stopped_ = true;
    queue_.clear();
    tasks_.cancel();
    co_await tasks_.join();
    co_return finished;
}

}  // namespace ff::service
