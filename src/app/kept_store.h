#pragma once

#include "app/store_keeper.h"
#include "store/store.h"

namespace ff::app {

/// A store whose functions find the waitpoint secrets: where one is refused because the store has
/// lost them, they are installed again and the function is called once more, as it is with the
/// library. Nothing was written by the refused call. Lives on the keeper's loop.
class KeptStore final : public store::Store {
  public:
    /// Both outlive it.
    KeptStore(store::Store& inside, StoreKeeper& keeper) : inside_(inside), keeper_(keeper) {}

    Task<store::Reply> call(store::Call call) override { return inside_.call(std::move(call)); }
    Task<store::Reply> fcall(store::Call call) override;
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        std::vector<store::Call> calls) override {
        return inside_.pipeline(std::move(calls));
    }
    Task<store::Reply> blocking_read(store::Call call) override {
        return inside_.blocking_read(std::move(call));
    }
    Task<std::unique_ptr<store::Subscription>> subscribe(store::Channels channels) override {
        return inside_.subscribe(std::move(channels));
    }
    boost::asio::awaitable<void> stop() override { return inside_.stop(); }

  private:
    Task<store::Reply> fcall_kept(store::Call call);

    store::Store& inside_;
    StoreKeeper& keeper_;
};

}  // namespace ff::app
