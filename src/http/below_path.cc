#include "http/below_path.h"

namespace ff::http {

bool BelowPath::covers(const Request& request) const {
    const std::string_view path = request.path();
    return path.starts_with(path_) && (path.size() == path_.size() || path[path_.size()] == '/');
}

Admission BelowPath::admit(const Request& head, Peer& peer) {
    if (!covers(head) || head.path().size() == path_.size()) return inside_.admit(head, peer);
    Request stripped = head;
    strip(stripped);
    return inside_.admit(stripped, peer);
}

boost::asio::awaitable<Response> BelowPath::handle(Request request, Peer& peer) {
    if (covers(request)) {
        // Relative addresses in what is served count from the slash.
        if (request.path().size() == path_.size()) {
            constexpr unsigned kMovedForGood = 308;
            Response response{.status = kMovedForGood, .content_type = "text/plain"};
            response.headers.push_back({.name = "Location", .value = path_ + "/"});
            co_return response;
        }
        strip(request);
    }
    Response response = co_await inside_.handle(std::move(request), peer);
    co_return response;
}

}  // namespace ff::http
