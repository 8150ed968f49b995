#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "support/wait.h"

namespace ff::testing {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpReply {
    int status = 0;
    HttpHeaders headers{};
    std::string body{};

    /// The first header of that name, in any letter case; empty when there is none.
    std::string header(std::string_view name) const;
};

/// A small blocking HTTP/1.1 client that shares nothing with the product's own HTTP code.
class HttpConnection {
  public:
    static Result<HttpConnection> try_connect(std::uint16_t port);
    /// Throws instead.
    static HttpConnection connect(std::uint16_t port);

    HttpConnection(HttpConnection&& other) noexcept;
    HttpConnection& operator=(HttpConnection&& other) noexcept;
    ~HttpConnection();

    /// Sends one request and reads its reply. `Host` and, with a body, `Content-Length` are added.
    /// Throws when the connection breaks.
    HttpReply request(std::string_view method, std::string_view target,
                      const HttpHeaders& headers = {}, std::string_view body = {});
    HttpReply get(std::string_view target) { return request("GET", target); }
    HttpReply post(std::string_view target, std::string_view json);

    /// The halves, for tests that look at what happens in between.
    Result<Done> send_raw(std::string_view bytes);
    /// A reply to HEAD ends with its head.
    Result<HttpReply> read_reply(bool head_only = false);
    /// Up to and including `mark`, for streams.
    Result<std::string> read_until(std::string_view mark);
    /// True when the server closes the connection without a further byte.
    bool closed_by_server();
    void shutdown_send() const;
    /// Closes with a reset instead of a goodbye.
    void reset();
    void set_timeout(Millis timeout) const;

    static std::string encode(std::string_view method, std::string_view target,
                              const HttpHeaders& headers = {}, std::string_view body = {});

  private:
    explicit HttpConnection(int fd);
    void close();
    Result<Done> fill();
    Result<std::string> take(std::size_t count);
    Result<std::string> read_chunks();

    int fd_ = -1;
    std::string buffer_{};
};

/// One request on a connection of its own.
HttpReply http_get(std::uint16_t port, std::string_view target);

}  // namespace ff::testing
