// Whole tasks, as users see them: submit, claim, complete, with 4 KiB of payload and 16 at a time,
// through every door and on every store, next to BullMQ on the same Valkey. Throughput is tasks
// over the time from the first submission to the last completion while the worker runs; latencies
// are those of single tasks, from submission to the handler. Beside them stand what a task costs:
// CPU time in this process and in the server's, calls through the door, and turns of the worker;
// on a busy machine these say more than the time. FF_BENCH_TASKS sets another count; FF_BENCH_ONLY
// names what is measured, with commas, instead of everything. What the targets compare is measured
// by turns; the middle one of five ratios counts.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "flowfabric/flowfabric.h"
#include "process_facts.h"
#include "report.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"

namespace {

using ff::bench::Report;
using ff::testing::Process;
using ff::testing::TempDir;
using ff::testing::ValkeyServer;
using flowfabric::AdminClient;
using flowfabric::completed;
using flowfabric::Context;
using flowfabric::Json;
using flowfabric::Millis;
using std::chrono::steady_clock;

constexpr std::size_t kBytes = 4096;
constexpr std::size_t kWorkers = 16;
constexpr std::size_t kBatch = 250;
constexpr int kSingles = 200;
/// Of what the targets compare.
constexpr int kRounds = 5;
constexpr Millis kPatience{300'000};
const std::string kSecret(64, 'a');

std::size_t task_count() {
    const char* wanted = std::getenv("FF_BENCH_TASKS");
    return wanted == nullptr ? 10'000 : std::stoul(wanted);
}

/// Counts, and lets one thread wait for a count, which is woken then and not before: a wake-up for
/// each task would be part of what is measured.
class Meter {
  public:
    void done() {
        const std::lock_guard lock(mutex_);
        if (++count_ >= wanted_) changed_.notify_all();
    }
    void wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        wanted_ = count;
        if (!changed_.wait_for(lock, kPatience, [&] { return count_ >= count; }))
            throw std::runtime_error("tasks did not end");
    }

  private:
    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::size_t count_ = 0;
    std::size_t wanted_ = std::numeric_limits<std::size_t>::max();
};

double seconds_since(steady_clock::time_point begun) {
    return std::chrono::duration<double>(steady_clock::now() - begun).count();
}

double own_cpu_us() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto us = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
    };
    return us(used.ru_utime) + us(used.ru_stime);
}

struct Figures {
    double throughput = 0;
    double p50 = 0;
    double p95 = 0;
    double p99 = 0;
    // For each task; 0 where nobody counted.
    double own_cpu_us = 0;
    double server_cpu_us = 0;
    double worker_calls = 0;
};

void set_latencies(Figures& figures, std::vector<double> latencies) {
    std::sort(latencies.begin(), latencies.end());
    const auto at = [&](double share) {
        const auto place = static_cast<std::size_t>(static_cast<double>(latencies.size()) * share);
        return latencies.at(std::min(place, latencies.size() - 1));
    };
    figures.p50 = at(0.5);
    figures.p95 = at(0.95);
    figures.p99 = at(0.99);
}

void add(Report& report, const std::string& name, const Figures& figures) {
    report.add(name + "_per_s", figures.throughput, "/s");
    report.add(name + "_p50_ms", figures.p50, "ms");
    report.add(name + "_p95_ms", figures.p95, "ms");
    report.add(name + "_p99_ms", figures.p99, "ms");
    if (figures.own_cpu_us == 0) return;
    report.add(name + "_cpu_us", figures.own_cpu_us, "us a task");
    if (figures.server_cpu_us > 0)
        report.add(name + "_server_cpu_us", figures.server_cpu_us, "us a task");
    report.add(name + "_worker_calls", figures.worker_calls, "a task");
}

void submit(const AdminClient& client, const std::string& lane, std::size_t tasks,
            const std::string& kind) {
    for (std::size_t sent = 0; sent < tasks; sent += kBatch) {
        const std::vector<flowfabric::NewExecution> batch(
            std::min(kBatch, tasks - sent),
            {.kind = kind, .payload = std::string(kBytes, 'x'), .lane = lane});
        for (const auto& one : client.create_executions(batch).value()) one.value();
    }
}

/// `server` is another process that does the work, if there is one.
Figures measure_tasks(const AdminClient& client, flowfabric::WorkerConfig config,
                      std::optional<pid_t> server = std::nullopt) {
    const std::string lane = config.lanes.front();
    Meter meter;
    std::atomic<std::size_t> calls = 0;
    config.layers.push_back(flowfabric::metrics_layer(
        [&](std::string_view, std::chrono::microseconds, std::string_view) { ++calls; }));
    flowfabric::Runtime runtime(flowfabric::Worker::connect(std::move(config)).value());
    runtime.max_concurrent(kWorkers).on("noop", [&](Context&) {
        meter.done();
        return completed();
    });
    runtime.start();
    const std::size_t tasks = task_count();
    const double own_before = own_cpu_us();
    const double server_before = server ? ff::bench::cpu_seconds(*server) : 0;
    const auto begun = steady_clock::now();
    submit(client, lane, tasks, "noop");
    meter.wait_for(tasks);
    // The last completions are on their way when their handlers have returned.
    while (!client.list_executions({.lane = lane, .state = "active", .limit = 1})
                .value()
                .executions.empty()) {
    }
    const auto count = static_cast<double>(tasks);
    Figures figures{.throughput = count / seconds_since(begun),
                    .own_cpu_us = (own_cpu_us() - own_before) / count,
                    .worker_calls = static_cast<double>(calls) / count};
    if (server)
        figures.server_cpu_us = (ff::bench::cpu_seconds(*server) - server_before) * 1e6 / count;
    std::vector<double> latencies;
    for (int i = 0; i < kSingles; ++i) {
        const auto at = steady_clock::now();
        submit(client, lane, 1, "noop");
        meter.wait_for(tasks + static_cast<std::size_t>(i) + 1);
        latencies.push_back(1000 * seconds_since(at));
    }
    runtime.stop();
    set_latencies(figures, std::move(latencies));
    return figures;
}

/// Suspended, signalled, resumed, completed; one after the other.
double measure_suspensions(const AdminClient& client, const flowfabric::WorkerConfig& config) {
    const std::string lane = config.lanes.front();
    Meter meter;
    flowfabric::Runtime runtime(flowfabric::Worker::connect(config).value());
    runtime.max_concurrent(kWorkers).on("ask", [&](Context& context) {
        if (!context.info().suspension_id.empty()) {
            meter.done();
            return completed();
        }
        const auto asked = context.task().suspend({.signals = {"go"}}).value();
        client
            .deliver_signal(context.task().id(), {.waitpoint_id = asked.waitpoint.waitpoint_id,
                                                  .waitpoint_token = asked.waitpoint.token,
                                                  .name = "go"})
            .value();
        return completed();
    });
    runtime.start();
    const std::size_t tasks = std::max<std::size_t>(10, task_count() / 20);
    const auto begun = steady_clock::now();
    submit(client, lane, tasks, "ask");
    meter.wait_for(tasks);
    const double throughput = static_cast<double>(tasks) / seconds_since(begun);
    runtime.stop();
    return throughput;
}

/// Chains of ten nodes, all at the same time; nodes a second.
double measure_chains(const AdminClient& client, const flowfabric::WorkerConfig& config) {
    constexpr int kNodes = 10;
    const std::string lane = config.lanes.front();
    Meter meter;
    flowfabric::Runtime runtime(flowfabric::Worker::connect(config).value());
    runtime.max_concurrent(kWorkers).on("link", [&](Context&) {
        meter.done();
        return completed();
    });
    runtime.start();
    Json nodes = Json::array();
    for (int i = 0; i < kNodes; ++i) {
        Json node = Json::object({{"name", "n" + std::to_string(i)}, {"execution_kind", "link"}});
        if (i > 0) node.set("depends_on", Json::texts({"n" + std::to_string(i - 1)}));
        nodes.push(std::move(node));
    }
    const Json graph = Json::object({{"flow_kind", "chain"},
                                     {"namespace", "default"},
                                     {"defaults", Json::object({{"lane_id", lane}})},
                                     {"nodes", std::move(nodes)}});
    const std::size_t chains = std::max<std::size_t>(2, task_count() / 100);
    const auto begun = steady_clock::now();
    for (std::size_t i = 0; i < chains; ++i) client.submit_flow(graph).value();
    meter.wait_for(chains * kNodes);
    const double throughput = static_cast<double>(chains * kNodes) / seconds_since(begun);
    runtime.stop();
    return throughput;
}

/// A hundred workers, each the only one that can do its kind of work.
double measure_routing(const AdminClient& client, const flowfabric::WorkerConfig& config) {
    constexpr std::size_t kInstances = 100;
    const std::string lane = config.lanes.front();
    Meter meter;
    std::vector<flowfabric::Runtime> runtimes;
    for (std::size_t i = 0; i < kInstances; ++i) {
        flowfabric::WorkerConfig one = config;
        one.worker_instance_id += "-" + std::to_string(i);
        one.capabilities = {"skill-" + std::to_string(i)};
        runtimes.emplace_back(flowfabric::Worker::connect(std::move(one)).value());
        runtimes.back().max_concurrent(1).on("skilled", [&](Context&) {
            meter.done();
            return completed();
        });
        runtimes.back().start();
    }
    const std::size_t tasks = std::max(kInstances, task_count() / 10);
    std::vector<flowfabric::NewExecution> batch;
    const auto begun = steady_clock::now();
    for (std::size_t i = 0; i < tasks; ++i) {
        batch.push_back({.kind = "skilled",
                         .lane = lane,
                         .policy = R"({"routing_requirements":{"required_capabilities":["skill-)" +
                                   std::to_string(i % kInstances) + R"("]}})"});
        if (batch.size() < kBatch && i + 1 < tasks) continue;
        for (const auto& one : client.create_executions(batch).value()) one.value();
        batch.clear();
    }
    meter.wait_for(tasks);
    const double throughput = static_cast<double>(tasks) / seconds_since(begun);
    for (flowfabric::Runtime& runtime : runtimes) runtime.stop();
    return throughput;
}

flowfabric::WorkerConfig config_of(const std::string& name) {
    return {.worker_id = "bench", .worker_instance_id = name, .lanes = {"lane-" + name}};
}

/// A server process of the program under test.
class Server {
  public:
    explicit Server(std::vector<std::pair<std::string, std::string>> environment)
        : process_({.args = {FF_PROGRAM, "server"}, .env = with_port(std::move(environment))}) {
        constexpr std::string_view kServing = "flowfabric: serving ";
        const auto line = process_.wait_for_line(kServing);
        if (!line) throw std::runtime_error("no server: " + process_.err());
        url_ = line->substr(kServing.size());
    }
    const std::string& url() const { return url_; }
    pid_t pid() const { return process_.pid(); }

  private:
    static std::vector<std::pair<std::string, std::string>> with_port(
        std::vector<std::pair<std::string, std::string>> environment) {
        environment.emplace_back("FF_LISTEN_ADDR", "127.0.0.1:0");
        environment.emplace_back("FF_LOG", "error");
        return environment;
    }
    Process process_;
    std::string url_{};
};

std::vector<std::pair<std::string, std::string>> valkey_environment(const ValkeyServer& valkey) {
    return {{"FF_BACKEND", "valkey"},
            {"FF_HOST", "127.0.0.1"},
            {"FF_PORT", std::to_string(valkey.port())},
            {"FF_WAITPOINT_HMAC_SECRET", kSecret}};
}

Figures over_http(std::vector<std::pair<std::string, std::string>> environment,
                  const std::string& name) {
    const Server server(std::move(environment));
    flowfabric::WorkerConfig config = config_of(name);
    config.server_url = server.url();
    return measure_tasks(AdminClient::connect(server.url()).value(), std::move(config),
                         server.pid());
}

Figures in_process(flowfabric::EngineOptions options, const std::string& name) {
    const auto engine = flowfabric::Engine::open(std::move(options)).value();
    flowfabric::WorkerConfig config = config_of(name);
    config.engine = engine;
    return measure_tasks(engine->client(), std::move(config));
}

Figures direct_on_valkey(const ValkeyServer& valkey) {
    const auto engine = flowfabric::Engine::open({.valkey_host = "127.0.0.1",
                                                  .valkey_port = valkey.port(),
                                                  .waitpoint_secret_hex = kSecret})
                            .value();
    flowfabric::WorkerConfig config = config_of("direct");
    config.host = "127.0.0.1";
    config.port = valkey.port();
    return measure_tasks(engine->client(), std::move(config), valkey.pid());
}

Figures bullmq(const ValkeyServer& valkey) {
    const std::filesystem::path folder = FF_BULLMQ_FOLDER;
    if (!std::filesystem::exists(folder / "node_modules" / "bullmq")) {
        std::filesystem::create_directories(folder);
        const auto installed =
            ff::testing::run_command({"npm", "install", "--prefix", folder.string(), "--no-audit",
                                      "--no-fund", "--silent", "bullmq", "ioredis"},
                                     kPatience);
        if (installed.exit_code != 0) throw std::runtime_error("npm: " + installed.err);
    }
    const auto run = ff::testing::run_command(
        {"node", FF_BULLMQ_SCRIPT, std::to_string(valkey.port()), std::to_string(task_count()),
         std::to_string(kBytes), std::to_string(kWorkers), folder.string()},
        kPatience);
    if (run.exit_code != 0) throw std::runtime_error("bullmq: " + run.err);
    const Json said = Json::parse(run.out).value();
    return {.throughput = said["throughput"].number(),
            .p50 = said["p50"].number(),
            .p95 = said["p95"].number(),
            .p99 = said["p99"].number()};
}

/// True for what the caller of the program wants to know.
bool wanted(std::string_view name) {
    const char* only = std::getenv("FF_BENCH_ONLY");
    if (only == nullptr) return true;
    const std::string list = ',' + std::string(only) + ',';
    return list.find(',' + std::string(name) + ',') != std::string::npos;
}

void measure(Report& report, const std::string& name, const std::function<Figures()>& run) {
    if (wanted(name)) add(report, name, run());
}

void measure_the_rest(Report& report) {
    const auto engine = flowfabric::Engine::open({}).value();
    using Measured = double (*)(const AdminClient&, const flowfabric::WorkerConfig&);
    const auto add_one = [&](const std::string& name, Measured run) {
        if (!wanted(name)) return;
        flowfabric::WorkerConfig config = config_of(name);
        config.engine = engine;
        report.add(name + "_per_s", run(engine->client(), config), "/s");
    };
    add_one("inprocess_suspend_signal_resume", measure_suspensions);
    add_one("inprocess_chain_nodes", measure_chains);
    add_one("inprocess_routing_100_workers", measure_routing);
}

/// What the targets compare, in every round.
struct Compared {
    std::vector<Figures> peer{};
    std::vector<Figures> http{};
    std::vector<Figures> direct{};
    std::vector<Figures> local{};
};

/// What is not wanted is nothing.
void measure_round(std::vector<Figures>& rounds, const std::string& name,
                   const std::function<Figures()>& run) {
    rounds.push_back(wanted(name) ? run() : Figures{});
}

/// By turns: what else the machine does comes and goes, and meets all of them.
Compared measure_by_turns(const TempDir& folders) {
    Compared all;
    for (int round = 0; round < kRounds; ++round) {
        const std::string number = std::to_string(round);
        const ValkeyServer valkey = ValkeyServer::start();
        measure_round(all.peer, "bullmq", [&] { return bullmq(valkey); });
        measure_round(all.http, "http_embedded_always", [&] {
            return over_http({{"FF_DATA_DIR", folders.file("http" + number)}}, "http-always");
        });
        measure_round(all.direct, "direct_valkey", [&] { return direct_on_valkey(valkey); });
        measure_round(all.local, "inprocess_always", [&] {
            return in_process({.data_dir = folders.file("local" + number)}, "local-always");
        });
    }
    return all;
}

/// The figures of the round in the middle.
void add_middle(Report& report, const std::string& name, std::vector<Figures> rounds) {
    if (!wanted(name)) return;
    std::ranges::sort(rounds, {}, &Figures::throughput);
    add(report, name, rounds[rounds.size() / 2]);
}

/// The middle one of the ratios of each round.
void add_ratio(Report& report, const std::string& name, const std::vector<Figures>& ours,
               const std::vector<Figures>& peer) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (ours[i].throughput == 0 || peer[i].throughput == 0) return;
        ratios.push_back(ours[i].throughput / peer[i].throughput);
    }
    std::ranges::sort(ratios);
    report.add_ratio(name, ratios[ratios.size() / 2], 1);
}

}  // namespace

int main(int argc, char** argv) {
    Report report("whole tasks of 4 KiB, 16 at a time, next to BullMQ", argc, argv);
    const TempDir folders;
    const Compared compared = measure_by_turns(folders);
    add_middle(report, "bullmq", compared.peer);
    add_middle(report, "http_embedded_always", compared.http);
    measure(report, "http_embedded_off", [&] {
        return over_http({{"FF_DATA_DIR", folders.file("b")}, {"FF_FSYNC", "off"}}, "http-off");
    });
    const ValkeyServer valkey = ValkeyServer::start();
    measure(report, "http_valkey",
            [&] { return over_http(valkey_environment(valkey), "http-valkey"); });
    add_middle(report, "direct_valkey", compared.direct);
    add_middle(report, "inprocess_always", compared.local);
    measure(report, "inprocess_off", [&] {
        return in_process({.data_dir = folders.file("d"), .fsync = flowfabric::Fsync::Off},
                          "local-off");
    });
    measure_the_rest(report);
    add_ratio(report, "embedded_durable_over_bullmq", compared.http, compared.peer);
    add_ratio(report, "inprocess_over_bullmq", compared.local, compared.peer);
    add_ratio(report, "valkey_direct_over_bullmq", compared.direct, compared.peer);
    return report.finish();
}
