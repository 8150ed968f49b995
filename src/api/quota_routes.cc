#include "api/quota_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "api/policy_fields.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;

Task<http::Response> create_quota(service::Quotas& quotas, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    service::NewQuota quota;
    FF_CO_TRY(quota.id, body.id_if<model::QuotaPolicyId>("quota_policy_id"));
    FF_CO_TRY(quota.window_seconds, body.integer_or("window_seconds", 0, {.least = 0}));
    FF_CO_TRY(quota.requests_per_window_max,
              body.integer_or("max_requests_per_window", 0, {.least = 0}));
    FF_CO_TRY(quota.concurrent_max, body.integer_or("max_concurrent", 0, {.least = 0}));
    FF_CO_TRY(quota.jitter_ms, body.integer_or("jitter_ms", 0, {.least = 0}));
    FF_CO_TRY(quota.scope, read_scope(body));
    FF_CO_TRY(quota.name, body.text_or("name", "", {.most = 256}));
    FF_CO_TRY(quota.attach, body.flag_or("attach", false));
    FF_CO_TRY(const auto created, co_await quotas.create(std::move(quota)));
    co_return json_response(created.already_satisfied ? 200 : 201, [&](json::Writer& out) {
        out.key("status").string(created.already_satisfied ? "already_satisfied" : "created");
        out.key("quota_policy_id").string(created.id.to_string());
    });
}

void write_quota(json::Writer& out, const service::QuotaStatus& quota) {
    out.key("quota_policy_id").string(quota.id.to_string());
    if (!quota.name.empty()) out.key("name").string(quota.name);
    write_scope(out, quota.scope);
    out.key("window_seconds").integer(quota.window_seconds);
    out.key("max_requests_per_window").integer(quota.requests_per_window_max);
    out.key("max_concurrent").integer(quota.concurrent_max);
    out.key("jitter_ms").integer(quota.jitter_ms);
    out.key("window_entries").integer(quota.window_entries);
    out.key("held_slots").integer(quota.held_slots);
    out.key("next_slot_in_ms").integer(quota.next_slot_in.count());
    write_time_if(out, "created_at", quota.created_at);
}

Task<http::Response> get_quota(service::Quotas& quotas, Call& call) {
    FF_CO_TRY(const model::QuotaPolicyId id, parse_path<model::QuotaPolicyId>(call, "id"));
    FF_CO_TRY(const service::QuotaStatus quota, co_await quotas.get(id));
    co_return json_response(200, [&](json::Writer& out) { write_quota(out, quota); });
}

Task<http::Response> list_quotas(service::Quotas& quotas, Call& call) {
    FF_CO_TRY(PolicyPage page, read_policy_page(call));
    FF_CO_TRY(const service::QuotaPage found,
              co_await quotas.list(std::move(page.cursor), page.limit));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("quotas").begin_array();
        for (const service::QuotaStatus& quota : found.quotas) {
            out.begin_object();
            write_quota(out, quota);
            out.end_object();
        }
        out.end_array();
        write_next_cursor(out, found.next_cursor);
    });
}

Task<http::Response> update_quota(service::Quotas& quotas, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(const model::QuotaPolicyId id, parse_path<model::QuotaPolicyId>(call, "id"));
    FF_CO_CHECK(body.matches_path("quota_policy_id", id.to_string()));
    service::QuotaChange change{.id = id};
    FF_CO_TRY(change.actor, body.text_or("actor", "", {.most = 256}));
    FF_CO_TRY(change.reason, body.text_or("reason", "", {.most = 256}));
    FF_CO_TRY(change.window_seconds, body.integer_if("window_seconds", {.least = 0}));
    FF_CO_TRY(change.requests_per_window_max,
              body.integer_if("max_requests_per_window", {.least = 0}));
    FF_CO_TRY(change.concurrent_max, body.integer_if("max_concurrent", {.least = 0}));
    FF_CO_TRY(change.jitter_ms, body.integer_if("jitter_ms", {.least = 0}));
    FF_CO_TRY(change.name, body.text_or("name", "", {.most = 256}));
    FF_CO_TRY(const std::int64_t revision, co_await quotas.update(std::move(change)));
    co_return json_response(200, [&](json::Writer& out) { out.key("revision").integer(revision); });
}

Task<http::Response> change_attachment(service::Quotas& quotas, Call& call, bool attach) {
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(const model::QuotaPolicyId id, parse_path<model::QuotaPolicyId>(call, "id"));
    FF_CO_TRY(model::PolicyScope scope, read_scope(Fields(object)));
    if (attach) {
        FF_CO_CHECK(co_await quotas.attach(id, std::move(scope)));
    } else {
        FF_CO_CHECK(co_await quotas.detach(id, std::move(scope)));
    }
    co_return json_response(200, [attach](json::Writer& out) {
        out.key("status").string(attach ? "attached" : "detached");
    });
}

/// What a quota allows: given when it is made, and changed later.
std::vector<FieldDoc> limit_fields() {
    return {{.name = "window_seconds", .kind = Kind::Integer, .example = "60"},
            {.name = "max_requests_per_window",
             .kind = Kind::Integer,
             .about = "0 is no limit",
             .example = "100"},
            {.name = "max_concurrent", .kind = Kind::Integer, .about = "0 is no limit"},
            {.name = "jitter_ms", .kind = Kind::Integer},
            {.name = "name"}};
}

std::vector<FieldDoc> quota_fields() {
    std::vector<FieldDoc> fields = scope_fields();
    // A quota may be made without a scope and take that of its first attachment.
    fields.front().required = false;
    fields.push_back({.name = "quota_policy_id", .about = "A UUID; minted where absent"});
    for (FieldDoc& field : limit_fields()) fields.push_back(std::move(field));
    fields.push_back({.name = "attach", .kind = Kind::Boolean, .about = "Governs its scope"});
    return fields;
}

void add_update_route(Routes& routes, service::Quotas& quotas) {
    std::vector<FieldDoc> fields = limit_fields();
    fields.push_back({.name = "actor", .about = "Who changes it"});
    fields.push_back({.name = "reason", .about = "At most 256 bytes"});
    routes.add({.method = "PUT",
                .pattern = "/v1/quotas/{id}",
                .body = BodyClass::Control,
                .audit = "quota.update",
                .doc = {.id = "updateQuota",
                        .summary = "Change what a quota allows; what is absent or null stays",
                        .body = std::move(fields),
                        .answer_type = "Revision",
                        .errors = {"quota_policy_not_found", "invalid_quota_spec"}},
                .handle = [&quotas](Call& call) { return update_quota(quotas, call); }});
}

}  // namespace

void add_quota_routes(Routes& routes, service::Quotas& quotas) {
    routes.add({.method = "POST",
                .pattern = "/v1/quotas",
                .body = BodyClass::Control,
                .audit = "quota.create",
                .doc = {.id = "createQuota",
                        .summary = "Create a quota policy",
                        .body = quota_fields(),
                        .answer_type = "CreatedQuota",
                        .statuses = {201, 200},
                        .errors = {"invalid_quota_spec", "quota_attach_conflict"}},
                .handle = [&quotas](Call& call) { return create_quota(quotas, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/quotas",
                .doc = {.id = "listQuotas",
                        .summary = "Quota policies in the order of their ids",
                        .query = {{.name = "cursor"}, {.name = "limit", .kind = Kind::Integer}},
                        .answer_type = "QuotaPage"},
                .handle = [&quotas](Call& call) { return list_quotas(quotas, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/quotas/{id}",
                .doc = {.id = "getQuota",
                        .summary = "What a quota allows and how much of it is taken",
                        .answer_type = "Quota",
                        .errors = {"quota_policy_not_found"}},
                .handle = [&quotas](Call& call) { return get_quota(quotas, call); }});
    add_update_route(routes, quotas);
    for (const bool attach : {true, false}) {
        routes.add({.method = "POST",
                    .pattern = attach ? "/v1/quotas/{id}/attach" : "/v1/quotas/{id}/detach",
                    .body = BodyClass::Control,
                    .audit = attach ? "quota.attach" : "quota.detach",
                    .doc = {.id = attach ? "attachQuota" : "detachQuota",
                            .summary = attach ? "Let a quota govern a scope"
                                              : "Let a quota govern only those that name it",
                            .body = scope_fields(),
                            .answer_type = "Attachment",
                            .errors = {"quota_policy_not_found", "quota_attach_conflict"}},
                    .handle = [&quotas, attach](Call& call) {
                        return change_attachment(quotas, call, attach);
                    }});
    }
}

}  // namespace ff::api
