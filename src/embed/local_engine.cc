#include "embed/local_engine.h"

#include <future>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include "base/log.h"
#include "base/thread_manners.h"
#include "sdk/public_error.h"

namespace ff::embed {
namespace asio = boost::asio;

flowfabric::Error shutting_down() {
    return {.code = "shutting_down",
            .cls = flowfabric::ErrorClass::Retryable,
            .kind = "shutting_down",
            .message = "the engine has stopped"};
}

flowfabric::Error public_error(const Error& error) {
    return sdk::to_public(error);
}

LocalEngine::LocalEngine(app::Settings settings)
    : busy_(std::in_place, loop_.get_executor()),
      instance_(loop_.get_executor(), std::move(settings),
                [](const Error& error) {
                    log::error("embed", "store_failed", {{"error", error.text()}});
                }),
      tasks_(loop_.get_executor(), "engine") {}

flowfabric::Result<std::shared_ptr<LocalEngine>> LocalEngine::open(app::Settings settings) {
    std::shared_ptr<LocalEngine> engine(new LocalEngine(std::move(settings)));
    std::optional<Result<Done>> started;
    engine->tasks_.spawn(engine->boot(started));
    std::promise<void> booted;
    // The first piece of work on the loop is the boot; the thread says when it has an outcome.
    engine->thread_ = std::thread([&engine_ref = *engine, &started, &booted] {
        const GivesWay gives_way;
        while (!started && engine_ref.loop_.run_one() > 0) {
        }
        booted.set_value();
        engine_ref.loop_.run();
    });
    booted.get_future().wait();
    if (started->has_value()) return engine;
    Error error = std::move(*started).error();
    {
        const std::lock_guard lock(engine->mutex_);
        engine->stopped_ = true;
        engine->busy_.reset();
    }
    engine->thread_.join();
    return public_error(error);
}

LocalEngine::~LocalEngine() {
    stop();
}

asio::awaitable<void> LocalEngine::boot(std::optional<Result<Done>>& started) {
    Result<Done> result = co_await instance_.start();
    started.emplace(std::move(result));
}

bool LocalEngine::spawn(std::function<asio::awaitable<void>(app::Instance&)> work) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    asio::post(loop_, [this, work = std::move(work)] { tasks_.spawn(work(instance_)); });
    return true;
}

asio::awaitable<void> LocalEngine::shut_down() {
    co_await instance_.stop();
    co_await tasks_.join();
    busy_.reset();
}

void LocalEngine::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (stopped_) return;
        stopped_ = true;
        // Behind everything that was handed over before.
        asio::post(loop_, [this] {
            asio::co_spawn(loop_, shut_down(), [](const std::exception_ptr& thrown) {
                if (thrown) std::rethrow_exception(thrown);
            });
        });
    }
    thread_.join();
}

}  // namespace ff::embed
