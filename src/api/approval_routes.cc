#include "api/approval_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/stream_query.h"
#include "api/waitpoint_json.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
constexpr std::int64_t kLimit = 50;
constexpr std::int64_t kLimitMost = 200;

Task<http::Response> list(service::Approvals& approvals, Call& call) {
    service::ApprovalQuery query;
    const std::string ns = call.query("namespace").value_or("");
    if (!ns.empty()) {
        FF_CO_TRY(query.ns, model::Namespace::parse(ns, "namespace"));
    }
    FF_CO_TRY(const auto limit, call.query_integer("limit", 1, kLimitMost));
    query.limit = static_cast<std::size_t>(limit.value_or(kLimit));
    query.cursor = call.query("cursor").value_or("");
    FF_CO_TRY(const service::ApprovalPage page, co_await approvals.list(std::move(query)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("approvals").begin_array();
        for (const service::WaitingApproval& one : page.approvals) {
            out.begin_object();
            write_waitpoint(out, one.execution.execution_id, one.waitpoint);
            out.key("namespace").string(one.execution.ns);
            out.key("lane_id").string(one.execution.lane_id);
            out.key("execution_kind").string(one.execution.execution_kind);
            out.end_object();
        }
        out.end_array().key("next_cursor");
        if (page.next_cursor.empty()) {
            out.null();
        } else {
            out.string(page.next_cursor);
        }
    });
}

}  // namespace

void add_approval_routes(Routes& routes, service::Approvals& approvals) {
    routes.add({.method = "GET",
                .pattern = "/v1/approvals",
                .doc = {.id = "listApprovals",
                        .summary = "What people are asked and have not answered, soonest due first",
                        .query = {doc_query("namespace", "Of this namespace only"),
                                  doc_limit("1..200, 50 by default"),
                                  doc_query("cursor", "next_cursor of the page before")},
                        .answer_type = "ApprovalPage",
                        .errors = {"invalid_cursor"}},
                .handle = [&approvals](Call& call) { return list(approvals, call); }});
}

}  // namespace ff::api
