#include "api/openapi.h"

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/json.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;

/// What every route can answer, beside its own codes.
constexpr std::string_view kCommonErrors[] = {"invalid_input", "storage_error", "internal"};

std::string_view type_name(Kind kind) {
    switch (kind) {
        case Kind::String:
        case Kind::Bytes:
            return "string";
        case Kind::Integer:
            return "integer";
        case Kind::Number:
            return "number";
        case Kind::Boolean:
            return "boolean";
        case Kind::Object:
            return "object";
        case Kind::Array:
            return "array";
    }
    return "string";
}

void write_schema(json::Writer& out, const FieldDoc& field) {
    out.begin_object().key("type").string(type_name(field.kind));
    if (field.kind == Kind::Array) out.key("items").begin_object().end_object();
    if (!field.about.empty()) out.key("description").string(field.about);
    if (!field.example.empty()) out.key("examples").begin_array().raw(field.example).end_array();
    out.end_object();
}

/// Bytes may come as text or as base64, so neither member is required.
void write_object(json::Writer& out, const std::vector<FieldDoc>& fields) {
    out.begin_object().key("type").string("object");
    out.key("properties").begin_object();
    for (const FieldDoc& field : fields) {
        out.key(field.name);
        write_schema(out, field);
        if (field.kind != Kind::Bytes) continue;
        out.key(field.name + "_base64").begin_object();
        out.key("type").string("string").key("contentEncoding").string("base64").end_object();
    }
    out.end_object();
    out.key("required").begin_array();
    for (const FieldDoc& field : fields)
        if (field.required && field.kind != Kind::Bytes) out.string(field.name);
    out.end_array().end_object();
}

void write_parameter(json::Writer& out, const FieldDoc& field, std::string_view in) {
    out.begin_object();
    out.key("name").string(field.name).key("in").string(in);
    out.key("required").boolean(in == "path" || field.required);
    if (!field.about.empty()) out.key("description").string(field.about);
    out.key("schema").begin_object().key("type").string(type_name(field.kind)).end_object();
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

void write_parameters(json::Writer& out, const Route& route) {
    out.key("parameters").begin_array();
    for (const std::string& name : path_parameters(route.pattern))
        write_parameter(out, {.name = name}, "path");
    for (const FieldDoc& field : route.doc.query) write_parameter(out, field, "query");
    out.end_array();
}

void write_request_body(json::Writer& out, const Route& route) {
    if (route.body == BodyClass::None) return;
    out.key("requestBody").begin_object();
    out.key("content").begin_object();
    out.key("application/json").begin_object().key("schema");
    write_object(out, route.doc.body);
    out.end_object();
    if (route.content == Content::JsonOrOctets)
        out.key("application/octet-stream").begin_object().end_object();
    out.end_object().end_object();
}

void write_successes(json::Writer& out, const Route& route) {
    for (const unsigned status : route.doc.statuses) {
        out.key(std::to_string(status)).begin_object();
        out.key("description").string(status == 204 ? "Done, and nothing to tell" : "Done");
        if (status != 204 && !route.doc.answer.empty()) {
            out.key("content").begin_object().key("application/json").begin_object();
            out.key("schema");
            write_object(out, route.doc.answer);
            out.end_object().end_object();
        }
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

std::string operation_id(const Route& route) {
    std::string id = route.method;
    for (const char c : route.pattern) {
        const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (word) {
            id += c;
        } else if (!id.ends_with('_')) {
            id += '_';
        }
    }
    while (id.ends_with('_')) id.pop_back();
    return id;
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
    out.key("operationId").string(operation_id(route));
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

void write_components(json::Writer& out) {
    const std::vector<FieldDoc> error = {
        {.name = "error", .required = true, .about = "for people"},
        {.name = "code", .required = true, .about = "stable, for programs"},
        {.name = "class", .about = "what to do about it"},
        {.name = "kind", .about = "the transport kind of a storage failure, or the code"},
        {.name = "retryable", .kind = Kind::Boolean, .required = true},
        {.name = "detail", .kind = Kind::Array, .about = "strings; a refused field comes first"}};
    out.key("components").begin_object();
    out.key("schemas").begin_object().key("Error");
    write_object(out, error);
    out.end_object();
    out.key("securitySchemes").begin_object().key("token").begin_object();
    out.key("type").string("http").key("scheme").string("bearer").end_object().end_object();
    out.end_object();
    out.key("security").begin_array().begin_object();
    out.key("token").begin_array().end_array().end_object().end_array();
}

Task<http::Response> answer(std::shared_ptr<std::string> text) {
    co_return http::Response{.body = *text};
}

}  // namespace

std::string openapi_document(const Routes& routes, const std::string& version) {
    std::map<std::string, std::vector<const Route*>> by_path;
    for (const Route& route : routes.all()) by_path[route.pattern].push_back(&route);
    std::string text;
    json::Writer out(text);
    out.begin_object().key("openapi").string("3.1.0");
    out.key("info").begin_object().key("title").string("FlowFabric");
    out.key("version").string(version).end_object();
    out.key("paths").begin_object();
    for (const auto& [path, same_path] : by_path) {
        out.key(path).begin_object();
        for (const Route* route : same_path) write_operation(out, *route);
        out.end_object();
    }
    out.end_object();
    write_components(out);
    out.end_object();
    return text;
}

void add_openapi_route(Routes& routes, std::string version) {
    // Written at the first request, when the table is complete; shared by the requests under way.
    auto text = std::make_shared<std::string>();
    routes.add({.method = "GET",
                .pattern = "/openapi.json",
                .doc = {.summary = "This description"},
                .handle = [&routes, version = std::move(version), text](Call&) {
                    if (text->empty()) *text = openapi_document(routes, version);
                    return answer(text);
                }});
}

}  // namespace ff::api
