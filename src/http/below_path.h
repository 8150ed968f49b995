#pragma once

#include <string>
#include <utility>

#include "http/handler.h"

namespace ff::http {

/// Stands behind a proxy that serves this server below a path: requests may come with that path,
/// which is taken off, or without it where the proxy has done so.
class BelowPath final : public Handler {
  public:
    /// `path` begins with a slash and does not end with one. `inside` outlives it.
    BelowPath(std::string path, Handler& inside) : path_(std::move(path)), inside_(inside) {}

    Admission admit(const Request& head, Peer& peer) override;
    boost::asio::awaitable<Response> handle(Request request, Peer& peer) override;

  private:
    /// Whether the path is above that of the request, or is that itself.
    bool covers(const Request& request) const;
    void strip(Request& request) const { request.target.erase(0, path_.size()); }

    std::string path_;
    Handler& inside_;
};

}  // namespace ff::http
