#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ff::http {

struct Header {
    std::string name{};
    std::string value{};
};

/// One request as a handler sees it: whole, within the limits, nothing decoded.
struct Request {
    std::string method{};
    std::string target{};  // path and query as sent
    std::vector<Header> headers{};
    std::string body{};

    /// The first header of that name in any letter case.
    std::optional<std::string_view> header(std::string_view name) const;
    std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
};

struct Response {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::vector<Header> headers{};
    std::string body{};
};

}  // namespace ff::http
