#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "flowfabric/result.h"
#include "sdk/door.h"

namespace ff::sdk {

using SteadyTime = std::chrono::steady_clock::time_point;

/// `http://host:port` taken apart.
struct ServerUrl {
    std::string host{};
    std::string port = "80";
    /// In front of every path; without a slash at its end.
    std::string prefix{};

    /// `config` when it is no URL of that kind.
    static flowfabric::Result<ServerUrl> parse(std::string_view url);
    /// As the Host header says it.
    std::string authority() const;
};

/// What went wrong on the way: code `http`, with a kind of connect_failed, timeout,
/// connection_lost or protocol.
flowfabric::Error http_error(std::string kind, std::string message);

/// One HTTP/1.1 connection, for one request at a time. Blocks with a deadline.
class HttpConnection {
  public:
    static flowfabric::Result<std::unique_ptr<HttpConnection>> open(const ServerUrl& url,
                                                                    SteadyTime until);
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;
    ~HttpConnection();

    /// `head` ends with an empty line.
    flowfabric::Result<DoorReply> exchange(std::string_view head, std::string_view body,
                                           SteadyTime until);
    /// Ends an exchange under way with `connection_lost`. From any thread.
    void cut() const;
    /// Another request may follow.
    bool reusable() const { return reusable_; }
    /// The server has closed it meanwhile.
    bool stale() const;

  private:
    explicit HttpConnection(int fd) : fd_(fd) {}
    flowfabric::Result<flowfabric::Done> write(std::string_view head, std::string_view body,
                                               SteadyTime until);
    /// More bytes in the buffer; `connection_lost` at the end.
    flowfabric::Result<flowfabric::Done> fill(SteadyTime until);
    flowfabric::Result<std::string> line(SteadyTime until);
    flowfabric::Result<std::string> take(std::size_t count, SteadyTime until);
    flowfabric::Result<std::string> chunks(SteadyTime until);
    flowfabric::Result<std::string> rest(SteadyTime until);

    int fd_;
    std::string buffer_{};
    std::size_t used_ = 0;
    bool reusable_ = false;
};

}  // namespace ff::sdk
