#include "api/dispatcher.h"

#include <exception>
#include <utility>

#include "api/error_reply.h"
#include "api/known_names.h"
#include "api/percent.h"
#include "base/log.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

constexpr std::string_view kUnknown = "unknown";

Error not_found() {
    return {.code = "not_found", .message = "no such route"};
}

Error no_memory() {
    Error full = model::make_error("store_full");
    full.message = "The server has no memory left for this request. Repeat it later, or smaller.";
    return full;
}

Error unsupported_media_type() {
    return {.code = "unsupported_media_type",
            .message = "send the body as application/json, with that Content-Type"};
}

/// A body that nobody reads may be anything.
bool content_fits(const Call& call, const Route& route) {
    if (route.body == BodyClass::None || call.request().body.empty() || call.is_json()) return true;
    return route.content == Content::JsonOrOctets && call.is_octets();
}

}  // namespace

std::size_t BodyLimits::of(BodyClass body) const {
    switch (body) {
        case BodyClass::None:
        case BodyClass::Control:
            return control;
        case BodyClass::Medium:
            return medium;
        case BodyClass::Large:
            return large;
        case BodyClass::Frames:
            return frames;
        case BodyClass::Bulk:
            return bulk;
    }
    return control;
}

Dispatcher::Dispatcher(const Routes& routes, BodyLimits limits, Gate& gate, Auditor& auditor)
    : router_(routes), limits_(limits), gate_(gate), auditor_(auditor) {}

http::Admission Dispatcher::admit(const http::Request& head, http::Peer& peer) {
    const Router::Match match = router_.find(head.method, head.path());
    const std::string_view pattern = match.route == nullptr ? kUnknown : match.route->pattern;
    http::Admission admission{
        .body_bytes_max = match.route == nullptr ? limits_.control : limits_.of(match.route->body),
        .route = std::string(pattern),
        .refusal = gate_.before(head, match.route)};
    if (!admission.refusal && gate_.is_guest(head, match.route)) {
        Result<Guests::Place> place = gate_.let_in(peer);
        if (place.has_value()) {
            admission.held = *std::move(place);
        } else {
            admission.refusal = error_reply(std::move(place).error());
        }
    }
    if (admission.refusal) {
        const Answered answered{.head = head,
                                .pattern = pattern,
                                .status = admission.refusal->status,
                                .took = {},
                                .peer = peer};
        gate_.after(answered, *admission.refusal);
    }
    return admission;
}

std::optional<http::Response> Dispatcher::refuse_unmatched(const Router::Match& match,
                                                           const http::Request& request) const {
    if (match.malformed) return error_reply(invalid_input("path", "broken percent escape"));
    if (match.route != nullptr) return std::nullopt;
    if (match.allowed.empty()) return error_reply(not_found());
    Error wrong_method = model::make_error("method_not_allowed", {request.method});
    wrong_method.message = "this route takes " + match.allowed;
    http::Response response = error_reply(std::move(wrong_method));
    response.headers.push_back({.name = "Allow", .value = match.allowed});
    return response;
}

boost::asio::awaitable<http::Response> Dispatcher::handle(http::Request request, http::Peer& peer) {
    const auto start = std::chrono::steady_clock::now();
    Router::Match match = router_.find(request.method, request.path());
    auto query = parse_query(request.query());
    std::optional<http::Response> response = gate_.before(request, match.route);
    if (!response) response = refuse_unmatched(match, request);
    if (!response && !query.has_value()) response = error_reply(query.error());
    Call call(std::move(request), std::move(match.parameters),
              query.has_value() ? *std::move(query) : std::map<std::string, std::string>(), peer);
    if (gate_.is_guest(call.request(), match.route)) call.mark_guest();
    std::string store_failure;
    if (!response) {
        response = co_await answer(call, *match.route, store_failure);
    }
    const Answered answered{.head = call.request(),
                            .pattern = match.route == nullptr ? kUnknown : match.route->pattern,
                            .status = response->status,
                            .took = std::chrono::steady_clock::now() - start,
                            .peer = peer,
                            .store_failure = std::move(store_failure)};
    gate_.after(answered, *response);
    co_return *std::move(response);
}

boost::asio::awaitable<http::Response> Dispatcher::answer(Call& call, const Route& route,
                                                          std::string& store_failure) {
    if (!content_fits(call, route)) co_return error_reply(unsupported_media_type());
    const Result<Done> understood = check_names(call, route);
    if (!understood.has_value()) co_return error_reply(understood.error());
    // A handler answers with values. Should one throw all the same, its client gets an answer and
    // the other requests go on.
    std::string thrown;
    std::optional<Result<http::Response>> answer;
    try {
        answer = co_await route.handle(call);
    } catch (const std::bad_alloc&) {
        answer = no_memory();
    } catch (const std::exception& failure) {
        thrown = failure.what();
    }
    if (!answer) {
        log::error("api", "handler_threw", {{"route", route.pattern}, {"why", thrown}});
        answer = Error{.code = "internal", .message = "an internal fault; see the log"};
    }
    if (!route.audit.empty()) {
        std::string outcome = answer->has_value() ? "ok" : answer->error().code;
        co_await audit(call, route, std::move(outcome));
    }
    if (answer->has_value()) co_return **std::move(answer);
    if (answer->error().code == "storage_error") store_failure = answer->error().kind;
    co_return error_reply(std::move(*answer).error());
}

boost::asio::awaitable<void> Dispatcher::audit(const Call& call, const Route& route,
                                               std::string outcome) {
    Action action{.name = route.audit,
                  .subject = call.subject(),
                  .remote = call.peer().address(),
                  .request_id = call.request().id,
                  .authorization = std::string(call.request().header("Authorization").value_or("")),
                  .outcome = std::move(outcome)};
    co_await auditor_.record(std::move(action));
}

}  // namespace ff::api
