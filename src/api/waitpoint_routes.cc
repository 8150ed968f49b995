#include "api/waitpoint_routes.h"

#include <utility>

#include "api/approval_fields.h"
#include "api/error_reply.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/stream_query.h"
#include "api/suspend_routes.h"
#include "api/waitpoint_json.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;

http::Response not_stored(http::Response response) {
    response.headers.push_back({.name = "Cache-Control", .value = "no-store"});
    return response;
}

Result<hub::WaitpointListing> parse_listing(const WaitpointGround& ground, const Call& call) {
    FF_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    hub::WaitpointListing listing{.execution_id = id};
    const std::string tokens = call.query("tokens").value_or("");
    listing.omit_tokens = tokens == "omit";
    if (!tokens.empty() && !listing.omit_tokens) return invalid_input("tokens", "can only be omit");
    FF_TRY(const auto limit, call.query_integer("limit", 1, kPageMost));
    if (limit) listing.examine_max = static_cast<std::size_t>(*limit);
    const std::string after = call.query("after").value_or("");
    if (after.empty()) return listing;
    auto parsed = model::WaitpointId::parse(after);
    if (!parsed.has_value()) return within_field(std::move(parsed).error(), "after");
    listing.after = *parsed;
    return listing;
}

Task<http::Response> list(WaitpointGround ground, Call& call) {
    FF_CO_TRY(hub::WaitpointListing listing, parse_listing(ground, call));
    const model::ExecutionId id = listing.execution_id;
    FF_CO_TRY(const hub::OpenWaitpoints open,
              co_await ground.signals.pending_waitpoints(std::move(listing)));
    co_return not_stored(json_response(200, [&](json::Writer& out) {
        out.key("waitpoints").begin_array();
        for (const hub::OpenWaitpoint& waitpoint : open.waitpoints) {
            out.begin_object();
            write_waitpoint(out, id, waitpoint);
            out.end_object();
        }
        out.end_array().key("next_cursor");
        if (open.next) {
            out.string(open.next->to_string());
        } else {
            out.null();
        }
    }));
}

Task<http::Response> tell_token(WaitpointGround ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(model::WaitpointId waitpoint, parse_path<model::WaitpointId>(call, "wp"));
    const Result<model::WaitpointToken> token = co_await ground.signals.token(id, waitpoint);
    if (!token.has_value()) co_return not_stored(error_reply(token.error()));
    co_return not_stored(
        json_response(200, [&](json::Writer& out) { out.key("token").string(token->reveal()); }));
}

Task<http::Response> create_pending(WaitpointGround ground, Call& call) {
    FF_CO_TRY(service::HeldAttempt attempt, parse_held(call, ground.partitions));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    service::NewPendingWaitpoint request{.attempt = std::move(attempt)};
    FF_CO_TRY(request.key, body.id_if<model::WaitpointKey>("waitpoint_key"));
    FF_CO_TRY(const std::int64_t expires_in, body.integer("expires_in_ms", {.least = 1}));
    request.expires_in = Millis(expires_in);
    FF_CO_TRY(request.approval, parse_approval(body));
    FF_CO_TRY(const service::PendingWaitpoint created,
              co_await ground.suspensions.create_pending(std::move(request)));
    co_return not_stored(json_response(201, [&](json::Writer& out) {
        out.key("status").string("created");
        write_bound(out, created.waitpoint);
        write_time(out, "expires_at", created.expires_at);
    }));
}

Task<http::Response> close(WaitpointGround ground, Call& call) {
    FF_CO_TRY(service::HeldAttempt attempt, parse_held(call, ground.partitions));
    FF_CO_TRY(model::WaitpointId waitpoint, parse_path<model::WaitpointId>(call, "wp"));
    FF_CO_TRY(const json::Value object, call.object());
    service::WaitpointClosing request{.attempt = std::move(attempt), .waitpoint_id = waitpoint};
    FF_CO_TRY(request.reason, Fields(object).text_or("reason", "", {.most = 1024}));
    FF_CO_CHECK(co_await ground.suspensions.close_waitpoint(std::move(request)));
    co_return json_response(200, [](json::Writer& out) { out.key("status").string("closed"); });
}

void write_indexes(json::Writer& out, std::string_view name,
                   const std::vector<std::uint16_t>& partitions) {
    out.key(name).begin_array();
    for (const std::uint16_t index : partitions) out.unsigned_integer(index);
    out.end_array();
}

Task<http::Response> rotate(WaitpointGround ground, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(std::string kid, body.text("new_kid"));
    FF_CO_TRY(std::string secret, body.text("new_secret_hex"));
    FF_CO_TRY(const Pool::Permit permit, ground.pools.admin_rotate.take());
    FF_CO_TRY(const hub::RotationReport report,
              co_await ground.signals.rotate(std::move(kid), std::move(secret)));
    if (auto failure = service::failure_of(report)) co_return *std::move(failure);
    co_return json_response(200, [&](json::Writer& out) {
        out.key("rotated").unsigned_integer(report.rotated);
        write_indexes(out, "failed", report.failed);
        write_indexes(out, "in_progress", report.in_progress);
        out.key("new_kid").string(report.new_kid);
    });
}

Task<http::Response> list_kids(WaitpointGround ground, Call&) {
    FF_CO_TRY(const service::LiveKids live, co_await ground.signals.kids());
    co_return json_response(200, [&](json::Writer& out) {
        out.key("current_kid").string(live.current_kid);
        out.key("in_step").boolean(live.in_step);
        out.key("kids").begin_array();
        for (const auto& kid : live.retired) {
            out.begin_object().key("kid").string(kid.kid);
            out.key("expires_at").integer(to_ms(kid.expires_at)).end_object();
        }
        out.end_array();
    });
}

void add_reading(Routes& routes, WaitpointGround ground) {
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/pending-waitpoints",
                .doc = {.id = "listPendingWaitpoints",
                        .summary = "The waitpoints of an execution that take signals",
                        .query = {doc_choice("tokens", "=omit", "Leaves the tokens out"),
                                  doc_limit("1..1000, all by default"),
                                  doc_query("after", "The last waitpoint examined")},
                        .answer_type = "WaitpointPage",
                        .errors = {"execution_not_found"}},
                .handle = [ground](Call& call) { return list(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/waitpoints/{wp}/token",
                .doc = {.id = "getWaitpointToken",
                        .summary = "The token of an open waitpoint",
                        .answer_type = "WaitpointToken",
                        .errors = {"waitpoint_not_found"}},
                .handle = [ground](Call& call) { return tell_token(ground, call); }});
}

void add_working(Routes& routes, WaitpointGround ground) {
    routes.add({.method = "POST",
                .pattern = "/v1/executions/{id}/waitpoints",
                .body = BodyClass::Medium,
                .doc = {.id = "createWaitpoint",
                        .summary = "Create a waitpoint while the work goes on",
                        .body = {{.name = "task_token", .about = "Or lease"},
                                 {.name = "lease", .kind = Kind::Object, .type = "Lease"},
                                 {.name = "waitpoint_key"},
                                 {.name = "expires_in_ms",
                                  .kind = Kind::Integer,
                                  .required = true,
                                  .example = "60000"},
                                 doc_approval()},
                        .answer_type = "PendingWaitpoint",
                        .statuses = {201},
                        .errors = {"stale_lease", "lease_expired", "execution_not_active",
                                   "fence_required"}},
                .handle = [ground](Call& call) { return create_pending(ground, call); }});
    routes.add({.method = "POST",
                .pattern = "/v1/executions/{id}/waitpoints/{wp}/close",
                .body = BodyClass::Control,
                .doc = {.id = "closeWaitpoint",
                        .summary = "Close a waitpoint: it takes no more signals",
                        .body = {{.name = "task_token", .about = "Or lease"},
                                 {.name = "lease", .kind = Kind::Object, .type = "Lease"},
                                 {.name = "reason"}},
                        .answer_type = "ClosedWaitpoint",
                        .errors = {"stale_lease", "waitpoint_not_found", "fence_required"}},
                .handle = [ground](Call& call) { return close(ground, call); }});
}

void add_secrets(Routes& routes, WaitpointGround ground) {
    routes.add({.method = "POST",
                .pattern = "/v1/admin/rotate-waitpoint-secret",
                .body = BodyClass::Control,
                .audit = "waitpoint_secret.rotate",
                .doc = {.id = "rotateWaitpointSecret",
                        .summary = "Sign new tokens with another secret, on all partitions",
                        .body = {{.name = "new_kid", .required = true, .example = "\"k2\""},
                                 {.name = "new_secret_hex", .required = true}},
                        .answer_type = "RotatedSecret",
                        .errors = {"invalid_kid", "invalid_secret_hex", "rotation_conflict",
                                   "rotation_timeout", "too_many_requests"}},
                .handle = [ground](Call& call) { return rotate(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/admin/waitpoint-kids",
                .doc = {.id = "listWaitpointKids",
                        .summary = "The kids that sign and those that are still accepted",
                        .answer_type = "WaitpointKids"},
                .handle = [ground](Call& call) { return list_kids(ground, call); }});
}

}  // namespace

void add_waitpoint_routes(Routes& routes, WaitpointGround ground) {
    add_reading(routes, ground);
    add_working(routes, ground);
    add_secrets(routes, ground);
}

}  // namespace ff::api
