#include "api/openapi.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "api/schema.h"
#include "base/json.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;

/// What every route can answer, beside its own codes.
constexpr std::string_view kCommonErrors[] = {"invalid_input", "storage_error", "internal"};

/// The type of a field in the notation of `schema.h`.
std::string type_of(const FieldDoc& field) {
    if (!field.type.empty()) return field.type;
    switch (field.kind) {
        case Kind::String:
            return "string";
        case Kind::Bytes:
            return "bytes";
        case Kind::Integer:
            return "integer";
        case Kind::Number:
            return "number";
        case Kind::Boolean:
            return "boolean";
        case Kind::Object:
            return "{any}";
        case Kind::Array:
            return "[any]";
    }
    return "any";
}

SchemaObject object_of(std::string name, std::string about, const std::vector<FieldDoc>& fields) {
    SchemaObject object{.name = std::move(name), .about = std::move(about)};
    for (const FieldDoc& field : fields)
        object.members.push_back({.name = field.name,
                                  .type = type_of(field),
                                  .about = field.about,
                                  .required = field.required,
                                  .example = field.example});
    return object;
}

/// `claimTasks` with the ending `Request` is `ClaimTasksRequest`.
std::string name_after(const Route& route, std::string_view ending) {
    std::string name = route.doc.id;
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name.append(ending);
}

std::string request_type(const Route& route) {
    return route.doc.body_type.empty() ? name_after(route, "Request") : route.doc.body_type;
}

/// Empty where a success has no body.
std::string answer_type(const Route& route) {
    if (!route.doc.answer_type.empty()) return route.doc.answer_type;
    return route.doc.answer.empty() ? "" : name_after(route, "Response");
}

void write_parameter(json::Writer& out, const FieldDoc& field, std::string_view in) {
    out.begin_object();
    out.key("name").string(field.name).key("in").string(in);
    out.key("required").boolean(in == "path" || field.required);
    if (!field.about.empty()) out.key("description").string(field.about);
    out.key("schema");
    write_type(out, type_of(field), "", field.example);
    out.end_object();
}

std::vector<std::string> path_parameters(std::string_view pattern) {
    std::vector<std::string> names;
    for (auto open = pattern.find('{'); open != std::string_view::npos;
         open = pattern.find('{', open + 1)) {
        const auto close = pattern.find('}', open);
        names.emplace_back(pattern.substr(open + 1, close - open - 1));
    }
    return names;
}

/// Bytes or text as the whole body.
void write_text_content(json::Writer& out, std::string_view media_type) {
    out.key(media_type).begin_object().key("schema").begin_object();
    out.key("type").string("string");
    if (media_type == "application/octet-stream") out.key("format").string("binary");
    out.end_object().end_object();
}

void write_parameters(json::Writer& out, const Route& route) {
    out.key("parameters").begin_array();
    for (const std::string& name : path_parameters(route.pattern))
        write_parameter(out, {.name = name}, "path");
    for (const FieldDoc& field : route.doc.query) write_parameter(out, field, "query");
    out.end_array();
}

/// A body of the fields that have an example and of those that are needed, where all of these have.
void write_example(json::Writer& out, const Route& route) {
    std::string text;
    json::Writer body(text);
    body.begin_object();
    bool is_whole = true;
    for (const FieldDoc& field : route.doc.body) {
        if (!field.example.empty()) body.key(field.name).raw(field.example);
        is_whole = is_whole && (!field.required || !field.example.empty());
    }
    body.end_object();
    if (is_whole && text != "{}") out.key("example").raw(text);
}

void write_request_body(json::Writer& out, const Route& route) {
    if (route.body == BodyClass::None) return;
    out.key("requestBody").begin_object();
    // Bytes may be none at all.
    const bool is_needed =
        route.content == Content::Json &&
        std::ranges::any_of(route.doc.body, [](const FieldDoc& field) { return field.required; });
    out.key("required").boolean(is_needed);
    out.key("content").begin_object();
    out.key("application/json").begin_object().key("schema");
    write_type(out, request_type(route));
    write_example(out, route);
    out.end_object();
    if (route.content == Content::JsonOrOctets) write_text_content(out, "application/octet-stream");
    out.end_object().end_object();
}

void write_contents(json::Writer& out, const Route& route) {
    const std::string type = answer_type(route);
    out.key("content").begin_object();
    if (type == "octets") {
        write_text_content(out, "application/octet-stream");
    } else if (type == "text") {
        write_text_content(out, "text/plain");
    } else if (type != "events") {
        out.key("application/json").begin_object().key("schema");
        write_type(out, type);
        out.end_object();
    }
    if (route.streams) write_text_content(out, "text/event-stream");
    out.end_object();
}

void write_successes(json::Writer& out, const Route& route) {
    for (const unsigned status : route.doc.statuses) {
        const bool has_body = status != 204 && status != 304;
        out.key(std::to_string(status)).begin_object();
        out.key("description").string(has_body ? "Done" : "Nothing to tell");
        if (has_body && !answer_type(route).empty()) write_contents(out, route);
        out.end_object();
    }
}

/// By status, with the codes that it stands for.
void write_errors(json::Writer& out, const Route& route) {
    std::map<int, std::set<std::string>> by_status;
    for (const std::string_view code : kCommonErrors)
        by_status[model::lookup_error(code).http_status].emplace(code);
    by_status[503].emplace("storage_error");
    by_status[503].emplace("shutting_down");
    by_status[403].emplace("foreign_host");
    by_status[403].emplace("foreign_origin");
    if (!route.open) by_status[401].emplace("unauthorized");
    if (route.body != BodyClass::None) {
        by_status[413].emplace("payload_too_large");
        by_status[415].emplace("unsupported_media_type");
    }
    for (const std::string& code : route.doc.errors)
        by_status[model::lookup_error(code).http_status].insert(code);
    for (const auto& [status, codes] : by_status) {
        std::string text;
        for (const std::string& code : codes) text += (text.empty() ? "" : ", ") + code;
        out.key(std::to_string(status)).begin_object().key("description").string(text);
        out.key("content").begin_object().key("application/json").begin_object();
        out.key("schema").begin_object();
        out.key("$ref").string("#/components/schemas/Error");
        out.end_object().end_object().end_object().end_object();
    }
}

/// The noun of the path: `executions` of `/v1/executions/{id}`.
std::string tag_of(std::string_view pattern) {
    if (!pattern.starts_with("/v1/")) return "process";
    pattern.remove_prefix(4);
    return std::string(pattern.substr(0, pattern.find('/')));
}

void write_operation(json::Writer& out, const Route& route) {
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    out.key(method).begin_object();
    out.key("operationId").string(route.doc.id);
    out.key("summary").string(route.doc.summary);
    out.key("tags").begin_array().string(tag_of(route.pattern)).end_array();
    if (route.open) out.key("security").begin_array().end_array();
    // An empty requirement says that the token may be left out.
    if (route.own_credential) {
        out.key("security").begin_array().begin_object().key("token").begin_array().end_array();
        out.end_object().begin_object().end_object().end_array();
    }
    write_parameters(out, route);
    write_request_body(out, route);
    out.key("responses").begin_object();
    write_successes(out, route);
    write_errors(out, route);
    out.end_object().end_object();
}

/// The named objects, and those that are named after an operation.
SchemaObjects components_of(const Routes& routes) {
    SchemaObjects objects = all_schemas();
    for (const Route& route : routes.all()) {
        const RouteDoc& doc = route.doc;
        if (route.body != BodyClass::None && doc.body_type.empty()) {
            const std::string name = name_after(route, "Request");
            objects[name] = object_of(name, doc.summary, doc.body);
        }
        if (!doc.answer.empty() && doc.answer_type.empty()) {
            const std::string name = name_after(route, "Response");
            objects[name] = object_of(name, "", doc.answer);
        }
    }
    return objects;
}

void write_components(json::Writer& out, const Routes& routes) {
    out.key("components").begin_object();
    out.key("schemas").begin_object();
    for (const auto& [name, object] : components_of(routes)) {
        out.key(name);
        write_object(out, object);
    }
    out.end_object();
    out.key("securitySchemes").begin_object().key("token").begin_object();
    out.key("type").string("http").key("scheme").string("bearer").end_object().end_object();
    out.end_object();
    out.key("security").begin_array().begin_object();
    out.key("token").begin_array().end_array().end_object().end_array();
}

void write_head(json::Writer& out, const std::string& version, const std::string& server) {
    out.key("openapi").string("3.1.0");
    out.key("info").begin_object().key("title").string("FlowFabric");
    out.key("version").string(version);
    out.key("license").begin_object().key("name").string("Apache License 2.0");
    out.key("identifier").string("Apache-2.0").end_object().end_object();
    out.key("servers").begin_array().begin_object();
    out.key("url").string(server).end_object().end_array();
}

Task<http::Response> answer(std::shared_ptr<std::string> text) {
    co_return http::Response{.body = *text};
}

}  // namespace

std::string openapi_document(const Routes& routes, const std::string& version,
                             const std::string& server) {
    std::map<std::string, std::vector<const Route*>> by_path;
    for (const Route& route : routes.all()) by_path[route.pattern].push_back(&route);
    std::string text;
    json::Writer out(text);
    out.begin_object();
    write_head(out, version, server);
    out.key("paths").begin_object();
    for (const auto& [path, same_path] : by_path) {
        out.key(path).begin_object();
        for (const Route* route : same_path) write_operation(out, *route);
        out.end_object();
    }
    out.end_object();
    write_components(out, routes);
    out.end_object();
    return text;
}

void add_openapi_route(Routes& routes, std::string version, std::string server) {
    // Written at the first request, when the table is complete; shared by the requests under way.
    auto text = std::make_shared<std::string>();
    routes.add({.method = "GET",
                .pattern = "/openapi.json",
                .doc = {.id = "getOpenapi", .summary = "This description", .answer_type = "{any}"},
                .handle = [&routes, version = std::move(version), server = std::move(server),
                           text](Call&) {
                    if (text->empty()) *text = openapi_document(routes, version, server);
                    return answer(text);
                }});
}

}  // namespace ff::api
