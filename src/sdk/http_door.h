#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sdk/door.h"
#include "sdk/http_connection.h"

namespace ff::sdk {

/// The door of a server. Keeps connections for the next calls; each call has one of its own.
class HttpDoor final : public Door {
  public:
    static constexpr std::size_t kIdleMax = 64;

    /// `trust` for https only.
    HttpDoor(ServerUrl url, std::shared_ptr<const TlsTrust> trust, std::string token)
        : url_(std::move(url)), trust_(std::move(trust)), token_(std::move(token)) {}

    flowfabric::Result<DoorReply> send(const DoorRequest& request) override;

  private:
    std::string head_of(const DoorRequest& request) const;
    std::unique_ptr<HttpConnection> take_idle();
    void keep(std::unique_ptr<HttpConnection> connection);

    ServerUrl url_;
    std::shared_ptr<const TlsTrust> trust_;
    std::string token_;
    std::mutex mutex_{};
    std::vector<std::unique_ptr<HttpConnection>> idle_{};
};

}  // namespace ff::sdk
