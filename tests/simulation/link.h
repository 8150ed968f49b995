#pragma once

#include <memory>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "simulation/chances.h"
#include "simulation/store_process.h"
#include "store/store.h"

namespace ff::simulation {

/// The way of one server to the store: it takes time, loses requests and replies, and ends for good
/// when the server dies. A call that was lost is never executed later.
class Link final : public store::Store {
  public:
    Link(boost::asio::any_io_executor loop, Chances& chances, StoreProcess& process,
         NetworkPlan plan)
        : loop_(std::move(loop)), chances_(chances), process_(process), plan_(plan) {}

    /// The server is dead: nothing passes from now on.
    void cut() { cut_ = true; }
    bool is_cut() const { return cut_; }
    void set_plan(NetworkPlan plan) { plan_ = plan; }

    Task<store::Reply> call(store::Call call) override;
    Task<store::Reply> fcall(store::Call call) override;
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        std::vector<store::Call> calls) override;
    Task<store::Reply> blocking_read(store::Call call) override;
    Task<std::unique_ptr<store::Subscription>> subscribe(store::Channels channels) override;
    boost::asio::awaitable<void> stop() override { co_return; }

    std::uint64_t calls() const { return calls_; }

  private:
    class LinkSubscription;
    using Way = Task<store::Reply> (store::Store::*)(store::Call);

    Task<store::Reply> pass_on(store::Call call, Way way);
    Task<store::Reply> pass_on_once(store::Call call, Way way);
    /// The life to send to, after the way there; an error if it is not reached.
    Task<std::shared_ptr<StoreProcess::Life>> reach();
    /// The way back: true if the reply gets lost.
    boost::asio::awaitable<bool> come_back();

    boost::asio::any_io_executor loop_;
    Chances& chances_;
    StoreProcess& process_;
    NetworkPlan plan_;
    bool cut_ = false;
    std::uint64_t calls_ = 0;
};

}  // namespace ff::simulation
