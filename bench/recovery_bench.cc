// How soon a server is back after a kill: with a million executions that wait, and with half a
// million that ended and kept 4 KiB each; from the log alone and after a snapshot. What a million
// that wait cost when nobody asks, and what one wake-up costs among many waiting claims.
// The system's cache holds nothing of the data when a start begins, as after a reboot.
// FF_BENCH_SHARE=3 makes a shorter run of it, with a third of the executions; with less of them no
// snapshot is due.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/json.h"
#include "process_facts.h"
#include "report.h"
#include "support/http_connection.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "wake_waiters.h"

namespace ff::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using testing::HttpConnection;
using testing::HttpReply;
using testing::TempDir;

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";
constexpr Millis kStartMost{300'000};
constexpr std::size_t kCreatedAtOnce = 1'000;
constexpr std::size_t kCompletedAtOnce = 256;
constexpr std::size_t kMillion = 1'000'000;
/// Of FF_RECOVERY_TARGET_S: so long that no snapshot is due for it, and so short that one is soon.
constexpr const char* kNoSnapshot = "3600";
constexpr const char* kSnapshotSoon = "1";
/// A server that was just started has more to do than one that has been there for a while.
constexpr std::chrono::seconds kSettles{15};
constexpr std::chrono::seconds kIdle{60};

std::size_t share() {
    const char* text = std::getenv("FF_BENCH_SHARE");
    const int given = text == nullptr ? 0 : std::atoi(text);
    return given > 0 ? static_cast<std::size_t>(given) : 1;
}

/// What was written is on the disk and no longer in the system's memory.
void forget_cached(const std::string& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) throw std::runtime_error("cannot open " + entry.path().string());
        const bool forgotten =
            ::fsync(file) == 0 && ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0;
        ::close(file);
        if (!forgotten) throw std::runtime_error("cannot sync " + entry.path().string());
    }
}

/// A server process on a folder that may hold data already.
class Server {
  public:
    Server(const std::string& folder, std::vector<std::pair<std::string, std::string>> more = {})
        : folder_(folder),
          process_({.args = {FF_PROGRAM, "server"}, .env = environment(folder, std::move(more))}) {
        const auto line = process_.wait_for_line(kServing, kStartMost);
        if (!line.has_value()) throw std::runtime_error("no server: " + process_.err());
        seconds_ = std::chrono::duration<double>(SteadyClock::now() - begun_).count();
        cpu_of_start_ = cpu();
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }
    /// From the start of the process until it serves.
    double seconds() const { return seconds_; }
    double peak_mib() const { return memory_bytes(process_.pid(), "VmHWM") / (1U << 20U); }
    double cpu() const { return cpu_seconds(process_.pid()); }
    double cpu_of_start() const { return cpu_of_start_; }
    HttpConnection connect() const { return HttpConnection::connect(port_); }
    void kill() {
        process_.kill();
        forget_cached(folder_);
    }

    bool has_made_a_snapshot() const {
        const std::string name = "\nff_store_snapshots_total ";
        const std::string metrics = testing::http_get(port_, "/metrics").body;
        const std::size_t at = metrics.find(name);
        return at != std::string::npos && std::stod(metrics.substr(at + name.size())) > 0;
    }

  private:
    static std::vector<std::pair<std::string, std::string>> environment(
        const std::string& folder, std::vector<std::pair<std::string, std::string>> more) {
        more.insert(
            more.end(),
            {{"FF_DATA_DIR", folder}, {"FF_LOG", "error"}, {"FF_LISTEN_ADDR", "127.0.0.1:0"}});
        return more;
    }

    std::string folder_;
    SteadyClock::time_point begun_ = SteadyClock::now();
    testing::Process process_;
    double seconds_ = 0;
    double cpu_of_start_ = 0;
    std::uint16_t port_ = 0;
};

HttpReply must_post(HttpConnection& connection, const std::string& target,
                    const std::string& body) {
    HttpReply reply = connection.post(target, body);
    if (reply.status != 200) throw std::runtime_error(target + ": " + reply.body.substr(0, 300));
    return reply;
}

void create(const Server& server, std::size_t executions, std::size_t payload_bytes) {
    HttpConnection connection = server.connect();
    const std::string one = R"({"namespace":"bench","execution_kind":"noop","lane_id":"bench",)"
                            R"("payload":")" +
                            std::string(payload_bytes, 'p') + R"("})";
    for (std::size_t made = 0; made < executions;) {
        const std::size_t count = std::min(kCreatedAtOnce, executions - made);
        std::string body = R"({"executions":[)" + one;
        for (std::size_t i = 1; i < count; ++i) body += "," + one;
        must_post(connection, "/v1/executions/batch", body + "]}");
        made += count;
    }
}

/// Each call completes what the one before has claimed.
void work_off(const Server& server, std::size_t executions) {
    HttpConnection connection = server.connect();
    std::string completions;
    std::size_t held = 0;
    for (std::size_t ended = 0; ended < executions;) {
        const HttpReply reply = must_post(
            connection, "/v1/workers/bench/tasks/claim",
            R"({"worker_instance_id":"bench-1","lanes":["bench"],"include_payload":false,)"
            R"("max_tasks":)" +
                std::to_string(kCompletedAtOnce) + R"(,"completions":[)" + completions + "]}");
        ended += held;
        const auto answer = json::Document::parse(reply.body);
        if (!answer.has_value()) throw std::runtime_error("no JSON: " + reply.body.substr(0, 300));
        completions.clear();
        const auto tasks = answer->root().find("tasks");
        held = tasks ? tasks->size() : 0;
        if (held == 0 && ended < executions) throw std::runtime_error("there is no more work");
        for (std::size_t i = 0; i < held; ++i) {
            const json::Value task = tasks->element(i);
            completions += (completions.empty() ? "" : ",") +
                           (R"({"execution_id":)" + task.find("execution_id")->to_text() +
                            R"(,"task_token":)" + task.find("task_token")->to_text() + "}");
        }
    }
}

/// What a folder is filled with.
struct Content {
    std::string name;
    std::string restart;
    std::string idle;
    std::size_t executions;
    std::size_t payload_bytes;
    bool ended;

    void fill(const Server& server) const {
        create(server, executions, payload_bytes);
        if (ended) work_off(server, executions);
    }
};

/// How long a start took, also as CPU time, which means the same on a busy machine.
void add_start(Report& report, const std::string& name, const Server& server, double seconds) {
    report.add(name + "_s", seconds, "s");
    report.add(name + "_cpu_s", server.cpu_of_start(), "s");
    report.add(name + "_peak_mib", server.peak_mib(), "MiB");
}

void add_source(Report& report, const Content& content, const std::string& source,
                const Server& server) {
    const double per_million =
        server.seconds() * static_cast<double>(kMillion) / static_cast<double>(content.executions);
    report.add(content.name + "_" + source + "_s_per_million", per_million, "s");
    add_start(report, content.name + "_" + source, server, server.seconds());
}

double idle_cpu_pct(const Server& server) {
    const double before = server.cpu();
    std::this_thread::sleep_for(kIdle);
    return 100 * (server.cpu() - before) / std::chrono::duration<double>(kIdle).count();
}

/// One after the other on the same data: the log alone; what a server with default settings makes
/// of it while it runs; a snapshot.
void measure(Report& report, const Content& content) {
    const TempDir folder;
    const std::string data = folder.file("data");
    bool made = false;
    {
        Server server(data, {{"FF_RECOVERY_TARGET_S", kNoSnapshot}});
        content.fill(server);
        made = server.has_made_a_snapshot();
        server.kill();
    }
    // Where the log has become longer than the data, no setting keeps a snapshot from being made.
    if (!made) {
        Server server(data, {{"FF_RECOVERY_TARGET_S", kNoSnapshot}});
        add_source(report, content, "log_only", server);
        server.kill();
    }
    {
        Server server(data);
        std::this_thread::sleep_for(kSettles);
        if (!content.idle.empty()) report.add(content.idle, idle_cpu_pct(server), "%");
        made = made || server.has_made_a_snapshot();
        server.kill();
    }
    {
        Server server(data, {{"FF_RECOVERY_TARGET_S", kSnapshotSoon}});
        add_start(report, content.restart, server, server.seconds());
        // A slow machine has one already: there the log alone takes longer than it may.
        if (!made && !testing::wait_until([&] { return server.has_made_a_snapshot(); }, kStartMost))
            throw std::runtime_error(content.name + ": no snapshot was made");
        server.kill();
    }
    const Server server(data);
    add_source(report, content, "snapshot", server);
}

void measure_wakes(Report& report) {
    const double of_ten = wake_one_of(10);
    const double of_many = wake_one_of(10'000);
    report.add("wake_one_of_10", of_ten, "ms");
    report.add("wake_one_of_10k", of_many, "ms");
    report.add_ratio("wake_one_of_10k_over_wake_one_of_10", of_many, of_ten);
}

void run(Report& report) {
    const Content waiting{.name = "waiting",
                          .restart = "restart_1m_waiting",
                          .idle = "idle_cpu_1m_pct",
                          .executions = kMillion / share(),
                          .payload_bytes = 100,
                          .ended = false};
    const Content finished{.name = "finished_4k",
                           .restart = "restart_500k_finished_4k",
                           .idle = "",
                           .executions = kMillion / 2 / share(),
                           .payload_bytes = 4096,
                           .ended = true};
    measure(report, waiting);
    measure(report, finished);
    measure_wakes(report);
}

}  // namespace
}  // namespace ff::bench

int main(int argc, char** argv) {
    ff::bench::Report report("recovery: starts after a kill, and what waiting costs", argc, argv);
    try {
        ff::bench::run(report);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "recovery_bench: %s\n", failure.what());
        // What was measured until then took minutes.
        report.finish();
        return 1;
    }
    return report.finish();
}
