#include "wake_waiters.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/assert.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/task_group.h"
#include "engine/create_execution.h"
#include "engine/operation.h"
#include "host/embedded_store.h"
#include "model/library.h"
#include "model/solo_partition.h"
#include "sched/claimer.h"
#include "sched/wake_listener.h"

namespace ff::bench {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

constexpr int kSamples = 50;

/// What a server has around its claims.
struct Scene {
    explicit Scene(std::size_t waiters)
        : store(open()),
          claimer(loop.get_executor(), clock, random, *store, partitioner,
                  {.waiters_max = waiters + 1}),
          listener(loop.get_executor(), *store, claimer, {}),
          group(loop.get_executor(), "waiters") {}

    static std::unique_ptr<host::EmbeddedStore> open() {
        host::EmbeddedOptions options;
        options.library = model::library_text();
        auto opened = host::EmbeddedStore::open(std::move(options));
        if (!opened.has_value()) {
            std::fprintf(stderr, "bench: %s\n", opened.error().text().c_str());
            std::abort();
        }
        return *std::move(opened);
    }

    asio::io_context loop{1};
    SystemClock clock{};
    BufferedRandom random{};
    model::LanePartitioner partitioner{};
    model::LaneId lane = *model::LaneId::parse("bench");
    std::unique_ptr<host::EmbeddedStore> store;
    sched::Claimer claimer;
    sched::WakeListener listener;
    TaskGroup group;
    std::size_t served = 0;
};

asio::awaitable<void> wait_for_one(Scene& scene) {
    sched::ClaimRequest request{.worker_id = *model::WorkerId::parse("worker"),
                                .worker_instance_id = *model::WorkerInstanceId::parse("worker-1"),
                                .lanes = {scene.lane}};
    request.wait = Millis(600'000);
    const auto tasks = co_await scene.claimer.claim(std::move(request));
    if (tasks.has_value() && !tasks->empty()) ++scene.served;
}

asio::awaitable<void> create_one(Scene& scene) {
    engine::CreateExecution task{
        .execution_id = model::ExecutionId::solo(scene.lane, {}, scene.partitioner, scene.random),
        .ns = *model::Namespace::parse("bench"),
        .lane = scene.lane,
        .execution_kind = "noop"};
    const auto created = co_await engine::run(*scene.store, std::move(task));
    FF_ASSERT(created.has_value());
}

asio::awaitable<void> stop(Scene& scene) {
    scene.claimer.stop();
    co_await scene.listener.stop();
    co_await scene.group.join();
    co_await scene.store->stop();
}

}  // namespace

double wake_one_of(std::size_t waiters) {
    Scene scene(waiters);
    scene.listener.start();
    for (std::size_t i = 0; i < waiters; ++i) scene.group.spawn(wait_for_one(scene));
    while (scene.claimer.waiting() < waiters) scene.loop.run_one();
    std::vector<double> took;
    for (int i = 0; i < kSamples; ++i) {
        const std::size_t before = scene.served;
        const auto start = SteadyClock::now();
        scene.group.spawn(create_one(scene));
        while (scene.served == before) scene.loop.run_one();
        const std::chrono::duration<double, std::milli> one = SteadyClock::now() - start;
        took.push_back(one.count());
        scene.group.spawn(wait_for_one(scene));
        while (scene.claimer.waiting() < waiters) scene.loop.run_one();
    }
    TaskGroup ending(scene.loop.get_executor(), "end");
    ending.spawn(stop(scene));
    while (ending.size() > 0) scene.loop.run_one();
    std::ranges::sort(took);
    return took[took.size() / 2];
}

}  // namespace ff::bench
