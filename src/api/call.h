#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "http/handler.h"
#include "http/message.h"

namespace ff::api {

/// One request on its way through a route: what the client said, taken apart.
class Call {
  public:
    /// `parameters` and `query` are decoded already.
    Call(http::Request request, std::map<std::string, std::string> parameters,
         std::map<std::string, std::string> query, http::Peer& peer);

    const http::Request& request() const { return request_; }
    http::Peer& peer() const { return peer_; }

    /// Whether the caller presented no API token where one is asked for.
    bool is_guest() const { return guest_; }
    void mark_guest() { guest_ = true; }

    /// A `{name}` of the pattern, percent-decoded. The pattern has it.
    const std::string& path(std::string_view name) const;

    /// All parameters of the path, joined by `/`: what the call is about.
    std::string subject() const;

    const std::map<std::string, std::string>& query_parameters() const { return query_; }
    /// Percent-decoded; the first of several. `invalid_input` where the text is not what it says.
    std::optional<std::string> query(std::string_view name) const;
    Result<std::optional<std::int64_t>> query_integer(std::string_view name, std::int64_t least,
                                                      std::int64_t most) const;
    Result<bool> query_flag(std::string_view name) const;

    /// The content type without its parameters; empty when none was given.
    std::string_view media_type() const;
    bool is_octets() const;
    bool is_json() const;
    /// The raw body, moved out.
    std::string take_body() { return std::move(request_.body); }
    /// The body as an object; an absent body, and one of octets, is an empty one. Parsed once,
    /// valid while the call is.
    Result<json::Value> object();

  private:
    http::Request request_;
    std::map<std::string, std::string> parameters_;
    std::map<std::string, std::string> query_;
    std::optional<json::Document> document_{};
    http::Peer& peer_;
    bool guest_ = false;
};

}  // namespace ff::api
