// How soon waiting readers learn what happened: a signal until a claimer is told of the resumed
// execution, a frame until its tail has it; as multiples of one PING round trip of the same store.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/assert.h"
#include "base/random.h"
#include "base/task_group.h"
#include "engine/claim_batch.h"
#include "engine/create_execution.h"
#include "engine/end_execution.h"
#include "engine/operation.h"
#include "engine/signal.h"
#include "engine/stream.h"
#include "engine/suspend_execution.h"
#include "engine/waitpoint.h"
#include "host/embedded_store.h"
#include "hub/stream_hub.h"
#include "model/global_keys.h"
#include "model/library.h"
#include "report.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"
#include "valkey/valkey_store.h"
#include "wake_waiters.h"

namespace ff::bench {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

/// FF_BENCH_SAMPLES makes a short run of it.
int samples_wanted() {
    const char* text = std::getenv("FF_BENCH_SAMPLES");
    const int wanted = text == nullptr ? 0 : std::atoi(text);
    return wanted > 0 ? wanted : 1500;
}

const int kSamples = samples_wanted();
const int kWarmUp = kSamples / 15;
const model::LaneId kLane = *model::LaneId::parse("bench");
const model::PartitionKey kPartition = model::PartitionKey::flow(5);

template <class T>
T must(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "bench: %s\n", result.error().text().c_str());
        std::abort();
    }
    return *std::move(result);
}

class Samples {
  public:
    void add(SteadyClock::time_point since) {
        const std::chrono::duration<double, std::micro> took = SteadyClock::now() - since;
        if (++seen_ > kWarmUp) us_.push_back(took.count());
    }
    double percentile(double share) {
        std::ranges::sort(us_);
        return us_[static_cast<std::size_t>(share * static_cast<double>(us_.size() - 1))];
    }

  private:
    int seen_ = 0;
    std::vector<double> us_{};
};

struct Bench {
    asio::io_context& loop;
    store::Store& store;
    SecureRandom random{};
    Samples ping_by_signal{};
    Samples ping_by_frame{};
    Samples signal{};
    Samples signal_reply{};
    Samples frame{};
};

/// Beside every sample, so that what else the machine does weighs on both alike.
asio::awaitable<void> measure_ping(Bench& bench, Samples& samples) {
    store::Call ping = store::plain({"PING"});
    const auto start = SteadyClock::now();
    const auto reply = co_await bench.store.call(std::move(ping));
    FF_ASSERT(reply.has_value());
    samples.add(start);
}

asio::awaitable<engine::ClaimedBatch> claim(Bench& bench) {
    engine::ClaimBatch claim{.partition = kPartition,
                             .worker_id = *model::WorkerId::parse("worker"),
                             .worker_instance_id = *model::WorkerInstanceId::parse("worker-1"),
                             .lane = kLane,
                             .arm_wake = Millis(60'000),
                             .reclaim_first = false};
    claim.leases.push_back({.lease_id = model::LeaseId::mint(bench.random),
                            .attempt_id = model::AttemptId::mint(bench.random)});
    auto batch = co_await engine::run(bench.store, std::move(claim));
    co_return must(std::move(batch));
}

asio::awaitable<engine::ClaimedTask> start_task(Bench& bench) {
    const std::string id = kPartition.tag() + ":" + model::Uuid::mint_v4(bench.random).to_string();
    engine::CreateExecution create{.execution_id = *model::ExecutionId::parse(id),
                                   .ns = *model::Namespace::parse("bench"),
                                   .lane = kLane,
                                   .execution_kind = "noop"};
    auto created = co_await engine::run(bench.store, std::move(create));
    must(std::move(created));
    engine::ClaimedBatch batch = co_await claim(bench);
    FF_ASSERT(batch.claimed.size() == 1);
    co_return std::move(batch.claimed.front());
}

asio::awaitable<void> end_task(Bench& bench, const engine::ClaimedTask& task) {
    engine::CompleteExecution complete{.execution_id = task.execution_id, .fence = task.fence};
    auto completed = co_await engine::run(bench.store, std::move(complete));
    must(std::move(completed));
}

asio::awaitable<engine::Signal> suspend(Bench& bench, const engine::ClaimedTask& task) {
    const auto waitpoint_id = model::WaitpointId::mint(bench.random);
    engine::SuspendExecution suspend{
        .execution_id = task.execution_id,
        .attempt_index = task.attempt_index,
        .fence = task.fence,
        .suspension_id = model::SuspensionId::mint(bench.random),
        .waitpoint = {.id = waitpoint_id, .key = model::default_waitpoint_key(waitpoint_id)},
        .reason_code = "waiting_for_approval",
        .resume_condition_json = R"({"required_signal_names":["approved"]})"};
    auto suspended = co_await engine::run(bench.store, std::move(suspend));
    const auto outcome = must(std::move(suspended));
    co_return engine::Signal{.id = model::SignalId::mint(bench.random),
                             .execution_id = task.execution_id,
                             .waitpoint_id = waitpoint_id,
                             .name = "approved",
                             .source_type = "user",
                             .source_identity = "alice",
                             .token = outcome.waitpoint.token.reveal()};
}

asio::awaitable<void> send(Bench& bench, engine::DeliverSignal deliver) {
    const auto start = SteadyClock::now();
    auto receipt = co_await engine::run(bench.store, std::move(deliver));
    bench.signal_reply.add(start);
    FF_ASSERT(must(std::move(receipt)).effect == "resume_condition_satisfied");
}

/// Ends when the wake-up of the lane is here, which is what lets a waiting claimer claim.
asio::awaitable<void> measure_signal(Bench& bench) {
    engine::InitWaitpointSecret secret{
        .partition = kPartition, .kid = "k1", .secret_hex = std::string(64, 'a')};
    auto installed = co_await engine::run(bench.store, std::move(secret));
    must(std::move(installed));
    store::Channels channels{.patterns = {std::string(model::kWakeChannelPattern)}};
    auto subscribed = co_await bench.store.subscribe(std::move(channels));
    const auto subscription = must(std::move(subscribed));
    TaskGroup senders(bench.loop.get_executor(), "senders");
    for (int i = 0; i < kSamples; ++i) {
        const engine::ClaimedTask task = co_await start_task(bench);
        engine::Signal signal = co_await suspend(bench, task);
        const engine::ClaimedBatch none = co_await claim(bench);
        FF_ASSERT(none.claimed.empty());
        engine::DeliverSignal deliver{.signal = std::move(signal)};
        while (true) {
            const auto stale = co_await subscription->next(Deadline::after(Millis(0)));
            if (!must(stale).has_value()) break;
        }
        const auto start = SteadyClock::now();
        senders.spawn(send(bench, std::move(deliver)));
        const auto notice = co_await subscription->next(Deadline::after(Millis(5'000)));
        FF_ASSERT(must(notice).has_value());
        bench.signal.add(start);
        co_await senders.join();
        co_await measure_ping(bench, bench.ping_by_signal);
        const engine::ClaimedBatch resumed = co_await claim(bench);
        FF_ASSERT(resumed.claimed.size() == 1);
        co_await end_task(bench, resumed.claimed.front());
    }
}

struct Tailing {
    hub::StreamHub& hub;
    engine::StreamAddress stream;
    std::string after = "0-0";
    asio::steady_timer arrived;
    bool here = false;
};

asio::awaitable<void> follow(Tailing& tailing) {
    hub::TailRequest request{
        .stream = tailing.stream, .after = tailing.after, .until = Deadline::after(Millis(10'000))};
    auto answer = co_await tailing.hub.tail(std::move(request));
    const hub::TailPage page = must(std::move(answer));
    FF_ASSERT(page.frames().size() == 1);
    tailing.after = page.next;
    tailing.here = true;
    tailing.arrived.cancel();
}

asio::awaitable<void> append(Bench& bench, engine::AppendFrame frame) {
    auto appended = co_await engine::run(bench.store, std::move(frame));
    must(std::move(appended));
}

asio::awaitable<void> measure_frame(Bench& bench) {
    hub::StreamHub hub(bench.loop.get_executor(), bench.store, {});
    TaskGroup group(bench.loop.get_executor(), "frames");
    const engine::ClaimedTask task = co_await start_task(bench);
    const engine::StreamAddress stream{.execution_id = task.execution_id,
                                       .attempt_index = task.attempt_index};
    Tailing tailing{.hub = hub, .stream = stream, .arrived = asio::steady_timer(bench.loop)};
    for (int i = 0; i < kSamples; ++i) {
        tailing.here = false;
        group.spawn(follow(tailing));
        // The tail is at its blocking read when these have gone to the store and back.
        for (int pings = 0; pings < 4 || hub.watch().reads_in_flight() == 0; ++pings) {
            store::Call ping = store::plain({"PING"});
            const auto reply = co_await bench.store.call(std::move(ping));
            FF_ASSERT(reply.has_value());
        }
        engine::AppendFrame frame{
            .stream = stream, .fence = task.fence, .frame = {.type = "token", .payload = "hello"}};
        tailing.arrived.expires_at(asio::steady_timer::time_point::max());
        const auto start = SteadyClock::now();
        group.spawn(append(bench, std::move(frame)));
        auto token = asio::as_tuple(asio::use_awaitable);
        co_await tailing.arrived.async_wait(token);
        FF_ASSERT(tailing.here);
        bench.frame.add(start);
        co_await group.join();
        co_await measure_ping(bench, bench.ping_by_frame);
    }
    co_await end_task(bench, task);
    co_await hub.stop();
}

void measure(Report& report, const std::string& name, asio::io_context& loop, store::Store& store) {
    Bench bench{.loop = loop, .store = store};
    for (auto* part : {&measure_signal, &measure_frame}) {
        TaskGroup group(loop.get_executor(), "wakeup");
        group.spawn((*part)(bench));
        loop.restart();
        while (group.size() > 0) loop.run_one();
    }
    const double by_signal = bench.ping_by_signal.percentile(0.5);
    const double by_frame = bench.ping_by_frame.percentile(0.5);
    report.add("ping_by_signal_p50_" + name, by_signal, "us");
    report.add("ping_by_frame_p50_" + name, by_frame, "us");
    report.add("signal_p50_" + name, bench.signal.percentile(0.5), "us");
    report.add("signal_p99_" + name, bench.signal.percentile(0.99), "us");
    report.add("signal_reply_p50_" + name, bench.signal_reply.percentile(0.5), "us");
    report.add("frame_p50_" + name, bench.frame.percentile(0.5), "us");
    report.add("frame_p99_" + name, bench.frame.percentile(0.99), "us");
    report.add_ratio("signal_over_ping_p50_" + name, bench.signal.percentile(0.5), by_signal);
    report.add_ratio("signal_over_ping_p99_" + name, bench.signal.percentile(0.99), by_signal);
    report.add_ratio("frame_over_ping_p50_" + name, bench.frame.percentile(0.5), by_frame);
    report.add_ratio("frame_over_ping_p99_" + name, bench.frame.percentile(0.99), by_frame);
}

void measure_embedded(Report& report) {
    const testing::TempDir folder;
    host::EmbeddedOptions options;
    options.folder = folder.file("data");
    options.fsync = journal::Fsync::Off;
    options.library = model::library_text();
    auto store = must(host::EmbeddedStore::open(options));
    asio::io_context loop(1);
    measure(report, "embedded", loop, *store);
    store->stop_and_wait();
}

asio::awaitable<void> open_valkey(asio::io_context& loop, Random& random, valkey::Probe& probe,
                                  valkey::Options options,
                                  std::unique_ptr<valkey::ValkeyStore>& into) {
    auto executor = loop.get_executor();
    auto opened = co_await valkey::ValkeyStore::open(executor, random, probe, std::move(options));
    into = must(std::move(opened));
    auto loaded = co_await into->ensure_library();
    must(std::move(loaded));
}

void measure_valkey(Report& report) {
    auto server = testing::ValkeyServer::start({});
    asio::io_context loop(1);
    SecureRandom random;
    valkey::Probe probe;
    valkey::Options options{.addresses = {{.host = "127.0.0.1", .port = server.port()}}};
    options.library = valkey::Library{.source = model::library_text(),
                                      .version = model::library_version(),
                                      .digest = std::string(model::library_digest())};
    std::unique_ptr<valkey::ValkeyStore> store;
    TaskGroup group(loop.get_executor(), "open");
    group.spawn(open_valkey(loop, random, probe, options, store));
    while (group.size() > 0) loop.run_one();
    measure(report, "valkey", loop, *store);
    group.spawn(store->stop());
    loop.restart();
    loop.run();
}

/// However many claims wait, one task wakes one of them in the same time.
void measure_waiters(Report& report) {
    const double of_ten = wake_one_of(10);
    const double of_many = wake_one_of(10'000);
    report.add("wake_one_of_10", of_ten, "ms");
    report.add("wake_one_of_10k", of_many, "ms");
    report.add_ratio("wake_one_of_10k_over_wake_one_of_10", of_many, of_ten);
}

int run(int argc, char** argv) {
    Report report("Wake-ups: signal to claimer, frame to tail", argc, argv);
    measure_embedded(report);
    measure_valkey(report);
    measure_waiters(report);
    return report.finish();
}

}  // namespace
}  // namespace ff::bench

int main(int argc, char** argv) {
    return ff::bench::run(argc, argv);
}
