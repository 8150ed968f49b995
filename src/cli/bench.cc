#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>

#include "cli/commands.h"
#include "cli/scratch.h"
#include "cli/try.h"
#include "flowfabric/runtime.h"
#include "sdk/words.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Millis;
using std::chrono::steady_clock;

namespace {

constexpr std::int64_t kTasksMax = 10'000'000;
constexpr std::int64_t kWorkersMax = 1024;
constexpr std::int64_t kBytesMax = 1 << 20;
constexpr std::size_t kBatch = 250;
constexpr Millis kPatience{600'000};

struct Load {
    std::size_t tasks = 0;
    std::size_t workers = 0;
    std::size_t bytes = 0;
};

/// Counts what handlers have run.
class Meter {
  public:
    explicit Meter(std::size_t tasks) : tasks_(tasks) {}
    void done() {
        if (++count_ < tasks_) return;
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }
    bool wait() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kPatience, [this] { return count_ >= tasks_; });
    }

  private:
    std::size_t tasks_;
    std::atomic<std::size_t> count_ = 0;
    std::mutex mutex_{};
    std::condition_variable changed_{};
};

flowfabric::Result<flowfabric::Done> submit(const AdminClient& client, const Load& load,
                                            const std::string& lane) {
    for (std::size_t sent = 0; sent < load.tasks; sent += kBatch) {
        const std::vector<flowfabric::NewExecution> batch(std::min(kBatch, load.tasks - sent),
                                                          {.kind = "noop",
                                                           .payload = std::string(load.bytes, 'x'),
                                                           .lane = lane,
                                                           .policy = std::string(kScratchPolicy)});
        const auto created = client.create_executions(batch);
        if (!created) return created.error();
        for (const auto& one : *created) {
            if (!one) return one.error();
        }
    }
    return flowfabric::Done{};
}

double per_second(std::size_t count, steady_clock::duration took) {
    return static_cast<double>(count) / std::chrono::duration<double>(took).count();
}

}  // namespace

int run_bench(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t tasks, arguments.integer("tasks", 1000, 1, kTasksMax));
    FF_CLI_READ(const std::int64_t workers, arguments.integer("workers", 16, 1, kWorkersMax));
    FF_CLI_READ(const std::int64_t bytes, arguments.integer("bytes", 4096, 0, kBytesMax));
    const Load load{static_cast<std::size_t>(tasks), static_cast<std::size_t>(workers),
                    static_cast<std::size_t>(bytes)};
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string lane = "bench-" + sdk::mint_uuid().substr(0, 8);
    const auto begun = steady_clock::now();
    FF_CLI_TRY([[maybe_unused]] const auto sent, submit(client, load, lane));
    const auto submitted = steady_clock::now();
    Meter meter(load.tasks);
    FF_CLI_TRY(flowfabric::Worker worker,
               flowfabric::Worker::connect(
                   client, {.worker_id = "bench", .worker_instance_id = lane, .lanes = {lane}}));
    flowfabric::Runtime runtime(std::move(worker));
    runtime.max_concurrent(load.workers).on("noop", [&meter](flowfabric::Context&) {
        meter.done();
        return flowfabric::completed();
    });
    runtime.start();
    const bool finished = meter.wait();
    runtime.stop();
    const auto ended = steady_clock::now();
    FF_CLI_TRY([[maybe_unused]] const auto removed, remove_lane(client, lane));
    if (!finished) return session.fail(Error{.code = "timeout", .message = "tasks did not end"});
    return session.show(
        Json::object({{"tasks", tasks},
                      {"workers", workers},
                      {"payload_bytes", bytes},
                      {"submit_per_second", std::round(per_second(load.tasks, submitted - begun))},
                      {"work_per_second", std::round(per_second(load.tasks, ended - submitted))},
                      {"whole_per_second", std::round(per_second(load.tasks, ended - begun))}}));
}

}  // namespace ff::cli
