#include "api/link_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "api/stream_query.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kLifeMs = 7 * kDayMs;
// As the function has it.
constexpr std::int64_t kLifeMsMost = 365 * kDayMs;
constexpr TextLimits kLabel{.most = 256};
constexpr std::size_t kLinkIdMost = 64;

Task<http::Response> create(LinkGround ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(model::WaitpointId waitpoint, parse_path<model::WaitpointId>(call, "wp"));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(const std::int64_t life,
              body.integer_or("expires_in_ms", kLifeMs, {.least = 1, .most = kLifeMsMost}));
    FF_CO_TRY(std::string label, body.text_or("label", "", kLabel));
    if (ground.public_url.empty())
        co_return invalid_input("FF_PUBLIC_URL",
                                "is not set, so no link of this server would lead anywhere");
    service::NewApprovalLink request{.execution_id = id,
                                     .waitpoint_id = waitpoint,
                                     .expires_at = model::DueTime::after(Millis(life)),
                                     .label = std::move(label)};
    FF_CO_TRY(const service::CreatedApprovalLink created,
              co_await ground.approvals.create_link(std::move(request)));
    http::Response response = json_response(201, [&](json::Writer& out) {
        out.key("status").string("created");
        out.key("link_id").string(created.link.id());
        out.key("url").string(ground.public_url + std::string(kApprovalPages) +
                              created.link.reveal());
        out.key("expires_at").integer(to_ms(created.expires_at));
    });
    response.headers.push_back({.name = "Cache-Control", .value = "no-store"});
    co_return response;
}

Task<http::Response> revoke(LinkGround ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(model::WaitpointId waitpoint, parse_path<model::WaitpointId>(call, "wp"));
    std::optional<std::string> link_id = call.query("link_id");
    if (link_id && (link_id->empty() || link_id->size() > kLinkIdMost))
        co_return invalid_input("link_id", "is no id of a link");
    FF_CO_TRY(const std::int64_t revoked,
              co_await ground.approvals.revoke_links(id, waitpoint, std::move(link_id)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("revoked").key("revoked").integer(revoked);
    });
}

}  // namespace

void add_link_routes(Routes& routes, LinkGround ground) {
    routes.add({.method = "DELETE",
                .pattern = "/v1/executions/{id}/waitpoints/{wp}/link",
                .audit = "waitpoint.unlink",
                .doc = {.id = "revokeWaitpointLinks",
                        .summary = "End the approval links of a waitpoint, all or one",
                        .query = {doc_query("link_id", "Only this one")},
                        .answer = {{.name = "status", .required = true},
                                   {.name = "revoked", .kind = Kind::Integer, .required = true}},
                        .errors = {"waitpoint_not_found", "invalid_waitpoint_for_execution",
                                   "link_not_found"}},
                .handle = [ground](Call& call) { return revoke(ground, call); }});
    routes.add({.method = "POST",
                .pattern = "/v1/executions/{id}/waitpoints/{wp}/link",
                .body = BodyClass::Control,
                .audit = "waitpoint.link",
                .doc = {.id = "createWaitpointLink",
                        .summary = "Make a link by which a person answers without an account",
                        .body = {{.name = "expires_in_ms",
                                  .kind = Kind::Integer,
                                  .about = "7 days by default, a year at most",
                                  .example = "86400000"},
                                 {.name = "label",
                                  .about = "Whom it is for; the answer's signal says so"}},
                        .answer = {{.name = "status", .required = true},
                                   {.name = "link_id", .required = true},
                                   {.name = "url", .required = true},
                                   {.name = "expires_at", .kind = Kind::Integer, .required = true}},
                        .statuses = {201},
                        .errors = {"waitpoint_not_found", "waitpoint_closed",
                                   "invalid_waitpoint_for_execution", "link_limit_exceeded"}},
                .handle = [ground](Call& call) { return create(ground, call); }});
}

}  // namespace ff::api
