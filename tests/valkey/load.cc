#include "load.h"

#include <algorithm>

#include "valkey/await.h"

namespace ff::testing {

using std::chrono::steady_clock;

Load::Load(LoadOptions options) : options_(std::move(options)), thread_([this] { run_thread(); }) {}

Load::~Load() {
    stop();
}

void Load::stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
}

void Load::run_thread() {
    Client client(options_.client);
    TaskGroup workers(client.loop().get_executor(), "load");
    for (int i = 0; i < options_.workers; ++i) workers.spawn(worker(client.store()));
    run(client.loop(), workers.join(), milliseconds(120'000));
    probe_ = client.probe();
}

boost::asio::awaitable<void> Load::worker(store::Store& store) {
    const auto executor = co_await boost::asio::this_coro::executor;
    while (!stopping_) {
        const std::uint64_t number = next_++;
        store::Call call = options_.make(number);
        const auto start = steady_clock::now();
        const Result<store::Reply> reply = co_await store.fcall(std::move(call));
        const auto took = std::chrono::ceil<milliseconds>(steady_clock::now() - start);
        slowest_ = std::max(slowest_, took);
        answers_[number] = shown(reply);
        failed_[number] = !reply.has_value();
        ++answered_;
        if (reply.has_value()) ++succeeded_;
        co_await valkey::pause(executor, options_.pause, Deadline::never());
    }
}

std::map<std::string, int> Load::failures() const {
    std::map<std::string, int> kinds;
    for (const auto& [number, failed] : failed_)
        if (failed) ++kinds[answers_.at(number)];
    return kinds;
}

}  // namespace ff::testing
