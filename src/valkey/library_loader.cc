#include "valkey/library_loader.h"

#include <array>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/assert.h"
#include "base/log.h"
#include "model/transport_kind.h"
#include "store/reply_errors.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;
using Next = LibraryCheck::Step;

constexpr std::array<milliseconds, 5> kPauses = {milliseconds(500), milliseconds(1000),
                                                 milliseconds(2000), milliseconds(4000),
                                                 milliseconds(7000)};
constexpr milliseconds kLoadPatience{30'000};
constexpr milliseconds kRefreshPatience{2'000};

}  // namespace

LibraryLoader::LibraryLoader(asio::any_io_executor loop, Caller& caller, Router& router,
                             Probe& probe, const Options& options)
    : loop_(std::move(loop)),
      caller_(caller),
      router_(router),
      probe_(probe),
      options_(options),
      pause_(loop_),
      tasks_(loop_, "valkey library") {}

Task<Done> LibraryLoader::ensure(Deadline deadline) {
    FF_ASSERT(options_.library.has_value());
    if (stopping_) co_return store::shutting_down();
    if (!run_) {
        run_ = std::make_shared<Run>();
        tasks_.spawn(perform(run_));
    }
    const std::shared_ptr<Run> run = run_;
    Event ended(loop_);
    const auto place = run->joiners.insert(run->joiners.end(), &ended);
    if (!run->result) {
        co_await ended.wait(deadline);
    }
    run->joiners.erase(place);
    if (run->result) co_return *run->result;
    co_return model::storage_error(model::TransportKind::IoError,
                                   "the function library is still being loaded");
}

asio::awaitable<void> LibraryLoader::perform(std::shared_ptr<Run> run) {
    co_await asio::this_coro::throw_if_cancelled(false);
    Result<Done> result = co_await ensure_everywhere();
    run_.reset();
    run->result = std::move(result);
    for (Event* joiner : run->joiners) joiner->notify();
}

Task<Done> LibraryLoader::ensure_everywhere() {
    for (std::size_t attempt = 0;; ++attempt) {
        Error error{};
        const Next step = co_await round(error);
        if (stopping_) co_return store::shutting_down();
        if (step == Next::Done) co_return Done{};
        if (step == Next::Fail || attempt == kPauses.size()) co_return error;
        co_await pause_.wait(Deadline::after(kPauses[attempt]));
        co_await router_.refresh(Deadline::after(kRefreshPatience));
    }
}

asio::awaitable<Next> LibraryLoader::round(Error& error) {
    std::vector<net::Address> addresses;
    for (Connection* primary : router_.primaries()) addresses.push_back(primary->address());
    if (addresses.empty()) {
        error = router_.why_nobody().error;
        co_return Next::Retry;
    }
    for (const net::Address& address : addresses) {
        const Next step = co_await ensure_at(address, error);
        if (step != Next::Done) co_return step;
    }
    co_return Next::Done;
}

asio::awaitable<Next> LibraryLoader::ensure_at(net::Address address, Error& error) {
    LibraryCheck check(*options_.library, options_.force_reload);
    Next step = check.start();
    while (step == Next::AskVersion || step == Next::AskInfo || step == Next::Load) {
        const Next asked = step;
        const Result<store::Reply> reply = co_await ask(address, asked);
        if (asked == Next::AskVersion) step = check.on_version(reply);
        if (asked == Next::AskInfo) step = check.on_info(reply);
        if (asked == Next::Load) {
            step = check.on_loaded(reply);
            if (reply.has_value()) {
                probe_.library_loaded();
                log::info("valkey", "library_loaded",
                          {{"address", address.text()}, {"version", options_.library->version}});
            }
        }
    }
    error = check.error();
    if (step != Next::DoneNewer) co_return step;
    log::warn("valkey", "newer_library",
              {{"address", address.text()}, {"own_version", options_.library->version}});
    co_return Next::Done;
}

Task<store::Reply> LibraryLoader::ask(net::Address address, Next step) {
    store::Call call;
    if (step == Next::Load) {
        call = store::plain({"FUNCTION", "LOAD", "REPLACE", options_.library->source});
        call.deadline = Deadline::after(kLoadPatience);
    } else {
        const std::string_view name = step == Next::AskInfo ? "ff_library_info" : "ff_version";
        call = store::plain({"FCALL", name, "0"});
    }
    co_return co_await caller_.at_node(std::move(address), call);
}

asio::awaitable<void> LibraryLoader::stop() {
    stopping_ = true;
    pause_.notify();
    co_await tasks_.join();
}

}  // namespace ff::valkey
