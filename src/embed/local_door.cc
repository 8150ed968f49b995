#include "embed/local_door.h"

#include <stop_token>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/handler.h"
#include "sdk/wire.h"

namespace ff::embed {
namespace asio = boost::asio;

namespace {

using Reply = Promise<flowfabric::Result<sdk::DoorReply>>;

/// The caller: gone when it has asked to stop.
class LocalPeer final : public http::Peer {
  public:
    explicit LocalPeer(asio::io_context& loop)
        : left_(loop, std::chrono::steady_clock::time_point::max()) {}

    asio::awaitable<void> gone() override {
        if (!leaving_) {
            [[maybe_unused]] const auto ended =
                co_await left_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
    }
    std::string address() const override { return "in-process"; }

    /// On the loop.
    void leave() {
        leaving_ = true;
        left_.cancel();
    }

  private:
    asio::steady_timer left_;
    bool leaving_ = false;
};

http::Request request_of(const sdk::DoorRequest& request) {
    http::Request made{.method = request.method, .target = request.target, .body = request.body};
    if (!request.body.empty())
        made.headers.push_back({.name = "Content-Type", .value = request.content_type});
    if (!request.task_token.empty())
        made.headers.push_back({.name = "FF-Task-Token", .value = request.task_token});
    return made;
}

asio::awaitable<void> answer(app::Instance& instance, http::Request request,
                             std::shared_ptr<LocalPeer> peer, std::shared_ptr<Reply> reply) {
    const http::Admission admission = instance.handler().admit(request, *peer);
    if (request.body.size() > admission.body_bytes_max) {
        reply->set(flowfabric::Error{.code = "payload_too_large",
                                     .kind = "payload_too_large",
                                     .detail = {std::to_string(admission.body_bytes_max)},
                                     .status = 413});
        co_return;
    }
    http::Response response = co_await instance.handler().handle(std::move(request), *peer);
    reply->set(sdk::DoorReply{.status = response.status,
                              .content_type = std::move(response.content_type),
                              .body = std::move(response.body)});
}

}  // namespace

flowfabric::Result<sdk::DoorReply> LocalDoor::send(const sdk::DoorRequest& request) {
    auto reply = std::make_shared<Reply>();
    auto peer = std::make_shared<LocalPeer>(engine_->loop());
    http::Request sent = request_of(request);
    const bool runs =
        engine_->spawn([sent = std::move(sent), peer, reply](app::Instance& instance) mutable {
            return answer(instance, std::move(sent), peer, reply);
        });
    if (!runs) return shutting_down();
    const auto leave = [this, peer] { asio::post(engine_->loop(), [peer] { peer->leave(); }); };
    const std::stop_callback stopped(request.stop, leave);
    auto answered = reply->wait_until(std::chrono::steady_clock::now() + request.timeout);
    if (answered) return *std::move(answered);
    // As over HTTP: the caller goes, and what it asked for may still happen.
    leave();
    return sdk::http_error("timeout", "no answer in time");
}

}  // namespace ff::embed
