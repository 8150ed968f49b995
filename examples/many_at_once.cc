// A coroutine of nothing but the standard library that has ten executions under way at once, and a
// feed that tells what became of them.

#include <coroutine>
#include <cstdio>
#include <exception>
#include <future>
#include <vector>

#include "fabric.h"

namespace {

/// A coroutine that begins at once and whose value a thread can wait for.
struct Sum {
    struct promise_type {
        std::promise<int> value{};
        Sum get_return_object() { return {value.get_future()}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_value(int result) { value.set_value(result); }
        void unhandled_exception() { value.set_exception(std::current_exception()); }
    };
    std::future<int> value;
};

Sum sum_of_squares(flowfabric::AsyncClient client, std::vector<std::string> ids) {
    // All of them are waited for before the first is asked.
    std::vector<flowfabric::Async<flowfabric::Ending>> endings;
    for (const std::string& id : ids)
        endings.push_back(client.wait_for_terminal(id, flowfabric::Millis(20'000)));
    int sum = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto ending = co_await endings[i];
        if (!ending || ending->public_state != "completed") co_return -1;
        auto reading = client.get_result(ids[i]);
        const auto result = co_await reading;
        sum += std::stoi(result.value());
    }
    co_return sum;
}

}  // namespace

int main() {
    const Fabric fabric;
    flowfabric::Feed feed = fabric->feed({.families = {"completion"}, .lane = "squares"});
    feed.next_event(flowfabric::Millis(0)).value();  // from now on

    std::vector<std::string> ids;
    for (int i = 1; i <= 10; ++i)
        ids.push_back(fabric.submit("squares", "square", std::to_string(i)));
    Sum sum = sum_of_squares(flowfabric::AsyncClient(fabric.client()), ids);

    flowfabric::Runtime runtime(fabric.worker("squares"));
    runtime.on("square", [](flowfabric::Context& context) {
        const int n = std::stoi(context.bytes());
        return flowfabric::completed(std::to_string(n * n));
    });
    runtime.start();

    std::printf("sum of squares: %d\n", sum.value.get());
    const auto event = feed.next_event(flowfabric::Millis(20'000)).value();
    if (event) std::printf("first event: %s %s\n", event->family.c_str(), event->type.c_str());
    runtime.stop();
}
