#include "fault/server_load.h"

#include <chrono>

namespace ff::fault {
namespace {

using testing::HttpConnection;

std::string path_of(const std::string& id) {
    std::string path = "/v1/executions/";
    for (const char c : id) {
        if (c == '{') {
            path += "%7B";
        } else if (c == '}') {
            path += "%7D";
        } else if (c == ':') {
            path += "%3A";
        } else {
            path += c;
        }
    }
    return path;
}

std::string text_in(const json::Value& object, std::string_view name) {
    const auto found = object.find(name);
    return found ? std::string(found->as_string().value_or("")) : std::string();
}

/// What the n-th execution of a client is for.
std::string_view kind_of(int n) {
    switch (n % 10) {
        case 2:
            return "stream";
        case 4:
        case 9:
            return "ask";
        case 6:
            return "flaky";
        case 8:
            return "stop";
        default:
            return "plain";
    }
}

/// Refused for now, or nobody knows whether it was done: the same may be asked again.
bool tells_nothing(const ServerLoad::Answer& answer) {
    return answer.status == 0 || answer.status == 503 || answer.status == 429 ||
           answer.body.find(R"("code":"storage_error")") != std::string::npos;
}

}  // namespace

ServerLoad::ServerLoad(std::uint64_t seed) : seed_(seed) {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this, i] { create_loop(i); });
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this, i] { work_loop(i); });
    threads_.emplace_back([this] { signal_loop(); });
    threads_.emplace_back([this] { flow_loop(); });
}

ServerLoad::~ServerLoad() {
    stop();
}

void ServerLoad::set_port(std::uint16_t port) {
    const std::lock_guard lock(mutex_);
    port_ = port;
    changed_.notify_all();
}

void ServerLoad::stop_creating() {
    const std::lock_guard lock(mutex_);
    creating_ = false;
    changed_.notify_all();
}

void ServerLoad::stop() {
    {
        const std::lock_guard lock(mutex_);
        creating_ = false;
        stopped_ = true;
        changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

History ServerLoad::history() {
    const std::lock_guard lock(mutex_);
    return history_;
}

void ServerLoad::violate(std::string what) {
    const std::lock_guard lock(mutex_);
    history_.violations.push_back(std::move(what));
}

std::uint16_t ServerLoad::wait_for_port() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return port_ != 0 || stopped_; });
    return stopped_ ? 0 : port_;
}

std::optional<ServerLoad::Answer> ServerLoad::once(const std::string& method,
                                                   const std::string& target,
                                                   const std::string& body) {
    const std::uint16_t port = wait_for_port();
    if (port == 0) return std::nullopt;
    try {
        HttpConnection connection = HttpConnection::connect(port);
        connection.set_timeout(Millis(8'000));
        testing::HttpHeaders headers;
        if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
        const testing::HttpReply reply = connection.request(method, target, headers, body);
        return Answer{.status = reply.status, .body = reply.body};
    } catch (const std::exception&) {
        // The server went away: whether it did what was asked, only asking again can tell.
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::milliseconds(20), [this] { return stopped_; });
        return Answer{};
    }
}

std::optional<ServerLoad::Answer> ServerLoad::insist(const std::string& method,
                                                     const std::string& target,
                                                     const std::string& body) {
    for (;;) {
        auto answer = once(method, target, body);
        if (!answer || !tells_nothing(*answer)) return answer;
    }
}

void ServerLoad::create_loop(int number) {
    for (int n = 0;; ++n) {
        {
            const std::lock_guard lock(mutex_);
            if (!creating_ || stopped_) return;
        }
        const std::string key =
            std::to_string(seed_) + "-" + std::to_string(number) + "-" + std::to_string(n);
        const std::string kind(kind_of(n));
        const auto answer = insist("POST", "/v1/executions",
                                   R"({"namespace":"load","lane_id":")" + std::string(kLane) +
                                       R"(","execution_kind":")" + kind + R"(","payload":")" + key +
                                       R"(","policy":{"retry_policy":{"max_retries":3,"backoff":)"
                                       R"({"type":"fixed","delay_ms":0}}},"idempotency_key":")" +
                                       key + "\"}");
        if (!answer) return;
        const auto document = json::Document::parse(answer->body);
        if ((answer->status != 201 && answer->status != 200) || !document) {
            violate("create " + key + ": " + answer->body);
            continue;
        }
        const std::string id = text_in(document->root(), "execution_id");
        {
            const std::lock_guard lock(mutex_);
            history_.created[key] = id;
            acknowledge();
        }
        if (kind == "stop") cancel(id);
    }
}

/// It may have been completed before: then there is nothing to cancel.
void ServerLoad::cancel(const std::string& id) {
    const auto answer = insist("POST", path_of(id) + "/cancel", R"({"reason":"load"})");
    if (!answer || answer->status == 409) return;
    if (answer->status != 200) {
        violate("cancel " + id + ": " + answer->body);
        return;
    }
    const std::lock_guard lock(mutex_);
    history_.cancelled.insert(id);
    acknowledge();
}

void ServerLoad::flow_loop() {
    for (int n = 0;; ++n) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, std::chrono::milliseconds(150),
                              [this] { return stopped_ || !creating_; });
            if (!creating_ || stopped_) return;
        }
        char id[40];
        std::snprintf(id, sizeof id, "%08x-0000-4000-8000-%012x", static_cast<unsigned>(seed_), n);
        const auto answer = insist(
            "POST", "/v1/flows/submit",
            R"({"flow_id":")" + std::string(id) + R"(","flow_kind":"load","namespace":"load",)" +
                R"("defaults":{"lane_id":")" + kLane + R"("},"seal":true,"nodes":[)" +
                R"({"name":"a","execution_kind":"node","payload":"f"},)" +
                R"({"name":"b","execution_kind":"node","payload":"f","depends_on":["a"]},)" +
                R"({"name":"c","execution_kind":"node","payload":"f","depends_on":["a"]},)" +
                R"({"name":"d","execution_kind":"node","payload":"f","depends_on":["b","c"]}]})");
        if (!answer) return;
        if (answer->status != 201 && answer->status != 200) {
            violate("submit " + std::string(id) + ": " + answer->body);
            continue;
        }
        const std::lock_guard lock(mutex_);
        history_.flows.insert(id);
        acknowledge();
    }
}

void ServerLoad::work_loop(int number) {
    const std::string body = R"({"worker_instance_id":"load-)" + std::to_string(number) +
                             R"(","lanes":[")" + kLane +
                             R"("],"max_tasks":8,"wait_ms":500,"lease_ttl_ms":2000})";
    for (;;) {
        const auto answer = once("POST", "/v1/workers/load/tasks/claim", body);
        if (!answer) return;
        if (answer->status != 200) continue;
        const auto document = json::Document::parse(answer->body);
        const auto tasks = document ? document->root().find("tasks") : std::nullopt;
        for (std::size_t i = 0; tasks && i < tasks->size(); ++i) {
            const json::Value task = tasks->element(i);
            work_on({.id = text_in(task, "execution_id"),
                     .token = text_in(task, "task_token"),
                     .kind = text_in(task, "execution_kind"),
                     .payload = text_in(task, "payload"),
                     .attempt_type = text_in(task, "attempt_type"),
                     .attempt_index = task.find("attempt_index")->to_text()});
        }
    }
}

void ServerLoad::work_on(const Task& task) {
    bool signalled = false;
    {
        const std::lock_guard lock(mutex_);
        signalled = history_.signalled.contains(task.id);
    }
    // A reclaimed attempt begins anew, whether or not the former one was resumed already.
    if (task.kind == "ask" && task.attempt_type != "resumed" && !signalled) return suspend(task);
    if (task.kind == "flaky" && task.attempt_type == "initial") return fail(task);
    if (task.kind == "stream") stream(task);
    complete(task);
}

/// It is to be tried again.
void ServerLoad::fail(const Task& task) {
    const auto answer =
        insist("POST", path_of(task.id) + "/fail",
               R"({"task_token":")" + task.token + R"(","reason":"planned","category":"load"})");
    if (!answer || answer->status == 409) return;
    if (answer->status != 200) {
        violate("fail " + task.id + ": " + answer->body);
        return;
    }
    acknowledge();
}

void ServerLoad::stream(const Task& task) {
    std::string frames;
    for (std::size_t i = 1; i <= kFrames; ++i)
        frames += (i == 1 ? "" : ",") +
                  (R"({"frame_type":"log","payload":"f","seq":)" + std::to_string(i) + "}");
    const auto answer =
        insist("POST", path_of(task.id) + "/attempts/" + task.attempt_index + "/stream",
               R"({"task_token":")" + task.token + R"(","frames":[)" + frames + "]}");
    if (!answer || answer->status == 409) return;
    if (answer->status != 200) {
        violate("stream " + task.id + ": " + answer->body);
        return;
    }
    const std::lock_guard lock(mutex_);
    history_.streamed[task.id] = task.attempt_index;
    acknowledge();
}

void ServerLoad::complete(const Task& task) {
    const auto answer =
        insist("POST", path_of(task.id) + "/complete",
               R"({"task_token":")" + task.token + R"(","result":"r:)" + task.payload + "\"}");
    // A conflict means that the lease ran out while the server was away.
    if (!answer || answer->status == 409) return;
    if (answer->status != 200) {
        violate("complete " + task.id + ": " + answer->body);
        return;
    }
    const std::lock_guard lock(mutex_);
    const bool replayed = answer->body.find(R"("replayed":true)") != std::string::npos;
    history_.completed[task.id] += replayed ? 0 : 1;
    acknowledge();
}

void ServerLoad::suspend(const Task& task) {
    const auto answer =
        insist("POST", path_of(task.id) + "/suspend",
               R"({"task_token":")" + task.token +
                   R"(","reason_code":"waiting_for_signal","signals":["go"],"idempotency_key":")" +
                   task.token.substr(task.token.size() / 2, 200) + "\"}");
    if (!answer || answer->status == 409) return;
    const auto document = json::Document::parse(answer->body);
    if (answer->status != 200 || !document) {
        violate("suspend " + task.id + ": " + answer->body);
        return;
    }
    const json::Value reply = document->root();
    const std::lock_guard lock(mutex_);
    history_.suspended.insert(task.id);
    signals_.push_back({.id = task.id,
                        .waitpoint = text_in(reply, "waitpoint_id"),
                        .token = text_in(reply, "waitpoint_token")});
    acknowledge();
    changed_.notify_all();
}

void ServerLoad::signal_loop() {
    for (;;) {
        Signal signal;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return !signals_.empty() || stopped_; });
            if (signals_.empty()) return;
            signal = std::move(signals_.back());
            signals_.pop_back();
        }
        const auto answer =
            insist("POST", path_of(signal.id) + "/signal",
                   R"({"signal_name":"go","signal_category":"load","source_type":"test",)"
                   R"("source_identity":"load","waitpoint_id":")" +
                       signal.waitpoint + R"(","waitpoint_token":")" + signal.token +
                       R"(","idempotency_key":")" + signal.waitpoint + "\"}");
        if (!answer) return;
        // The answer to the first sending was lost, and the execution has gone on since.
        const bool went_on = answer->status == 409;
        if (answer->status != 200 && !went_on) {
            violate("signal " + signal.id + ": " + answer->body);
            continue;
        }
        const std::lock_guard lock(mutex_);
        history_.signalled.insert(signal.id);
        acknowledge();
    }
}

}  // namespace ff::fault
