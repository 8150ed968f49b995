// What the embedded store can do: commands in the process and through its RESP door, against a
// Valkey without persistence in the same run; what durability costs; start-up and memory of a
// million small hashes.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <unistd.h>

#include "base/log.h"
#include "host/embedded_store.h"
#include "host/resp_door.h"
#include "process_facts.h"
#include "report.h"
#include "support/process.h"
#include "support/run.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"

namespace {

namespace asio = boost::asio;
using ff::bench::Report;
using ff::host::EmbeddedStore;
using ff::testing::RespConnection;
using ff::testing::TempDir;
using ff::testing::ValkeyServer;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr std::chrono::milliseconds kRound{600};
constexpr int kRounds = 3;
constexpr int kKeys = 10'000;
constexpr int kHashes = 1'000'000;
constexpr const char* kProbe = "--startup-probe";

struct Workload {
    std::string name{};
    /// `__rand_int__` stands for a number below kKeys, as valkey-benchmark has it.
    Words words{};
};

const std::array<Workload, 6> kWorkloads = {{
    {"set", {"SET", "key:__rand_int__", "sixteen bytes..."}},
    {"get", {"GET", "key:__rand_int__"}},
    {"hset", {"HSET", "hash:__rand_int__", "field", "sixteen bytes..."}},
    {"zadd", {"ZADD", "{z}:queue", "1", "member:__rand_int__"}},
    {"zrange", {"ZRANGE", "{z}:queue", "0", "9"}},
    {"xadd", {"XADD", "{x}:feed", "MAXLEN", "~", "1000", "*", "field", "sixteen bytes..."}},
}};

/// Exits: a benchmark without its subject has nothing to say.
template <class T>
T must(ff::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().text());
    return *std::move(result);
}

/// Writes what a transition of the engine writes: a record, an index and an event.
constexpr const char* kLibrary =
    "#!lua name=bench\n"
    "redis.register_function('transition', function(keys, args)\n"
    "  redis.call('HSET', keys[1], 'state', 'active', 'lease', args[1], 'epoch', '7',\n"
    "    'owner', 'worker-1', 'attempt', '1', 'updated', args[1])\n"
    "  redis.call('ZADD', keys[2], args[1], keys[1])\n"
    "  redis.call('XADD', keys[3], 'MAXLEN', '~', '1000', '*', 'kind', 'claimed', 'id', keys[1])\n"
    "  return {1, 'OK'}\n"
    "end)\n";
const Words kTransition = {"FCALL",    "transition",   "3", "{t}:core:__rand_int__", "{t}:index",
                           "{t}:feed", "1700000000000"};

std::unique_ptr<EmbeddedStore> open_store(const std::string& folder, ff::journal::Fsync fsync,
                                          std::uint64_t snapshot_log_bytes = 256U << 20) {
    ff::host::EmbeddedOptions options{
        .folder = folder, .fsync = fsync, .shards = 1, .library = kLibrary};
    options.shard.snapshot_log_bytes = snapshot_log_bytes;
    return must(EmbeddedStore::open(std::move(options)));
}

ff::store::Call call_of(const Words& words, std::uint64_t number) {
    constexpr std::string_view kHole = "__rand_int__";
    ff::store::Call call;
    call.command.reserve(128, words.size());
    char digits[16];
    const int length = std::snprintf(digits, sizeof digits, "%012d", static_cast<int>(number));
    const std::string_view text(digits, static_cast<std::size_t>(length));
    for (const std::string_view word : words) {
        const std::size_t hole = word.find(kHole);
        if (hole == std::string_view::npos) {
            call.command.arg(word);
        } else {
            call.command.arg_parts({word.substr(0, hole), text, word.substr(hole + kHole.size())});
        }
    }
    return call;
}

struct Tally {
    Clock::time_point until{};
    std::uint64_t calls = 0;
    std::uint64_t next = 0;
};

asio::awaitable<void> caller(EmbeddedStore& store, const Words& words, Tally& tally) {
    while (Clock::now() < tally.until) {
        tally.next = tally.next * 6364136223846793005ULL + 1442695040888963407ULL;
        ff::store::Call call = call_of(words, (tally.next >> 33) % kKeys);
        const auto reply = co_await store.call(std::move(call));
        if (!reply) throw std::runtime_error(reply.error().text());
        ++tally.calls;
    }
}

/// Commands per second of so many coroutines that each wait for their answer; the best round.
double in_process(EmbeddedStore& store, const Words& words, int callers) {
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
        asio::io_context loop(1);
        Tally tally{.until = Clock::now() + kRound};
        auto rethrow = [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        };
        for (int i = 0; i < callers; ++i) {
            asio::co_spawn(loop, caller(store, words, tally), rethrow);
        }
        const Clock::time_point start = Clock::now();
        loop.run();
        const std::chrono::duration<double> took = Clock::now() - start;
        best = std::max(best, static_cast<double>(tally.calls) / took.count());
    }
    return best;
}

struct Client {
    int connections = 64;
    int pipeline = 1;
    int requests = 200'000;
};

/// Commands per second as valkey-benchmark sees them.
double benchmark(std::uint16_t port, const Words& words, const Client& client) {
    const std::string program = std::string(FF_TOOLS_FOLDER) + "/valkey/valkey-benchmark";
    Words args = {program,
                  "-p",
                  std::to_string(port),
                  "-c",
                  std::to_string(client.connections),
                  "-P",
                  std::to_string(client.pipeline),
                  "-n",
                  std::to_string(client.requests),
                  "-r",
                  std::to_string(kKeys),
                  "--csv"};
    args.insert(args.end(), words.begin(), words.end());
    const auto result = ff::testing::run_command(args, std::chrono::seconds(120));
    // "test","rps",... and one line of figures.
    const std::size_t line = result.out.find('\n');
    const std::size_t comma = result.out.find("\",\"", line);
    if (result.exit_code != 0 || line == std::string::npos || comma == std::string::npos) {
        throw std::runtime_error("valkey-benchmark: " + result.out + result.err);
    }
    return std::stod(result.out.substr(comma + 3));
}

/// A door to the store on a thread of its own.
class Door {
  public:
    explicit Door(EmbeddedStore& store)
        : door_(must(ff::host::RespDoor::open(loop_.get_executor(), store, store, {.port = 0}))),
          guard_(asio::make_work_guard(loop_)),
          thread_([this] { loop_.run(); }) {}
    ~Door() {
        asio::co_spawn(loop_, stop(), [](const std::exception_ptr&) {});
        thread_.join();
    }
    std::uint16_t port() const { return door_->port(); }

  private:
    asio::awaitable<void> stop() {
        co_await door_->stop();
        guard_.reset();
    }

    asio::io_context loop_{1};
    std::unique_ptr<ff::host::RespDoor> door_;
    asio::executor_work_guard<asio::io_context::executor_type> guard_;
    std::thread thread_;
};

/// Both in turn, so that what disturbs the machine disturbs both; the best of each.
struct Pair {
    double ours = 0;
    double theirs = 0;
};
Pair through_doors(std::uint16_t ours, std::uint16_t theirs, const Words& words,
                   const Client& client) {
    Pair best;
    for (int round = 0; round < kRounds; ++round) {
        best.theirs = std::max(best.theirs, benchmark(theirs, words, client));
        best.ours = std::max(best.ours, benchmark(ours, words, client));
    }
    return best;
}

void measure_commands(Report& report) {
    const TempDir folder;
    const auto store = open_store(folder.file("data"), ff::journal::Fsync::Off);
    const ValkeyServer valkey = ValkeyServer::start();
    constexpr int kCallers = 64;
    double inproc_least = 0;
    {
        // As the Valkey beside it, which writes nothing to disk; then with a log, unsynced.
        const auto memory = open_store("", ff::journal::Fsync::Off);
        for (const Workload& workload : kWorkloads) {
            const double rate = in_process(*memory, workload.words, kCallers);
            report.add("inproc_" + workload.name + "_per_s", rate, "1/s");
            const double logged = in_process(*store, workload.words, kCallers);
            report.add("inproc_logged_" + workload.name + "_per_s", logged, "1/s");
        }
    }
    const Door door(*store);
    double resp_least = 0;
    for (const Workload& workload : kWorkloads) {
        const Pair one =
            through_doors(door.port(), valkey.port(), workload.words,
                          {.connections = kCallers, .pipeline = 1, .requests = 60'000});
        const Pair many =
            through_doors(door.port(), valkey.port(), workload.words,
                          {.connections = kCallers, .pipeline = 64, .requests = 600'000});
        report.add("valkey_p1_" + workload.name + "_per_s", one.theirs, "1/s");
        report.add("resp_p1_" + workload.name + "_per_s", one.ours, "1/s");
        report.add("valkey_p64_" + workload.name + "_per_s", many.theirs, "1/s");
        report.add("resp_p64_" + workload.name + "_per_s", many.ours, "1/s");
        report.add_ratio("resp_over_valkey_p1_" + workload.name, one.ours, one.theirs);
        report.add_ratio("resp_over_valkey_p64_" + workload.name, many.ours, many.theirs);
        const double inproc = report.value("inproc_" + workload.name + "_per_s");
        report.add_ratio("inproc_over_valkey_p1_" + workload.name, inproc, one.theirs);
        const bool single_key = workload.name == "get" || workload.name == "set";
        if (!single_key) continue;
        const auto lower = [](double least, double value) {
            return least == 0 ? value : std::min(least, value);
        };
        inproc_least = lower(inproc_least, inproc / one.theirs);
        resp_least = lower(resp_least, many.ours / many.theirs);
    }
    // Of GET and SET, the worse.
    report.add("inproc_over_valkey_p1", inproc_least);
    report.add("resp_over_valkey_p64", resp_least);
}

void measure_durability(Report& report) {
    const TempDir folder;
    const auto durable = open_store(folder.file("always"), ff::journal::Fsync::Always);
    const auto off = open_store(folder.file("off"), ff::journal::Fsync::Off);
    // A bare SET is the hardest case: it costs less than a microsecond, the sync is all there is. A
    // function call is what the store is for.
    const std::array<Workload, 2> workloads = {{{"set_", kWorkloads[0].words}, {"", kTransition}}};
    for (const Workload& workload : workloads) {
        for (const int callers : {1, 16, 64, 256}) {
            const std::string suffix = "_" + workload.name + std::to_string(callers);
            const double without = in_process(*off, workload.words, callers);
            const double with = in_process(*durable, workload.words, callers);
            report.add("off" + suffix + "_per_s", without, "1/s");
            report.add("durable" + suffix + "_per_s", with, "1/s");
            report.add_ratio("durable_over_off" + suffix, with, without);
        }
    }
}

Words small_hash(int number) {
    return {"HSET",   "{h:" + std::to_string(number % 256) + "}:" + std::to_string(number),
            "state",  "waiting",
            "lane",   "default",
            "number", std::to_string(number)};
}

void fill(EmbeddedStore& store, int hashes) {
    constexpr int kPipeline = 1000;
    for (int first = 0; first < hashes; first += kPipeline) {
        std::vector<ff::store::Call> calls;
        for (int i = 0; i < kPipeline; ++i) calls.push_back(call_of(small_hash(first + i), 0));
        ff::testing::run(store.pipeline(std::move(calls)));
    }
}

bool has_snapshot(const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".ffs") return true;
    }
    return false;
}

/// One caller writes until a snapshot of a quarter million hashes is there: its longest waits.
void measure_snapshot(Report& report) {
    constexpr int kSnapshotHashes = 250'000;
    constexpr int kLookEvery = 2000;
    constexpr std::uint64_t kLogBytes = 8U << 20;
    const TempDir folder;
    const auto store = open_store(folder.file("data"), ff::journal::Fsync::Off, kLogBytes);
    fill(*store, kSnapshotHashes);
    std::vector<double> waits;
    for (std::uint64_t i = 0; waits.size() % kLookEvery != 0 || waits.empty() ||
                              !has_snapshot(folder.file("data/shard-0"));
         ++i) {
        ff::store::Call call = call_of(kWorkloads[0].words, i % kKeys);
        const Clock::time_point start = Clock::now();
        must(store->call_and_wait(std::move(call)));
        const std::chrono::duration<double, std::milli> took = Clock::now() - start;
        waits.push_back(took.count());
    }
    std::sort(waits.begin(), waits.end());
    report.add("snapshot_wait_p50_ms", waits[waits.size() / 2], "ms");
    report.add("snapshot_wait_p999_ms", waits[waits.size() * 999 / 1000], "ms");
    report.add("snapshot_wait_most_ms", waits.back(), "ms");
}

double resident_bytes(pid_t process) {
    return ff::bench::memory_bytes(process, "VmRSS");
}

/// In a process of its own: opens the folder, says how long that took and what it holds in memory.
int startup_probe(const std::string& folder) {
    const double before = resident_bytes(::getpid());
    const Clock::time_point start = Clock::now();
    const auto store = open_store(folder, ff::journal::Fsync::Off);
    const std::chrono::duration<double> took = Clock::now() - start;
    std::printf("%f %f\n", took.count(), resident_bytes(::getpid()) - before);
    return 0;
}

void measure_startup(Report& report, const std::string& program) {
    const TempDir folder;
    {
        const auto store = open_store(folder.file("data"), ff::journal::Fsync::Off);
        fill(*store, kHashes);
        store->stop_and_wait();
    }
    const auto probe =
        ff::testing::run_command({program, kProbe, folder.file("data")}, std::chrono::seconds(120));
    if (probe.exit_code != 0) throw std::runtime_error("startup probe: " + probe.err);
    const std::size_t blank = probe.out.find(' ');
    report.add("startup_1m_hashes_s", std::stod(probe.out.substr(0, blank)), "s");
    const double ours = std::stod(probe.out.substr(blank + 1));
    report.add("resident_1m_hashes_bytes", ours, "B");

    const ValkeyServer valkey = ValkeyServer::start();
    const double before = resident_bytes(valkey.pid());
    RespConnection connection = valkey.connect();
    constexpr int kChunk = 1000;
    for (int first = 0; first < kHashes; first += kChunk) {
        std::vector<Words> commands;
        for (int i = 0; i < kChunk; ++i) commands.push_back(small_hash(first + i));
        connection.commands(commands);
    }
    report.add("valkey_resident_1m_hashes_bytes", resident_bytes(valkey.pid()) - before, "B");
    report.add_ratio("resident_over_valkey", ours, report.value("valkey_resident_1m_hashes_bytes"));
}

}  // namespace

int main(int argc, char** argv) {
    ff::log::set_level(ff::log::Level::Error);
    if (argc == 3 && std::string_view(argv[1]) == kProbe) return startup_probe(argv[2]);
    Report report("store: the embedded store", argc, argv);
    try {
        measure_durability(report);
        measure_commands(report);
        measure_snapshot(report);
        measure_startup(report, std::filesystem::read_symlink("/proc/self/exe").string());
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "store_bench: %s\n", failure.what());
        return 1;
    }
    return report.finish();
}
