#include "sdk/lease_keeper.h"

#include <algorithm>

#include "base/log.h"
#include "sdk/public_error.h"
#include "sdk/task_state.h"
#include "sdk/words.h"

namespace ff::sdk {
namespace {

using flowfabric::Json;
using std::chrono::steady_clock;

constexpr std::size_t kLeasesPerCall = 256;
constexpr flowfabric::Millis kCallTimeoutMax{10'000};

}  // namespace

LeaseKeeper::LeaseKeeper(Options options) : options_(std::move(options)) {}

LeaseKeeper::~LeaseKeeper() {
    stop();
}

void LeaseKeeper::start() {
    heartbeat_due_ = steady_clock::now() + options_.lease_ttl / 3;
    thread_ = std::jthread([this](const std::stop_token& stopped) { run(stopped); });
}

void LeaseKeeper::stop() {
    thread_.request_stop();
    if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
}

void LeaseKeeper::watch(const std::shared_ptr<TaskState>& task) {
    const std::lock_guard lock(mutex_);
    // The thread need not be woken: the heartbeat comes no later than a third of a lease from now.
    watched_[task.get()] = {.task = task, .due = steady_clock::now() + options_.lease_ttl / 3};
}

void LeaseKeeper::forget(const TaskState* task) {
    const std::lock_guard lock(mutex_);
    watched_.erase(task);
}

void LeaseKeeper::run(const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
        bool beat = false;
        {
            std::unique_lock lock(mutex_);
            Time next = heartbeat_due_;
            for (const auto& [task, watched] : watched_) next = std::min(next, watched.due);
            changed_.wait_until(lock, stopped, next, [] { return false; });
            if (stopped.stop_requested()) return;
            beat = steady_clock::now() >= heartbeat_due_;
            if (beat) heartbeat_due_ = steady_clock::now() + options_.lease_ttl / 3;
        }
        renew(take_due(steady_clock::now()));
        if (beat && options_.heartbeat) options_.heartbeat();
    }
}

std::vector<std::shared_ptr<TaskState>> LeaseKeeper::take_due(Time now) {
    std::vector<std::shared_ptr<TaskState>> due;
    const std::lock_guard lock(mutex_);
    for (auto entry = watched_.begin(); entry != watched_.end();) {
        std::shared_ptr<TaskState> task = entry->second.task.lock();
        if (!task) {
            entry = watched_.erase(entry);
            continue;
        }
        if (entry->second.due <= now) {
            entry->second.due = now + options_.lease_ttl / 3;
            due.push_back(std::move(task));
        }
        ++entry;
    }
    return due;
}

void LeaseKeeper::renew(const std::vector<std::shared_ptr<TaskState>>& tasks) {
    for (std::size_t from = 0; from < tasks.size(); from += kLeasesPerCall) {
        const std::size_t to = std::min(from + kLeasesPerCall, tasks.size());
        renew_batch({tasks.begin() + static_cast<std::ptrdiff_t>(from),
                     tasks.begin() + static_cast<std::ptrdiff_t>(to)});
    }
}

void LeaseKeeper::renew_batch(const std::vector<std::shared_ptr<TaskState>>& tasks) {
    Json leases = Json::array();
    for (const auto& task : tasks)
        leases.push(Json::object(
            {{"execution_id", task->info.execution_id}, {"lease", lease_json(task->lease())}}));
    Json body = Json::object({{"worker_instance_id", options_.worker_instance_id},
                              {"lease_ttl_ms", options_.lease_ttl.count()},
                              {"leases", std::move(leases)}});
    const auto reply = ask(
        *options_.door, {.operation = "renew",
                         .method = "POST",
                         .target = "/v1/workers/" + percent(options_.worker_id) + "/leases/renew",
                         .body = body.dump(),
                         .timeout = std::min(kCallTimeoutMax, options_.lease_ttl / 3)});
    const Json::Array none;
    const Json::Array& results = reply ? (*reply)["results"].items() : none;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (!reply) {
            tasks[i]->renewal_failed(reply.error());
        } else if (i >= results.size()) {
            tasks[i]->renewal_failed(malformed_response("renew", "a result is missing"));
        } else if (results[i]["status"].text() == "renewed") {
            tasks[i]->renewed();
        } else {
            tasks[i]->renewal_failed(error_of_item(results[i]));
        }
        const std::lock_guard lock(tasks[i]->mutex);
        if (tasks[i]->lost) forget(tasks[i].get());
    }
}

}  // namespace ff::sdk
