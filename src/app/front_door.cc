#include "app/front_door.h"

#include <string>
#include <utility>

#include "api/error_reply.h"
#include "model/transport_kind.h"

namespace ff::app {
namespace asio = boost::asio;

http::Admission FrontDoor::admit(const http::Request& head, http::Peer& peer) {
    if (inside_ != nullptr) return inside_->admit(head, peer);
    return {.refusal = early_()};
}

asio::awaitable<http::Response> FrontDoor::handle(http::Request request, http::Peer& peer) {
    if (inside_ == nullptr) co_return early_();
    http::Response response = co_await inside_->handle(std::move(request), peer);
    co_return response;
}

http::Response still_loading(unsigned percent) {
    constexpr unsigned kUnavailable = 503;
    const std::string share = std::to_string(percent);
    http::Response response = api::error_reply(
        kUnavailable, model::storage_error(model::TransportKind::BusyLoading,
                                           "the server is loading its data, " + share + " % done"));
    response.body.pop_back();
    response.body += R"(,"status":"loading","percent":)" + share + "}";
    return response;
}

}  // namespace ff::app
