// The whole life of a task, create -> claim -> complete, through the engine's operations: on the
// embedded store without and with durability, and on Valkey, in one run.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/types.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/random.h"
#include "base/task_group.h"
#include "engine/complete_and_claim.h"
#include "engine/create_batch.h"
#include "engine/operation.h"
#include "host/embedded_store.h"
#include "model/library.h"
#include "report.h"
#include "support/run.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"
#include "valkey/valkey_store.h"

namespace ff::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kPayloadBytes = 200;
constexpr std::size_t kBatch = 20;
constexpr Seconds kRound{1.5};

const model::LaneId kLane = *model::LaneId::parse("bench");
const model::Namespace kNamespace = *model::Namespace::parse("bench");
const model::WorkerId kWorker = *model::WorkerId::parse("worker");
const model::WorkerInstanceId kInstance = *model::WorkerInstanceId::parse("worker-1");

/// One series of tasks in one partition, one after the other or in batches.
struct Series {
    store::Store& store;
    SeededRandom random;
    std::uint16_t partition = 0;
    std::size_t batch = 1;
    SteadyClock::time_point until{};
    std::vector<double> latencies_us{};
    std::size_t done = 0;
};

model::ExecutionId new_id(Series& series) {
    const std::string text = "{fp:" + std::to_string(series.partition) +
                             "}:" + model::Uuid::mint_v4(series.random).to_string();
    return *model::ExecutionId::parse(text);
}

engine::CreateExecution new_task(Series& series) {
    return {.execution_id = new_id(series),
            .ns = kNamespace,
            .lane = kLane,
            .execution_kind = "noop",
            .payload = std::string(kPayloadBytes, 'x')};
}

engine::ClaimBatch new_claim(Series& series) {
    engine::ClaimBatch claim{.partition = model::PartitionKey::flow(series.partition),
                             .worker_id = kWorker,
                             .worker_instance_id = kInstance,
                             .lane = kLane,
                             .reclaim_first = false};
    for (std::size_t i = 0; i < series.batch; ++i) {
        claim.leases.push_back({.lease_id = model::LeaseId::mint(series.random),
                                .attempt_id = model::AttemptId::mint(series.random)});
    }
    return claim;
}

template <class T>
T must(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "bench: %s\n", result.error().text().c_str());
        std::abort();
    }
    return *std::move(result);
}

boost::asio::awaitable<void> one_by_one(Series& series) {
    while (SteadyClock::now() < series.until) {
        const auto start = SteadyClock::now();
        engine::CreateExecution create = new_task(series);
        auto created = co_await engine::run(series.store, std::move(create));
        must(std::move(created));
        engine::ClaimBatch claim = new_claim(series);
        auto claimed = co_await engine::run(series.store, std::move(claim));
        const engine::ClaimedBatch tasks = must(std::move(claimed));
        FF_ASSERT(tasks.claimed.size() == 1);
        engine::CompleteExecution complete{.execution_id = tasks.claimed[0].execution_id,
                                           .fence = tasks.claimed[0].fence,
                                           .result = "done"};
        auto completed = co_await engine::run(series.store, std::move(complete));
        must(std::move(completed));
        const std::chrono::duration<double, std::micro> took = SteadyClock::now() - start;
        series.latencies_us.push_back(took.count());
        ++series.done;
    }
}

boost::asio::awaitable<void> in_batches(Series& series) {
    while (SteadyClock::now() < series.until) {
        const auto start = SteadyClock::now();
        engine::CreateBatch create{.partition = model::PartitionKey::flow(series.partition)};
        for (std::size_t i = 0; i < series.batch; ++i)
            create.executions.push_back(new_task(series));
        auto created = co_await engine::run(series.store, std::move(create));
        must(std::move(created));
        engine::ClaimBatch claim = new_claim(series);
        auto claimed = co_await engine::run(series.store, std::move(claim));
        const engine::ClaimedBatch tasks = must(std::move(claimed));
        FF_ASSERT(tasks.claimed.size() == series.batch);
        engine::CompleteAndClaim complete{.claim = new_claim(series), .complete_only = true};
        for (const engine::ClaimedTask& task : tasks.claimed) {
            complete.completions.push_back(engine::CompleteExecution{
                .execution_id = task.execution_id, .fence = task.fence, .result = "done"});
        }
        auto completed = co_await engine::run(series.store, std::move(complete));
        for (auto& item : must(std::move(completed)).completed) must(std::move(item));
        const std::chrono::duration<double, std::micro> took = SteadyClock::now() - start;
        series.latencies_us.push_back(took.count());
        series.done += series.batch;
    }
}

/// CPU time of each thread of a process.
std::map<std::string, double> thread_times_us(pid_t pid) {
    std::map<std::string, double> times;
    const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
        std::ifstream facts(task.path() / "schedstat");
        double ns = 0;
        if (facts >> ns) times[task.path().filename()] = ns / 1000;
    }
    return times;
}

struct Rate {
    double per_second = 0;
    /// CPU time for one task of the thread that took most: what bounds the rate when nothing else
    /// does, and hardly depends on what else the machine does.
    double busiest_us = 0;
    double p50_us = 0;
    double p99_us = 0;
};

double percentile(std::vector<double>& sorted, double share) {
    if (sorted.empty()) return 0;
    const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
    return sorted[index];
}

Rate summarise(const std::vector<std::unique_ptr<Series>>& all, Seconds took) {
    std::vector<double> latencies;
    std::size_t done = 0;
    for (const auto& series : all) {
        done += series->done;
        latencies.insert(latencies.end(), series->latencies_us.begin(), series->latencies_us.end());
    }
    std::ranges::sort(latencies);
    return {.per_second = static_cast<double>(done) / took.count(),
            .p50_us = percentile(latencies, 0.5),
            .p99_us = percentile(latencies, 0.99)};
}

/// Where tasks are run: a store, its callers' loop, and the process that has the data.
struct Place {
    boost::asio::io_context& loop;
    store::Store& store;
    pid_t pid = 0;
};

/// Runs `in_flight` series at once on the loop that belongs to the store.
Rate measure(const Place& place, std::size_t in_flight, std::size_t batch) {
    std::vector<std::unique_ptr<Series>> all;
    auto times = thread_times_us(place.pid);
    const auto start = SteadyClock::now();
    const auto until = start + std::chrono::duration_cast<SteadyClock::duration>(kRound);
    TaskGroup group(place.loop.get_executor(), "lifecycle");
    for (std::size_t i = 0; i < in_flight; ++i) {
        all.push_back(
            std::make_unique<Series>(Series{.store = place.store,
                                            .random = SeededRandom(std::random_device{}()),
                                            .partition = static_cast<std::uint16_t>(i),
                                            .batch = batch,
                                            .until = until}));
        group.spawn(batch == 1 ? one_by_one(*all.back()) : in_batches(*all.back()));
    }
    testing::run(place.loop, group.join());
    const Seconds took = SteadyClock::now() - start;
    Rate rate = summarise(all, took);
    const double tasks = rate.per_second * took.count();
    for (const auto& [thread, time] : thread_times_us(place.pid))
        rate.busiest_us = std::max(rate.busiest_us, (time - times[thread]) / tasks);
    return rate;
}

void measure_store(Report& report, const std::string& name, const Place& place) {
    for (const std::size_t batch : {std::size_t{1}, kBatch}) {
        for (const std::size_t in_flight : {1U, 16U, 64U}) {
            const Rate rate = measure(place, in_flight, batch);
            const std::string suffix =
                (batch == 1 ? "" : "_batch20") + ("_" + std::to_string(in_flight));
            report.add(name + suffix, rate.per_second, "tasks/s");
            report.add(name + "_busiest_thread" + suffix, rate.busiest_us, "us");
            report.add(name + "_p50" + suffix, rate.p50_us, "us");
            report.add(name + "_p99" + suffix, rate.p99_us, "us");
        }
    }
}

double calls_per_call(host::EmbeddedStore& store, std::string_view function) {
    for (const host::FunctionCount& count : store.function_counts()) {
        if (count.name == function) {
            return static_cast<double>(count.store_calls) / static_cast<double>(count.calls);
        }
    }
    return 0;
}

/// What single calls of the hot path cost, and how much an execution keeps in memory.
void measure_costs(Report& report) {
    host::EmbeddedOptions options;
    options.library = model::library_text();
    auto store = must(host::EmbeddedStore::open(options));
    boost::asio::io_context loop;
    constexpr std::size_t kTasks = 16;
    Series series{.store = *store,
                  .random = SeededRandom(1),
                  .batch = kTasks,
                  .until = SteadyClock::now() + std::chrono::hours(1)};
    const auto once = [](Series& from) -> boost::asio::awaitable<void> {
        for (std::size_t i = 0; i < kTasks; ++i) {
            engine::CreateExecution create = new_task(from);
            auto created = co_await engine::run(from.store, std::move(create));
            must(std::move(created));
        }
        engine::ClaimBatch claim = new_claim(from);
        claim.request_id = "once";
        auto claimed = co_await engine::run(from.store, std::move(claim));
        for (const engine::ClaimedTask& task : must(std::move(claimed)).claimed) {
            engine::CompleteExecution complete{
                .execution_id = task.execution_id, .fence = task.fence, .result = "done"};
            auto completed = co_await engine::run(from.store, std::move(complete));
            must(std::move(completed));
        }
    };
    TaskGroup group(loop.get_executor(), "costs");
    group.spawn(once(series));
    testing::run(loop, group.join());
    report.add("calls_create", calls_per_call(*store, "ff_create_execution"), "calls");
    report.add("calls_claim_n16", calls_per_call(*store, "ff_claim_batch") / kTasks, "calls");
    report.add("calls_complete", calls_per_call(*store, "ff_complete_execution"), "calls");
    std::uint64_t bytes = 0;
    for (const host::ShardFacts& facts : store->facts()) bytes += facts.keyspace_bytes;
    report.add("bytes_per_execution", static_cast<double>(bytes) / kTasks, "bytes");
    store->stop_and_wait();
}

/// An embedded store in a folder of its own. `shards` 0 takes the store's own choice, which leaves
/// half the cores to its callers.
class Embedded {
  public:
    explicit Embedded(journal::Fsync fsync, std::uint32_t shards = 0) {
        host::EmbeddedOptions options;
        options.folder = folder_.file("data");
        options.fsync = fsync;
        options.shards = shards;
        options.library = model::library_text();
        store_ = must(host::EmbeddedStore::open(options));
    }
    ~Embedded() { store_->stop_and_wait(); }
    Embedded(const Embedded&) = delete;
    Embedded& operator=(const Embedded&) = delete;

    Place place() { return {.loop = loop_, .store = *store_, .pid = getpid()}; }

  private:
    testing::TempDir folder_{};
    std::unique_ptr<host::EmbeddedStore> store_{};
    boost::asio::io_context loop_{1};
};

class Valkey {
  public:
    Valkey() {
        valkey::Options options{.addresses = {{.host = "127.0.0.1", .port = server_.port()}}};
        options.library = valkey::Library{.source = model::library_text(),
                                          .version = model::library_version(),
                                          .digest = std::string(model::library_digest())};
        auto opened = testing::run(loop_, valkey::ValkeyStore::open(loop_.get_executor(), random_,
                                                                    probe_, std::move(options)));
        store_ = must(std::move(opened));
        must(testing::run(loop_, store_->ensure_library()));
    }
    ~Valkey() { testing::run(loop_, store_->stop()); }
    Valkey(const Valkey&) = delete;
    Valkey& operator=(const Valkey&) = delete;

    Place place() { return {.loop = loop_, .store = *store_, .pid = server_.pid()}; }

  private:
    testing::ValkeyServer server_ = testing::ValkeyServer::start({});
    boost::asio::io_context loop_{1};
    SecureRandom random_{};
    valkey::Probe probe_{};
    std::unique_ptr<valkey::ValkeyStore> store_{};
};

/// The two by turns, and the middle one of their ratios: what else the machine does comes and goes
/// within seconds, and would otherwise meet one of them only.
double ratio_by_turns(const Place& one, const Place& other) {
    constexpr int kTurns = 5;
    constexpr std::size_t kInFlight = 64;
    std::vector<double> ratios;
    for (int i = 0; i < kTurns; ++i) {
        const double first = measure(one, kInFlight, 1).per_second;
        ratios.push_back(first / measure(other, kInFlight, 1).per_second);
    }
    std::ranges::sort(ratios);
    return percentile(ratios, 0.5);
}

void measure_embedded(Report& report, const std::string& name, journal::Fsync fsync,
                      std::uint32_t shards = 0) {
    Embedded embedded(fsync, shards);
    measure_store(report, name, embedded.place());
}

int run(int argc, char** argv) {
    Report report("Life of a task: create, claim, complete", argc, argv);
    measure_costs(report);
    Embedded embedded(journal::Fsync::Off);
    measure_store(report, "embedded_off", embedded.place());
    measure_embedded(report, "embedded_always", journal::Fsync::Always);
    // A shard for every core: what a machine gives that does little else.
    measure_embedded(report, "embedded_wide", journal::Fsync::Off,
                     std::max(1U, std::thread::hardware_concurrency()));
    Valkey valkey;
    measure_store(report, "valkey", valkey.place());
    report.add_ratio("embedded_over_valkey_64", ratio_by_turns(embedded.place(), valkey.place()),
                     1);
    for (const std::string suffix : {"_1", "_16", "_64", "_batch20_64"}) {
        if (suffix != "_64")
            report.add_ratio("embedded_over_valkey" + suffix, report.value("embedded_off" + suffix),
                             report.value("valkey" + suffix));
        report.add_ratio("embedded_wide_over_valkey" + suffix,
                         report.value("embedded_wide" + suffix), report.value("valkey" + suffix));
    }
    return report.finish();
}

}  // namespace
}  // namespace ff::bench

int main(int argc, char** argv) {
    return ff::bench::run(argc, argv);
}
