#include "api/known_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "api/fields.h"
#include "base/near_name.h"

namespace ff::api {
namespace {

/// What clients of older versions send; the store's clock decides.
constexpr std::string_view kIgnored = "now";
constexpr std::string_view kToken = "access_token";
constexpr std::string_view kTaskToken = "task_token";
/// What has no place in the query: a header tells the lease, and the body is the payload.
constexpr std::array<std::string_view, 3> kBodyOnly = {kTaskToken, "lease", "input_payload"};
constexpr std::string_view kEncoded = "_base64";

struct PathId {
    std::string_view segment{};
    std::string_view parameter{};
    std::string_view member{};
};
constexpr std::array<PathId, 8> kPathIds = {
    {{"/executions/{id}", "id", "execution_id"},
     {"/flows/{id}", "id", "flow_id"},
     {"/budgets/{id}", "id", "budget_id"},
     {"/quotas/{id}", "id", "quota_policy_id"},
     {"/lanes/{lane}", "lane", "lane_id"},
     {"/{worker_id}", "worker_id", "worker_id"},
     {"/{instance_id}", "instance_id", "worker_instance_id"},
     {"/{wp}", "wp", "waitpoint_id"}}};

/// How a lease is told, where a route takes a task token.
constexpr std::array<std::string_view, 5> kLeaseMembers = {"lease", "lease_id", "lease_epoch",
                                                           "attempt_id", "attempt_index"};

/// Bytes have a second name.
bool names(const FieldDoc& field, std::string_view name) {
    if (field.name == name) return true;
    return field.kind == FieldDoc::Kind::Bytes && name.ends_with(kEncoded) &&
           name.substr(0, name.size() - kEncoded.size()) == field.name;
}

bool names(const std::vector<FieldDoc>& fields, std::string_view name) {
    return std::ranges::any_of(fields,
                               [name](const FieldDoc& field) { return names(field, name); });
}

std::vector<std::string_view> names_of(const std::vector<FieldDoc>& fields) {
    std::vector<std::string_view> all;
    for (const FieldDoc& field : fields) all.push_back(field.name);
    return all;
}

/// With bytes as the body, the other fields stand in the query, but for lists.
std::vector<FieldDoc> octet_query(const Route& route) {
    std::vector<FieldDoc> fields;
    for (const FieldDoc& field : route.doc.body)
        if (field.kind != FieldDoc::Kind::Bytes && field.kind != FieldDoc::Kind::Array &&
            std::ranges::find(kBodyOnly, field.name) == kBodyOnly.end())
            fields.push_back(field);
    return fields;
}

Result<Done> check_query(const Call& call, const Route& route) {
    if (call.query_parameters().empty()) return Done{};
    const bool octets = route.content == Content::JsonOrOctets && call.is_octets();
    const std::vector<FieldDoc> known = octets ? octet_query(route) : route.doc.query;
    for (const auto& [name, value] : call.query_parameters()) {
        if (names(known, name) || (route.streams && name == kToken)) continue;
        return unknown_name("query parameter", "", name, names_of(known));
    }
    return Done{};
}

/// Whether the member is an id of the path.
Result<bool> is_path_id(const Call& call, const Route& route, const Fields& body,
                        std::string_view name) {
    for (const PathId& id : kPathIds) {
        if (id.member != name || route.pattern.find(id.segment) == std::string::npos) continue;
        FF_CHECK(body.matches_path(name, call.path(id.parameter)));
        return true;
    }
    return false;
}

Result<Done> check_body(Call& call, const Route& route) {
    const std::string& text = call.request().body;
    if (text.empty() || call.is_octets() || route.doc.own_members) return Done{};
    // A body that nobody reads may be anything but an object with members.
    const Result<json::Value> object = call.object();
    if (!object.has_value() && route.body == BodyClass::None) return Done{};
    if (!object.has_value()) return object.error();
    const std::vector<FieldDoc>& known = route.doc.body;
    const bool leased = names(known, kTaskToken);
    const Fields body(*object);
    for (std::size_t i = 0; i < object->size(); ++i) {
        const std::string_view name = object->member(i).first;
        if (name == kIgnored || names(known, name)) continue;
        if (leased && std::ranges::find(kLeaseMembers, name) != kLeaseMembers.end()) continue;
        FF_TRY(const bool of_path, is_path_id(call, route, body, name));
        if (!of_path) return unknown_name("field", "", name, names_of(known));
    }
    return Done{};
}

}  // namespace

Result<Done> check_names(Call& call, const Route& route) {
    FF_CHECK(check_query(call, route));
    return check_body(call, route);
}

}  // namespace ff::api
