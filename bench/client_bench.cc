// The network client against valkey-benchmark on the same server, taking turns: PING, SET and FCALL
// of a small function. N coroutines share one connection, so N requests are under way on it; the
// peer does the same with one client and pipelines of N (`-c 1 -P N`). A second figure compares
// with N clients of one request each (`-c N -P 1`).

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>

#include <boost/asio/io_context.hpp>

#include "base/task_group.h"
#include "report.h"
#include "store/call.h"
#include "support/process.h"
#include "support/run.h"
#include "support/valkey_server.h"
#include "valkey/valkey_store.h"

namespace {

using ff::Result;
using ff::store::Call;
using ff::store::Reply;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRound{300};
constexpr int kRounds = 5;
constexpr std::string_view kKey = "ff:bench:{fp:7}:key";
constexpr std::string_view kValue = "a value of thirty-two bytes, here";
constexpr std::string_view kLibrary =
    "#!lua name=bench\n"
    "redis.register_function('bench_set', function(keys, args)\n"
    "  redis.call('SET', keys[1], args[1])\n"
    "  return {1, 'OK'}\n"
    "end)\n";

struct Kind {
    std::string name{};
    std::vector<std::string_view> words{};
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"ping", {"PING"}},
        {"set", {"SET", kKey, kValue}},
        {"fcall", {"FCALL", "bench_set", "1", kKey, kValue}},
    };
    return all;
}

/// What the coroutines of one round share.
struct Round {
    steady_clock::time_point end{};
    std::uint64_t calls = 0;
};

boost::asio::awaitable<void> call_until_end(ff::store::Store& store, const Kind& kind,
                                            Round& round) {
    while (steady_clock::now() < round.end) {
        Call call;
        call.command.append(kind.words);
        const Result<Reply> reply = co_await store.call(std::move(call));
        if (!reply.has_value()) throw std::runtime_error(reply.error().text());
        ++round.calls;
    }
}

boost::asio::awaitable<void> call_together(ff::store::Store& store, const Kind& kind, int workers,
                                           Round& round) {
    const auto executor = co_await boost::asio::this_coro::executor;
    ff::TaskGroup group(executor, "callers");
    for (int i = 0; i < workers; ++i) group.spawn(call_until_end(store, kind, round));
    co_await group.join();
}

class Bench {
  public:
    Bench() {
        server_.connect()("FUNCTION", "LOAD", std::string(kLibrary));
        ff::valkey::Options options{.addresses = {{.host = "127.0.0.1", .port = server_.port()}}};
        auto opened =
            ff::testing::run(loop_, ff::valkey::ValkeyStore::open(loop_.get_executor(), random_,
                                                                  probe_, std::move(options)));
        if (!opened.has_value()) throw std::runtime_error(opened.error().text());
        store_ = *std::move(opened);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    ~Bench() { ff::testing::run(loop_, store_->stop()); }

    /// Calls a second of the client under test.
    double ours(const Kind& kind, int workers) {
        const auto start = steady_clock::now();
        Round round{.end = start + kRound};
        ff::testing::run(loop_, call_together(*store_, kind, workers, round));
        const std::chrono::duration<double> took = steady_clock::now() - start;
        return static_cast<double>(round.calls) / took.count();
    }

    /// Calls a second of valkey-benchmark, for about one round at the rate that is expected.
    double peer(const Kind& kind, int clients, int pipeline, double expected) const {
        const double seconds = std::chrono::duration<double>(kRound).count();
        const auto least = static_cast<double>(clients * pipeline * 20);
        const auto calls = static_cast<long>(std::max(expected * seconds, least));
        std::vector<std::string> args = {program(), "-p", std::to_string(server_.port())};
        for (const std::string& more :
             {std::string("-c"), std::to_string(clients), std::string("-P"),
              std::to_string(pipeline), std::string("-n"), std::to_string(calls),
              std::string("--csv")})
            args.push_back(more);
        args.insert(args.end(), kind.words.begin(), kind.words.end());
        const auto result = ff::testing::run_command(args, ff::Millis(60'000));
        return parse_rate(result.out);
    }

  private:
    static std::string program() {
        const std::filesystem::path server =
            ff::testing::server_program(ff::testing::Product::Valkey);
        return server.parent_path() / "valkey-benchmark";
    }

    /// The second field of the last line: "name","rate",...
    static double parse_rate(std::string out) {
        while (out.ends_with('\n')) out.pop_back();
        const std::string line = out.substr(out.rfind('\n') + 1);
        const std::size_t start = line.find("\",\"");
        if (start == std::string::npos) throw std::runtime_error("valkey-benchmark: " + out);
        return std::stod(line.substr(start + 3));
    }

    ff::testing::ValkeyServer server_ = ff::testing::ValkeyServer::start();
    boost::asio::io_context loop_{1};
    ff::SecureRandom random_{};
    ff::valkey::Probe probe_{};
    std::unique_ptr<ff::valkey::ValkeyStore> store_{};
};

void compare(Bench& bench, ff::bench::Report& report, const Kind& kind, int parallel) {
    double ours = bench.ours(kind, parallel);
    double pipelined = 0;
    double connections = 0;
    for (int round = 0; round < kRounds; ++round) {
        pipelined = std::max(pipelined, bench.peer(kind, 1, parallel, ours));
        connections = std::max(connections, bench.peer(kind, parallel, 1, ours));
        ours = std::max(ours, bench.ours(kind, parallel));
    }
    const std::string suffix = "_" + std::to_string(parallel);
    report.add(kind.name + "_per_second" + suffix, ours, "/s");
    report.add(kind.name + "_valkey_benchmark" + suffix, pipelined, "/s");
    report.add_ratio(kind.name + "_over_valkey_benchmark" + suffix, ours, pipelined);
    report.add_ratio(kind.name + "_over_valkey_benchmark_clients" + suffix, ours, connections);
}

}  // namespace

int main(int argc, char** argv) {
    ff::bench::Report report("client: calls a second, beside valkey-benchmark", argc, argv);
    Bench bench;
    for (const int parallel : {1, 16, 64, 256})
        for (const Kind& kind : kinds()) compare(bench, report, kind, parallel);
    return report.finish();
}
