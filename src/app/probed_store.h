#pragma once

#include "app/function_observer.h"
#include "store/store.h"

namespace ff::app {

/// A store that tells a probe what its functions answered. As free of threads as the store inside.
class ProbedStore final : public store::Store {
  public:
    /// Both outlive it.
    ProbedStore(store::Store& inside, WorkProbe& probe) : inside_(inside), probe_(probe) {}

    Task<store::Reply> call(store::Call call) override { return inside_.call(std::move(call)); }
    Task<store::Reply> fcall(store::Call call) override;
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        std::vector<store::Call> calls) override;
    Task<store::Reply> blocking_read(store::Call call) override {
        return inside_.blocking_read(std::move(call));
    }
    Task<std::unique_ptr<store::Subscription>> subscribe(store::Channels channels) override {
        return inside_.subscribe(std::move(channels));
    }
    boost::asio::awaitable<void> stop() override { return inside_.stop(); }

  private:
    Task<store::Reply> fcall_watched(store::Call call, WatchedCall watched);
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline_watched(
        std::vector<store::Call> calls, std::vector<WatchedCall> watched);

    store::Store& inside_;
    WorkProbe& probe_;
};

}  // namespace ff::app
