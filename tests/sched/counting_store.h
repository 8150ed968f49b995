#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "store/store.h"

namespace ff::testing {

/// Counts the calls on their way to a store.
class CountingStore final : public store::Store {
  public:
    explicit CountingStore(store::Store& inside) : inside_(inside) {}

    /// Of functions.
    std::size_t functions() const { return functions_; }
    /// Of functions and of plain commands.
    std::size_t calls() const { return calls_; }

    Task<store::Reply> call(store::Call call) override {
        ++calls_;
        return inside_.call(std::move(call));
    }
    Task<store::Reply> fcall(store::Call call) override {
        ++calls_;
        ++functions_;
        return inside_.fcall(std::move(call));
    }
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        std::vector<store::Call> calls) override {
        calls_ += calls.size();
        functions_ += static_cast<std::size_t>(std::ranges::count_if(
            calls, [](const store::Call& call) { return call.command.argv(0) == "FCALL"; }));
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
    store::Store& inside_;
    std::size_t calls_ = 0;
    std::size_t functions_ = 0;
};

}  // namespace ff::testing
