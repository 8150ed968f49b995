// The worker program of the conformance scenarios (sdk/conformance/README.md) in C++. A handler
// here is called again from the top as in the other languages, and says itself what it looks at
// before it goes on.

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <thread>

#include "faults.h"
#include "flowfabric/flowfabric.h"
#include "proxy.h"

using flowfabric::Context;
using flowfabric::HandlerResult;
using flowfabric::Json;
using flowfabric::Millis;
using flowfabric::Result;
using flowfabric::Task;

namespace {

constexpr Millis kPause{50};
constexpr Millis kSleep{100};
constexpr Millis kDrain{3000};
constexpr Millis kThreeDays{3LL * 24 * 3600 * 1000};

std::string setting(const char* name) {
    const char* const value = std::getenv(name);
    if (value != nullptr) return value;
    std::fprintf(stderr, "%s is not set\n", name);
    std::exit(2);
}

/// Until the time has passed or the lease is lost.
void pause(const std::stop_token& stop, Millis time) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, time, [] { return false; });
}

/// What may be repeated is, while no answer comes and the lease lasts.
template <class Call>
auto repeated(Context& context, const Call& call) -> decltype(call()) {
    for (;;) {
        auto answer = call();
        const bool again = !answer && (!answer.error().answered() || answer.error().retryable());
        if (!again || context.stop_token().stop_requested()) return answer;
        pause(context.stop_token(), kPause);
    }
}

/// Does `work` once in this run, however often its record has to be sent.
template <class Work>
Result<flowfabric::Bytes> step(Context& context, const std::string& name, const Work& work) {
    std::optional<flowfabric::Bytes> done;
    return repeated(context, [&] {
        return context.task().step(name, [&]() -> Result<flowfabric::Bytes> {
            if (done) return *done;
            Result<flowfabric::Bytes> made = work();
            if (made) done = *made;
            return made;
        });
    });
}

HandlerResult failed_of(const flowfabric::Error& error) {
    return flowfabric::failed(error.text());
}

/// The name of the signal that ended the wait. Where a worker died after it, the next attempt was
/// not resumed by anything, so what has come to the execution is read.
Result<flowfabric::Bytes> answer_of(Context& context, const flowfabric::AdminClient& client) {
    const auto given = repeated(context, [&] { return context.task().resume_signals(); });
    if (!given) return given.error();
    if (!given->empty()) return given->back().name;
    const auto all = repeated(context, [&] { return client.list_signals(context.task().id()); });
    if (!all) return all.error();
    if (all->signals.empty()) return flowfabric::Error{.code = "no_signal"};
    return all->signals.back().name;
}

/// The decision of the wait `publish`; nothing when the run has ended there.
Result<std::optional<bool>> decision_of(Context& context, const flowfabric::AdminClient& client) {
    const auto suspension =
        repeated(context, [&] { return client.get_suspension(context.task().id()); });
    const bool over = suspension && suspension->close_reason == "resumed";
    if (over) {
        const auto recorded = step(context, "decision", [&] { return answer_of(context, client); });
        if (!recorded) return recorded.error();
        return std::optional<bool>(*recorded == "approved");
    }
    const flowfabric::Suspend ask{.reason = "waiting_for_approval",
                                  .signals = {"approved", "rejected"},
                                  .timeout = kThreeDays,
                                  .waitpoint_key = "publish",
                                  .idempotency_key = "publish"};
    const auto asked = repeated(context, [&] { return context.task().suspend(ask); });
    if (!asked) return asked.error();
    return std::optional<bool>();
}

/// True when it is over; otherwise the run has ended here.
Result<bool> slept(Context& context) {
    const std::int64_t now =
        std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    const auto due = step(context, "sleep", [&] { return std::to_string(now + kSleep.count()); });
    if (!due) return due.error();
    const std::int64_t at = std::stoll(*due);
    if (now >= at) return true;
    const auto delayed =
        repeated(context, [&] { return context.task().delay_execution(flowfabric::Due::at(at)); });
    if (!delayed) return delayed.error();
    return false;
}

/// The results of the children, in order; nothing when the run has ended here.
Result<std::optional<Json>> translated(Context& context, const flowfabric::AdminClient& client,
                                       const Json& sources) {
    const auto page = repeated(context, [&] { return client.read_children(context.task().id()); });
    if (!page) return page.error();
    Json parts = Json::array();
    for (const flowfabric::CalledChild& child : page->children)
        if (child.outcome == "success" && child.result)
            parts.push(Json::parse(*child.result).value());
    if (parts.items().size() == 2) return std::optional<Json>(std::move(parts));
    flowfabric::ChildCalls calls;
    for (const char* lang : {"de", "fr"})
        calls.children.push_back(
            {.name = std::string("translate/") + lang,
             .kind = "translate",
             .payload = Json::object({{"sources", sources}, {"lang", lang}}).dump()});
    const auto called = repeated(context, [&] { return context.task().call_children(calls); });
    if (!called) return called.error();
    return std::optional<Json>();
}

HandlerResult research(Context& context, const flowfabric::AdminClient& client) {
    Task& task = context.task();
    const auto found = step(context, "search", [&] {
        effect("search");
        return Json::texts({context.json().text(), "rayleigh"}).dump();
    });
    if (!found) return failed_of(found.error());
    const Json sources = Json::parse(*found).value();
    for (const std::string& word :
         {std::string("Because "), std::string("of "), sources.items().back().text()}) {
        const auto sent = repeated(context, [&] { return task.append_frame("token", word); });
        if (!sent) return failed_of(sent.error());
    }
    const auto spent = repeated(context, [&] {
        return task.spend({{"total_tokens", 812}, {"total_cost", 12300}}, {}, "spend");
    });
    if (!spent) return failed_of(spent.error());
    const auto approved = decision_of(context, client);
    if (!approved) return failed_of(approved.error());
    if (!*approved) return flowfabric::completed();
    if (!**approved) {
        const auto ended =
            repeated(context, [&] { return task.fail_for_good("rejected", "fatal"); });
        return ended ? flowfabric::completed() : failed_of(ended.error());
    }
    const auto rested = slept(context);
    if (!rested) return failed_of(rested.error());
    if (!*rested) return flowfabric::completed();
    const auto parts = translated(context, client, sources);
    if (!parts) return failed_of(parts.error());
    if (!*parts) return flowfabric::completed();
    return flowfabric::completed(Json::object({{"parts", **parts}}).dump());
}

void add_handlers(flowfabric::Runtime& runtime, const flowfabric::AdminClient& client) {
    runtime.on("echo", [](Context& context) {
        const std::string n = std::to_string(context.json().integer());
        effect("echo " + n);
        return flowfabric::completed(n);
    });
    runtime.on("slow", [](Context& context) {
        effect("slow");
        pause(context.stop_token(), Millis(context.json().integer()));
        return flowfabric::completed(std::to_string(context.info().attempt_index));
    });
    runtime.on("long", [](Context& context) {
        effect("begun");
        while (!context.stop_token().stop_requested()) pause(context.stop_token(), kDrain);
        effect("cancelled");
        return flowfabric::failed("cancelled");
    });
    runtime.on("returned", [](Context& context) {
        effect("begun");
        if (context.info().attempt_type == "initial") {
            while (!context.stop_token().stop_requested()) pause(context.stop_token(), kDrain);
            const auto released = context.task().release();
            return released ? flowfabric::completed() : failed_of(released.error());
        }
        return flowfabric::completed(Json(context.info().attempt_type).dump());
    });
    runtime.on("flaky", [](Context& context) {
        if (context.info().attempt_index < context.json().integer())
            return flowfabric::failed("not yet");
        return flowfabric::completed(std::to_string(context.info().attempt_index));
    });
    runtime.on("translate", [](Context& context) {
        const Json given = context.json();
        const std::string lang = given["lang"].text();
        const auto made = step(context, "translate", [&] {
            effect("translate " + lang);
            return Json(lang + ":" + given["sources"].items().back().text()).dump();
        });
        return made ? flowfabric::completed(*made) : failed_of(made.error());
    });
    runtime.on("research", [&client](Context& context) { return research(context, client); });
}

}  // namespace

int main() {
    // Taken by main alone; the threads of the SDK leave it.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);

    Faults faults;
    Proxy proxy(setting("FF_SERVER_URL"), faults);
    const std::string lease = setting("CONFORMANCE_LEASE");
    const std::string instance = "cpp-" + std::to_string(getpid());
    const flowfabric::AdminClient client =
        flowfabric::AdminClient::connect({.url = proxy.url()}).value();
    for (;;) {
        // A server that is away at the start is waited for.
        auto worker = flowfabric::Worker::connect({.server_url = proxy.url(),
                                                   .worker_id = "cpp",
                                                   .worker_instance_id = instance,
                                                   .lanes = {setting("CONFORMANCE_LANE")},
                                                   .lease_ttl = Millis(std::stol(lease) * 1000),
                                                   .on_abandon = flowfabric::OnAbandon::Release});
        if (!worker) {
            std::fprintf(stderr, "%s\n", worker.error().text().c_str());
            std::this_thread::sleep_for(kPause);
            continue;
        }
        flowfabric::Runtime runtime(*std::move(worker));
        runtime.unknown_kind(flowfabric::UnknownKind::Release);
        add_handlers(runtime, client);
        runtime.start();
        int signal = 0;
        sigwait(&ends, &signal);
        runtime.stop(kDrain);
        return 0;
    }
}
