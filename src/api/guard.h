#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/dispatcher.h"

namespace ff::api {

/// Keeps the figures of requests; called often, so it counts and returns.
class RequestProbe {
  public:
    virtual ~RequestProbe() = default;
    /// `pattern` is that of a route, or `unknown`.
    virtual void answered(std::string_view method, std::string_view pattern, unsigned status,
                          std::chrono::steady_clock::duration took) = 0;
    /// A request failed because its store did.
    virtual void store_failed(std::string_view kind) = 0;
};

struct GuardOptions {
    enum class Log : std::uint8_t { Off, Errors, All };

    /// Empty: nothing is asked for.
    std::string token{};
    /// `?access_token=` is taken for the token of a route that streams.
    bool query_token = false;
    bool any_origin = false;
    std::vector<std::string> origins{};
    /// Of the pages that this server serves, where a proxy gives it another `Host` than they know.
    std::string own_origin{};
    /// What `Host` may be beside `localhost` and IP addresses, which no foreign page's name can
    /// stand for.
    bool any_host = false;
    std::vector<std::string> hosts{};
    Log log = Log::Errors;
};

/// Who may come in, from which pages, and what is written down about it (spec 07, sections 2.4
/// and 2.7).
class Guard final : public Gate {
  public:
    /// Both outlive it.
    Guard(GuardOptions options, RequestProbe& probe, Guests& guests);

    std::optional<http::Response> before(const http::Request& request, const Route* route) override;
    std::optional<http::Response> before_page(const http::Request& request) override;
    bool is_guest(const http::Request& request, const Route* route) const override;
    Result<Guests::Place> let_in(const http::Peer& peer) override {
        return guests_.let_in(peer.address());
    }
    void after(const Answered& answered, http::Response& response) override;

  private:
    bool knows_token(const http::Request& request, const Route* route) const;
    bool host_allowed(const http::Request& request) const;
    bool origin_allowed(std::string_view origin) const;
    /// Refuses names that are not this server's: a page may have its own name lead here.
    std::optional<http::Response> refuse_host(const http::Request& request) const;
    /// Refuses pages of other origins that would change something: a browser sends such requests
    /// for no more than a visit.
    std::optional<http::Response> refuse_origin(const http::Request& request) const;
    bool is_own_origin(const http::Request& request, std::string_view origin) const;
    http::Response preflight(const http::Request& request) const;
    void add_origin(const http::Request& request, http::Response& response) const;
    void write_line(const Answered& answered) const;

    GuardOptions options_;
    RequestProbe& probe_;
    Guests& guests_;
};

/// `token:` and the first 8 hex digits of its SHA-256, or `anonymous`.
std::string actor_of(std::string_view authorization);

}  // namespace ff::api
