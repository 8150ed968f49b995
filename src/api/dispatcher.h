#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/guests.h"
#include "api/router.h"
#include "http/handler.h"

namespace ff::api {

/// In bytes, by class.
struct BodyLimits {
    std::size_t control = std::size_t{64} << 10;
    std::size_t medium = std::size_t{256} << 10;
    std::size_t large = std::size_t{1} << 20;
    std::size_t frames = std::size_t{2} << 20;
    std::size_t bulk = std::size_t{16} << 20;

    std::size_t of(BodyClass body) const;
};

/// One request that was answered, for the log and the figures.
struct Answered {
    const http::Request& head;
    /// The pattern of the route, or `unknown`.
    std::string_view pattern{};
    unsigned status = 0;
    std::chrono::steady_clock::duration took{};
    const http::Peer& peer;
    /// The transport kind of a failure of the store; otherwise empty.
    std::string store_failure{};
};

/// Stands in front of the routes: may refuse a request, and sees every answer.
class Gate {
  public:
    virtual ~Gate() = default;
    /// Null to let the request pass; otherwise its answer. `route` is null where there is none.
    virtual std::optional<http::Response> before(const http::Request& request,
                                                 const Route* route) = 0;
    /// The same for a page that people open by its address and answer on: it needs no API token,
    /// and takes answers from nowhere but itself.
    virtual std::optional<http::Response> before_page(const http::Request& request) = 0;
    /// Whether the request comes without an API token to a route that asks for one and also takes
    /// a credential of its own.
    virtual bool is_guest(const http::Request& request, const Route* route) const = 0;
    /// A place for a guest, held until the answer; an error when there is none.
    virtual Result<Guests::Place> let_in(const http::Peer& peer) = 0;
    /// May add headers.
    virtual void after(const Answered& answered, http::Response& response) = 0;
};

/// What an operator did, as far as this room knows.
struct Action {
    std::string name{};
    /// The parameters of the path, joined by `/`.
    std::string subject{};
    std::string remote{};
    std::string request_id{};
    /// `Authorization` as given.
    std::string authorization{};
    /// `ok` or the code of the refusal.
    std::string outcome{};
};

class Auditor {
  public:
    virtual ~Auditor() = default;
    virtual boost::asio::awaitable<void> record(Action action) = 0;
};

/// Answers requests from the table of routes; everything that all routes have in common happens
/// here. Lives on the server's loop.
class Dispatcher final : public http::Handler {
  public:
    /// All of them outlive it, and the table does not change any more.
    Dispatcher(const Routes& routes, BodyLimits limits, Gate& gate, Auditor& auditor);

    http::Admission admit(const http::Request& head, http::Peer& peer) override;
    boost::asio::awaitable<http::Response> handle(http::Request request, http::Peer& peer) override;

  private:
    boost::asio::awaitable<http::Response> answer(Call& call, const Route& route,
                                                  std::string& store_failure);
    boost::asio::awaitable<void> audit(const Call& call, const Route& route, std::string outcome);
    std::optional<http::Response> refuse_unmatched(const Router::Match& match,
                                                   const http::Request& request) const;

    Router router_;
    BodyLimits limits_;
    Gate& gate_;
    Auditor& auditor_;
};

}  // namespace ff::api
