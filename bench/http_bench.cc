// The server as its clients see it: requests for executions and for work over HTTP, against a
// do-nothing route of the same server in the same run, with our own load generator and with wrk;
// how soon it is up, and what it costs when nobody asks. FF_BENCH_MS shortens every round.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "http_load.h"
#include "http_wrk.h"
#include "process_facts.h"
#include "report.h"
#include "support/http_connection.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace ff::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using testing::Process;
using testing::TempDir;

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";
constexpr std::size_t kConnections = 64;
constexpr std::size_t kWorkers = 16;
constexpr std::size_t kTasksAtOnce = 20;
constexpr std::size_t kPayloadBytes = 200;
constexpr int kRounds = 3;

std::chrono::milliseconds round_length() {
    const char* given = std::getenv("FF_BENCH_MS");
    return std::chrono::milliseconds(given == nullptr ? 3000 : std::atoi(given));
}

/// A server process of its own with its data in a folder.
class Server {
  public:
    explicit Server(std::string fsync)
        : start_(SteadyClock::now()),
          process_({.args = {FF_PROGRAM, "server"},
                    .env = {{"FF_DATA_DIR", folder_.file("data")},
                            {"FF_FSYNC", std::move(fsync)},
                            {"FF_LOG", "error"},
                            {"FF_LISTEN_ADDR", "127.0.0.1:0"}}}) {
        const auto line = process_.wait_for_line(kServing);
        if (!line.has_value()) throw std::runtime_error("no server: " + process_.err());
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
        if (testing::http_get(port_, "/healthz").status != 200)
            throw std::runtime_error("the server is not healthy");
        boot_ms_ = std::chrono::duration<double, std::milli>(SteadyClock::now() - start_).count();
    }

    std::uint16_t port() const { return port_; }
    double boot_ms() const { return boot_ms_; }

    double cpu_seconds() const { return bench::cpu_seconds(process_.pid()); }

  private:
    TempDir folder_{};
    SteadyClock::time_point start_;
    Process process_;
    std::uint16_t port_ = 0;
    double boot_ms_ = 0;
};

std::string create_body(std::size_t lane) {
    return R"({"namespace":"bench","execution_kind":"noop","lane_id":"bench-)" +
           std::to_string(lane % kWorkers) + R"(","payload":")" + std::string(kPayloadBytes, 'p') +
           R"("})";
}

LoadResult create_load(const Server& server, std::size_t connections) {
    std::vector<std::string> requests;
    for (std::size_t i = 0; i < connections; ++i)
        requests.push_back(http_request("POST", "/v1/executions", create_body(i)));
    Load load{.port = server.port(), .connections = connections, .duration = round_length()};
    load.next = [&requests](std::size_t i, const std::string&) { return requests[i]; };
    return run_load(load);
}

LoadResult noop_load(const Server& server, std::size_t connections) {
    const std::string request = http_request("GET", "/readyz", "");
    Load load{.port = server.port(), .connections = connections, .duration = round_length()};
    load.next = [&request](std::size_t, const std::string&) { return request; };
    return run_load(load);
}

/// The tasks of a claim's answer as the completions of the next one.
std::string completions_of(const std::string& answer, std::size_t& count) {
    const auto document = json::Document::parse(answer.empty() ? "{}" : answer);
    if (!document.has_value()) throw std::runtime_error("no JSON: " + answer.substr(0, 200));
    const auto tasks = document->root().find("tasks");
    std::string out;
    for (std::size_t i = 0; tasks && i < tasks->size(); ++i) {
        const json::Value task = tasks->element(i);
        out += (out.empty() ? "" : ",") +
               (R"({"execution_id":)" + task.find("execution_id")->to_text() + R"(,"task_token":)" +
                task.find("task_token")->to_text() + R"(,"result":"done"})");
        ++count;
    }
    return out;
}

/// Every connection is a worker: it completes what it holds and claims the next batch, one request
/// for both.
LoadResult work_load(const Server& server, std::size_t& completed) {
    Load load{.port = server.port(), .connections = kWorkers, .duration = round_length()};
    load.next = [&completed](std::size_t i, const std::string& answer) {
        const std::string worker = std::to_string(i);
        const std::string body = R"({"worker_instance_id":"w)" + worker + R"(","lanes":["bench-)" +
                                 worker + R"("],"max_tasks":)" + std::to_string(kTasksAtOnce) +
                                 R"(,"completions":[)" + completions_of(answer, completed) + "]}";
        return http_request("POST", "/v1/workers/bench/tasks/claim", body);
    };
    return run_load(load);
}

void check(const LoadResult& result, const char* what) {
    if (result.refused * 100 > result.answered)
        throw std::runtime_error(std::string(what) + ": refused " + std::to_string(result.refused) +
                                 " of " + std::to_string(result.answered));
}

void add_load(Report& report, const std::string& name, const LoadResult& result) {
    report.add(name + "_per_s", result.per_second(), "1/s");
    report.add(name + "_p50_us", result.percentile_us(50), "us");
    report.add(name + "_p99_us", result.percentile_us(99), "us");
}

/// Creates and do-nothing requests take turns, so that both meet the same machine.
void measure_creates(Report& report, const std::string& fsync, const std::string& suffix) {
    const Server server(fsync);
    LoadResult best_create;
    LoadResult best_noop;
    double ratio = 0;
    double cpu_us = 0;
    for (int round = 0; round < kRounds; ++round) {
        LoadResult noop = noop_load(server, kConnections);
        const double before = server.cpu_seconds();
        LoadResult create = create_load(server, kConnections);
        check(create, "create");
        if (create.per_second() / noop.per_second() < ratio) continue;
        ratio = create.per_second() / noop.per_second();
        cpu_us = (server.cpu_seconds() - before) * 1e6 / static_cast<double>(create.answered);
        best_create = std::move(create);
        best_noop = std::move(noop);
    }
    add_load(report, "noop_64" + suffix, best_noop);
    add_load(report, "create_64" + suffix, best_create);
    report.add("create_cpu_us" + suffix, cpu_us, "us");
    report.add_ratio("create_over_noop_64" + suffix, best_create.per_second(),
                     best_noop.per_second());
}

void add_wrk(Report& report, const std::string& name, const WrkResult& result) {
    report.add(name + "_per_s", result.per_second, "1/s");
    report.add(name + "_p50_us", result.p50_us, "us");
    report.add(name + "_p99_us", result.p99_us, "us");
}

/// The same as wrk sees it, a generator that others use as well: it keeps ours honest.
void measure_with_wrk(Report& report, const std::string& fsync, const std::string& suffix) {
    const Server server(fsync);
    WrkResult best_noop;
    WrkResult best_create;
    for (int round = 0; round < kRounds; ++round) {
        WrkLoad load{.port = server.port(),
                     .target = "/readyz",
                     .connections = kConnections,
                     .duration = round_length()};
        const WrkResult noop = run_wrk(load);
        load.target = "/v1/executions";
        load.script = FF_WRK_SCRIPT;
        const WrkResult create = run_wrk(load);
        if (create.refused > 0) throw std::runtime_error("wrk: creates were refused");
        if (noop.per_second > best_noop.per_second) best_noop = noop;
        if (create.per_second > best_create.per_second) best_create = create;
    }
    add_wrk(report, "wrk_noop_64" + suffix, best_noop);
    add_wrk(report, "wrk_create_64" + suffix, best_create);
    report.add_ratio("wrk_create_over_noop_64" + suffix, best_create.per_second,
                     best_noop.per_second);
}

void measure_work(Report& report, const std::string& fsync, const std::string& suffix) {
    const Server server(fsync);
    const LoadResult created = create_load(server, kConnections);
    check(created, "create");
    std::size_t completed = 0;
    const LoadResult work = work_load(server, completed);
    check(work, "claim and complete");
    add_load(report, "claim_complete_batch" + suffix, work);
    report.add("tasks_completed" + suffix + "_per_s", static_cast<double>(completed) / work.seconds,
               "1/s");
}

void measure_boot(Report& report) {
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
        const Server server("always");
        best = round == 0 ? server.boot_ms() : std::min(best, server.boot_ms());
    }
    report.add("boot_ms", best, "ms");
}

void measure_idle(Report& report) {
    const Server server("always");
    const auto span = round_length() * 3;
    const double before = server.cpu_seconds();
    std::this_thread::sleep_for(span);
    const double used = server.cpu_seconds() - before;
    report.add("idle_cpu_pct", 100 * used / std::chrono::duration<double>(span).count(), "%");
}

}  // namespace
}  // namespace ff::bench

int main(int argc, char** argv) {
    using namespace ff::bench;
    Report report("http: the server over HTTP", argc, argv);
    try {
        measure_boot(report);
        measure_idle(report);
        measure_creates(report, "off", "");
        measure_creates(report, "always", "_durable");
        measure_with_wrk(report, "off", "");
        measure_with_wrk(report, "always", "_durable");
        measure_work(report, "off", "");
        measure_work(report, "always", "_durable");
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "http_bench: %s\n", failure.what());
        return 1;
    }
    return report.finish();
}
