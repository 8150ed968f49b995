#include "app/store_keeper.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "model/error_catalogue.h"
#include "model/index_keys.h"
#include "store/reply_errors.h"

namespace ff::app {
namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kCheckPatience{2};

}  // namespace

StoreKeeper::StoreKeeper(asio::any_io_executor loop, Prepare prepare)
    : loop_(loop), prepare_(std::move(prepare)), tasks_(std::move(loop), "store_keeper") {}

void StoreKeeper::begin() {
    if (run_) return;
    run_ = std::make_shared<Run>();
    tasks_.spawn(perform(run_));
}

void StoreKeeper::restore_soon() {
    if (!stopping_) begin();
}

Task<Done> StoreKeeper::restore() {
    if (stopping_) co_return store::shutting_down();
    begin();
    const std::shared_ptr<Run> run = run_;
    valkey::Event ended(loop_);
    const auto place = run->joiners.insert(run->joiners.end(), &ended);
    if (!run->result) co_await ended.wait(Deadline::after(store::kCallPatience));
    run->joiners.erase(place);
    if (run->result) co_return *run->result;
    co_return model::make_error("hmac_secret_not_initialized");
}

asio::awaitable<void> StoreKeeper::perform(std::shared_ptr<Run> run) {
    co_await asio::this_coro::throw_if_cancelled(false);
    log::warn("app", "store_came_back_bare",
              {{"does", "installs partition layout, waitpoint secrets and lanes again"},
               {"check", "the store's persistence: what it held before may be lost"}});
    Result<Done> result = co_await prepare_();
    if (result.has_value()) {
        log::info("app", "store_prepared_again");
    } else {
        log::error("app", "store_not_prepared", {{"error", result.error().text()}});
    }
    run_.reset();
    run->result = std::move(result);
    for (valkey::Event* joiner : run->joiners) joiner->notify();
}

Task<Done> StoreKeeper::check(store::Store& store, model::PartitionConfig partitions) {
    std::vector<store::Call> reads;
    for (std::uint16_t i = 0; i < partitions.num_flow_partitions(); ++i) {
        store::Call read = store::plain({"EXISTS", model::IndexKeys(i).waitpoint_hmac()}, true);
        read.deadline = Deadline::after(kCheckPatience);
        reads.push_back(std::move(read));
    }
    const std::vector<Result<store::Reply>> found = co_await store.pipeline(std::move(reads));
    std::size_t missing = 0;
    for (const Result<store::Reply>& one : found) {
        if (!one.has_value()) co_return one.error();
        if (one->to_integer() == 0) ++missing;
    }
    if (missing == 0) co_return Done{};
    restore_soon();
    Error error = model::make_error("hmac_secret_not_initialized");
    error.message = "the store has lost the waitpoint secrets of " + std::to_string(missing) +
                    " partitions; they are being installed again";
    co_return error;
}

asio::awaitable<void> StoreKeeper::stop() {
    stopping_ = true;
    tasks_.cancel();
    co_await tasks_.join();
}

}  // namespace ff::app
