#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/error.h"
#include "base/task.h"

namespace ff::http {

struct Header {
    std::string name{};
    std::string value{};

    bool operator==(const Header&) const = default;
};

/// Equal but for the case of ASCII letters, as names of headers and media types are compared.
bool same_name(std::string_view a, std::string_view b);

/// One request as a handler sees it: whole, within the limits, nothing decoded.
struct Request {
    std::string method{};
    std::string target{};  // path and query as sent
    std::vector<Header> headers{};
    std::string body{};
    /// What the client sent as X-Request-Id, or what the server made up.
    std::string id{};

    /// The first header of that name in any letter case.
    std::optional<std::string_view> header(std::string_view name) const;
    std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
    /// What follows the question mark, or nothing.
    std::string_view query() const;
};

/// Where a streamed body goes, piece by piece.
class BodyWriter {
  public:
    virtual ~BodyWriter() = default;
    /// Returns when the piece is with the kernel; waits for a slow client, up to the server's
    /// `piece_max`. After an error the client is gone and nothing more can be written.
    virtual Task<Done> write(std::string piece) = 0;
};

struct Response {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::vector<Header> headers{};
    std::string body{};
    /// Sends the body while it comes into being, instead of `body`; the reply ends when it returns.
    std::function<boost::asio::awaitable<void>(BodyWriter&)> stream{};
    /// Run when the response could not be written, for handlers that must take back what they gave.
    std::function<boost::asio::awaitable<void>()> undelivered{};
};

/// The JSON body that every refusal has:
/// {"error","code","class","kind","retryable","detail"}.
Response error_response(unsigned status, const Error& error);

}  // namespace ff::http
