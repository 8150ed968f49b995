// What the embedded store's data costs on one thread without Lua, journal and network: single
// commands on 200 thousand executions, the commands of a whole task, and the memory they leave. The
// yardstick is a std::unordered_map from the same keys to strings.
#include <unordered_map>

#include "base/random.h"
#include "keyspace/keyspace.h"
#include "report.h"

namespace {

using ff::bench::nanoseconds_per_call;
using ff::keyspace::CommandSpec;
using ff::keyspace::find_command;
using ff::keyspace::Keyspace;

constexpr std::size_t kExecutions = 200'000;
/// A prime, so that steps of it visit all executions in an order no cache likes.
constexpr std::size_t kStride = 7919;

/// Takes answers and forgets them.
class NoSink final : public ff::keyspace::ReplySink {
  public:
    bool resp3() const override { return false; }
    void null() override {}
    void null_array() override {}
    void integer(std::int64_t) override {}
    void real(double) override {}
    void bulk(std::string_view bytes) override { ff::bench::keep(bytes); }
    void status(std::string_view) override {}
    void error(std::string_view) override { ++errors; }
    void array(std::size_t) override {}
    void map(std::size_t) override {}
    void set(std::size_t) override {}

    std::uint64_t errors = 0;
};

class Bench {
  public:
    template <class... Args>
    void run(std::string_view name, const Args&... args) {
        const std::string_view argv[] = {name, std::string_view(args)...};
        const CommandSpec* command = find_command(name);
        keyspace.execute(*command, argv, now, sink);
        // As a shard does after every call.
        if (keyspace.effects().size() > 4096) keyspace.clear_effects();
    }

    Keyspace keyspace;
    NoSink sink;
    std::chrono::microseconds now{1'700'000'000'000'000};
};

std::string new_uuid(ff::SeededRandom& random) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "00000000-0000-4000-8000-000000000000";
    for (char& c : text) {
        if (c == '0') c = kDigits[random.below(16)];
    }
    return text;
}

/// The keys of one execution.
struct Names {
    std::string eid, core, payload, result, attempt, attempts, lease, history;
    std::string index, feed, feed_seq, wake;

    Names(std::size_t partition, const std::string& uuid) {
        const std::string tag = "{fp:" + std::to_string(partition) + "}";
        eid = tag + ":" + uuid;
        const std::string base = "ff:exec:" + tag + ":" + eid;
        core = base + ":core";
        payload = base + ":payload";
        result = base + ":result";
        attempts = base + ":attempts";
        lease = base + ":lease:current";
        history = base + ":lease:history";
        attempt = "ff:attempt:" + tag + ":" + eid + ":0";
        index = "ff:idx:" + tag + ":";
        feed = "ff:part:" + tag + ":events";
        feed_seq = "ff:part:" + tag + ":feed_seq";
        wake = "ff:wake:" + tag;
    }
};

std::vector<Names> make_names() {
    ff::SeededRandom random(1);
    std::vector<Names> names;
    names.reserve(kExecutions);
    for (std::size_t i = 0; i < kExecutions; ++i) names.emplace_back(i % 256, new_uuid(random));
    return names;
}

void create(Bench& bench, const Names& names, const std::string& at) {
    bench.run("time");
    bench.run("hget", names.core, "public_state");
    bench.run("sadd", names.index + "all_executions", names.eid);
    bench.run("set", names.payload, "a payload of about sixty bytes, which is a usual size here");
    bench.run("hset", names.core, "execution_id", names.eid, "lane_id", "default", "namespace",
              "default", "priority", "0", "created_at", at, "lifecycle_phase", "runnable",
              "ownership_state", "unowned", "eligibility_state", "eligible_now", "blocking_reason",
              "waiting_for_worker", "terminal_outcome", "none", "attempt_state",
              "pending_first_attempt", "public_state", "waiting", "attempt_count", "0",
              "current_attempt_index", "0", "current_lease_epoch", "0", "payload_len", "60",
              "updated_at", at);
    bench.run("zadd", names.index + "lane:default:eligible", at, names.eid);
    bench.run("sadd", names.index + "lane:default:eligible_ns", "default");
    bench.run("hget", names.wake, "default");
}

void claim(Bench& bench, const Names& names, const std::string& at) {
    bench.run("time");
    bench.run("zrangebyscore", names.index + "lease_expiry", "-inf", "0", "LIMIT", "0", "10");
    bench.run("zrange", names.index + "lane:default:eligible", "0", "63");
    bench.run("hgetall", names.index + "lane:default:route_sets");
    bench.run("hgetall", names.core);
    bench.run("hset", names.attempt, "attempt_id", names.eid, "attempt_index", "0", "attempt_state",
              "started", "created_at", at, "started_at", at, "worker_id", "w1", "lease_id",
              names.eid, "lease_epoch", "1");
    bench.run("zadd", names.attempts, at, "0");
    bench.run("hset", names.core, "lifecycle_phase", "active", "ownership_state", "leased",
              "attempt_state", "running_attempt", "public_state", "active", "attempt_count", "1",
              "current_lease_id", names.eid, "current_lease_epoch", "1", "lease_expires_at", at,
              "started_at", at, "updated_at", at);
    bench.run("hset", names.lease, "lease_id", names.eid, "lease_epoch", "1", "worker_id", "w1",
              "acquired_at", at, "expires_at", at);
    bench.run("xadd", names.history, "MAXLEN", "~", "1000", "*", "event", "acquired", "lease_id",
              names.eid, "at", at);
    bench.run("hincrby", names.feed_seq, "events", "1");
    bench.run("xadd", names.feed, "*", "family", "lease_history", "execution_id", names.eid);
    bench.run("get", names.payload);
    bench.run("zadd", names.index + "lease_expiry", at, names.eid);
    bench.run("zadd", names.index + "lane:default:active", at, names.eid);
    bench.run("sadd", names.index + "worker:w1:leases", names.eid);
    bench.run("zrem", names.index + "lane:default:eligible", names.eid);
}

void complete(Bench& bench, const Names& names, const std::string& at) {
    bench.run("time");
    bench.run("hgetall", names.core);
    bench.run("hset", names.core, "lifecycle_phase", "terminal", "ownership_state", "unowned",
              "terminal_outcome", "success", "attempt_state", "attempt_terminal", "public_state",
              "completed", "completed_at", at, "has_result", "1", "updated_at", at);
    bench.run("hset", names.attempt, "attempt_state", "ended_success", "ended_at", at);
    bench.run("set", names.result, "a result of about fifty bytes, nothing special");
    bench.run("del", names.lease);
    bench.run("zrem", names.index + "lease_expiry", names.eid);
    bench.run("zrem", names.index + "lane:default:active", names.eid);
    bench.run("srem", names.index + "worker:w1:leases", names.eid);
    bench.run("zadd", names.index + "lane:default:terminal", at, names.eid);
    bench.run("xadd", names.history, "MAXLEN", "~", "1000", "*", "event", "released", "lease_id",
              names.eid, "at", at);
    bench.run("hincrby", names.feed_seq, "events", "1");
    bench.run("xadd", names.feed, "MAXLEN", "~", "4000", "*", "family", "completion",
              "execution_id", names.eid, "outcome", "success");
}

/// Nanoseconds for one of `kExecutions` calls of work(i), once through.
template <class Work>
double pass_ns(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kExecutions; ++i) work(i);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / kExecutions;
}

void measure_commands(ff::bench::Report& report, const std::vector<Names>& names) {
    Bench bench;
    std::size_t i = 0;
    const auto next = [&]() -> const Names& { return names[i = (i + kStride) % kExecutions]; };
    report.add("hset_new_ns", pass_ns([&](std::size_t n) {
                   bench.run("hset", names[n].core, "state", "eligible", "lane_id", "default",
                             "priority", "5", "created_at", "1700000000000", "attempt", "0");
               }),
               "ns");
    report.add("hash_bytes", static_cast<double>(bench.keyspace.memory_bytes()) / kExecutions, "B");
    report.add("hget_ns", nanoseconds_per_call([&] { bench.run("hget", next().core, "state"); }),
               "ns");
    report.add("hset_known_ns",
               nanoseconds_per_call([&] { bench.run("hset", next().core, "state", "active"); }),
               "ns");
    report.add("zadd_new_ns", pass_ns([&](std::size_t n) {
                   bench.run("zadd", "z", std::to_string(n * kStride % kExecutions), names[n].eid);
               }),
               "ns");
    report.add("zscore_ns", nanoseconds_per_call([&] { bench.run("zscore", "z", next().eid); }),
               "ns");
    report.add("sadd_new_ns", pass_ns([&](std::size_t n) { bench.run("sadd", "s", names[n].eid); }),
               "ns");
    report.add("xadd_ns", nanoseconds_per_call([&] {
                   bench.run("xadd", "x", "MAXLEN", "~", "4000", "*", "event", "completed",
                             "execution_id", next().eid);
               }),
               "ns");
    std::unordered_map<std::string, std::string> map;
    for (const Names& name : names) map.emplace(name.core, "eligible");
    report.add("unordered_map_find_ns",
               nanoseconds_per_call([&] { ff::bench::keep(map.find(next().core)); }), "ns");
    report.add_ratio("hget_over_unordered_map", report.value("hget_ns"),
                     report.value("unordered_map_find_ns"));
    report.add("errors", static_cast<double>(bench.sink.errors));
}

void measure_snapshot(ff::bench::Report& report, Keyspace& keyspace) {
    const auto megabytes_per_second = [](std::size_t bytes, auto start) {
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        return static_cast<double>(bytes) / 1e6 / taken.count();
    };
    std::vector<ff::ByteBuffer> chunks;
    std::size_t bytes = 0;
    auto start = std::chrono::steady_clock::now();
    keyspace.begin_snapshot();
    for (bool done = false; !done; bytes += chunks.back().size()) {
        done = keyspace.snapshot_step(std::size_t{1} << 20U, chunks.emplace_back());
    }
    report.add("snapshot_mb_per_s", megabytes_per_second(bytes, start), "MB/s");
    start = std::chrono::steady_clock::now();
    Keyspace loaded;
    for (const ff::ByteBuffer& chunk : chunks) ff::bench::keep(loaded.apply(chunk.view()));
    report.add("load_mb_per_s", megabytes_per_second(bytes, start), "MB/s");
}

void measure_tasks(ff::bench::Report& report, const std::vector<Names>& names) {
    Bench bench;
    const double ns = pass_ns([&](std::size_t n) {
        const std::string at = std::to_string(1'700'000'000'000 + n);
        bench.now += std::chrono::microseconds(25);
        create(bench, names[n], at);
        claim(bench, names[n], at);
        complete(bench, names[n], at);
    });
    report.add("task_of_38_commands_us", ns / 1000, "us");
    report.add("finished_task_bytes",
               static_cast<double>(bench.keyspace.memory_bytes()) / kExecutions, "B");
    measure_snapshot(report, bench.keyspace);
    report.add("task_errors", static_cast<double>(bench.sink.errors));
}

}  // namespace

int main(int argc, char** argv) {
    ff::bench::Report report("keyspace: commands and memory", argc, argv);
    const std::vector<Names> names = make_names();
    measure_commands(report, names);
    measure_tasks(report, names);
    return report.finish();
}
