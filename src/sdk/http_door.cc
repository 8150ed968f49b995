#include "sdk/http_door.h"

#include <stop_token>

#include "sdk/public_error.h"

namespace ff::sdk {

using flowfabric::Result;

Result<DoorReply> HttpDoor::send(const DoorRequest& request) {
    const SteadyTime until = std::chrono::steady_clock::now() + request.timeout;
    std::unique_ptr<HttpConnection> connection = take_idle();
    if (!connection) {
        FF_SDK_TRY(connection, HttpConnection::open(url_, trust_.get(), until));
    }
    const std::stop_callback cut(request.stop, [&connection] { connection->cut(); });
    Result<DoorReply> reply = connection->exchange(head_of(request), request.body, until);
    if (request.stop.stop_requested()) return reply;
    if (reply && connection->reusable()) keep(std::move(connection));
    return reply;
}

std::string HttpDoor::head_of(const DoorRequest& request) const {
    std::string head = request.method + " " + url_.prefix + request.target +
                       " HTTP/1.1\r\nHost: " + url_.authority() + "\r\n";
    if (!token_.empty()) head += "Authorization: Bearer " + token_ + "\r\n";
    if (!request.task_token.empty()) head += "FF-Task-Token: " + request.task_token + "\r\n";
    if (!request.body.empty()) head += "Content-Type: " + request.content_type + "\r\n";
    if (!request.body.empty() || request.method != "GET")
        head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    return head + "\r\n";
}

std::unique_ptr<HttpConnection> HttpDoor::take_idle() {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
        std::unique_ptr<HttpConnection> connection = std::move(idle_.back());
        idle_.pop_back();
        if (!connection->stale()) return connection;
    }
    return nullptr;
}

void HttpDoor::keep(std::unique_ptr<HttpConnection> connection) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kIdleMax) idle_.push_back(std::move(connection));
}

}  // namespace ff::sdk
