#pragma once

#include <optional>
#include <span>

#include "console/assets.h"
#include "http/handler.h"

namespace ff::console {

/// Serves the files of the web console below `/console/` and hands everything else on. They need no
/// API token: what the console shows, it asks the API for.
class Pages final : public http::Handler {
  public:
    /// Both outlive it.
    Pages(std::span<const Asset> assets, http::Handler& inside)
        : assets_(assets), inside_(inside) {}

    http::Admission admit(const http::Request& head, http::Peer& peer) override;
    boost::asio::awaitable<http::Response> handle(http::Request request, http::Peer& peer) override;

    /// Nothing where the request is not for the console.
    std::optional<http::Response> answer(const http::Request& request) const;

  private:
    std::span<const Asset> assets_;
    http::Handler& inside_;
};

}  // namespace ff::console
