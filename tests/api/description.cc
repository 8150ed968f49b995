#include "api/description.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace ff::testing {
namespace {

constexpr std::string_view kJson = "application/json";

/// What a request may have beside its schema: what clients of older versions send, the ids of the
/// path, and the members of a lease that stand where a task token could.
constexpr std::array<std::string_view, 14> kAllowed = {"now",
                                                       "access_token",
                                                       "lease_id",
                                                       "lease_epoch",
                                                       "attempt_id",
                                                       "attempt_index",
                                                       "execution_id",
                                                       "flow_id",
                                                       "budget_id",
                                                       "quota_policy_id",
                                                       "lane_id",
                                                       "worker_id",
                                                       "worker_instance_id",
                                                       "waitpoint_id"};

json::Document parsed(std::string_view text) {
    auto document = json::Document::parse(text);
    if (!document.has_value()) throw std::runtime_error("no JSON: " + std::string(text));
    return *std::move(document);
}

std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    while (!path.empty()) {
        const auto slash = path.find('/', 1);
        segments.push_back(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
    }
    return segments;
}

/// How many segments stand in the pattern as they are in the path; nothing where they differ.
std::optional<std::size_t> likeness(std::string_view path, std::string_view pattern) {
    const auto given = segments_of(path);
    const auto wanted = segments_of(pattern);
    if (given.size() != wanted.size()) return std::nullopt;
    std::size_t same = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] == wanted[i]) {
            ++same;
        } else if (!wanted[i].starts_with("/{")) {
            return std::nullopt;
        }
    }
    return same;
}

std::string_view type_of(const json::Value& value) {
    switch (value.kind()) {
        case json::Kind::Null:
            return "null";
        case json::Kind::Bool:
            return "boolean";
        case json::Kind::Number:
            return value.as_integer() ? "integer" : "number";
        case json::Kind::String:
            return "string";
        case json::Kind::Array:
            return "array";
        case json::Kind::Object:
            return "object";
    }
    return {};
}

bool is_of_type(const json::Value& value, const json::Value& type) {
    const std::string_view own = type_of(value);
    const auto fits = [own](const json::Value& one) {
        const std::string_view name = *one.as_string();
        return name == own || (name == "number" && own == "integer");
    };
    if (!type.is_array()) return fits(type);
    for (std::size_t i = 0; i < type.size(); ++i)
        if (fits(type.element(i))) return true;
    return false;
}

bool is_listed(const json::Value& value, const json::Value& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list.element(i).to_text() == value.to_text()) return true;
    return false;
}

std::string name_of_media(std::string_view media_type) {
    return std::string(media_type.substr(0, media_type.find(';')));
}

std::optional<json::Value> schema_in(const std::optional<json::Value>& holder,
                                     std::string_view media_type) {
    if (!holder) return std::nullopt;
    const auto contents = holder->find("content");
    if (!contents) return std::nullopt;
    const auto content = contents->find(media_type);
    return content ? content->find("schema") : std::nullopt;
}

}  // namespace

struct Description::Place {
    std::string path{};
    bool in_request = false;
    std::vector<std::string> problems{};

    void refuse(const std::string& why) { problems.push_back(path + ": " + why); }
};

Description::Description(std::string_view openapi_document) : document_(parsed(openapi_document)) {}

std::optional<json::Value> Description::operation_of(const Exchange& exchange) const {
    const std::string_view path = exchange.target.substr(0, exchange.target.find('?'));
    const json::Value paths = *document_.root().find("paths");
    std::string method(exchange.method == "HEAD" ? "GET" : exchange.method);
    for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::optional<json::Value> best;
    std::size_t most = 0;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto [pattern, methods] = paths.member(i);
        const auto same = likeness(path, pattern);
        if (!same || (best && *same < most)) continue;
        const auto operation = methods.find(method);
        if (!operation) continue;
        best = operation;
        most = *same;
    }
    return best;
}

json::Value Description::resolved(json::Value schema) const {
    const auto reference = schema.find("$ref");
    if (!reference) return schema;
    const std::string_view name = *reference->as_string();
    const auto schemas = document_.root().find("components")->find("schemas");
    const auto found = schemas->find(name.substr(name.rfind('/') + 1));
    if (!found) throw std::runtime_error("no schema " + std::string(name));
    return *found;
}

bool Description::fits_any(const json::Value& value, const json::Value& choices,
                           const Place& place) const {
    for (std::size_t i = 0; i < choices.size(); ++i) {
        Place attempt{.path = place.path, .in_request = place.in_request};
        check(value, choices.element(i), attempt);
        if (attempt.problems.empty()) return true;
    }
    return false;
}

void Description::check_object(const json::Value& value, const json::Value& schema,
                               Place& place) const {
    const auto properties = schema.find("properties");
    const auto others = schema.find("additionalProperties");
    std::set<std::string_view> present;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const auto [name, member] = value.member(i);
        // In a request, null means absent.
        if (place.in_request && member.is_null()) continue;
        present.insert(name);
        const auto known = properties ? properties->find(name) : std::nullopt;
        const std::string outer = place.path;
        place.path += "." + std::string(name);
        if (known) {
            check(member, *known, place);
        } else if (others && others->is_object()) {
            check(member, *others, place);
        } else if (!others &&
                   !(place.in_request && std::ranges::find(kAllowed, name) != kAllowed.end())) {
            place.refuse("is not described");
        }
        place.path = outer;
    }
    const auto required = schema.find("required");
    for (std::size_t i = 0; required && i < required->size(); ++i) {
        const std::string_view name = *required->element(i).as_string();
        if (!present.contains(name)) place.refuse("has no " + std::string(name));
    }
}

void Description::check(const json::Value& value, json::Value schema, Place& place) const {
    schema = resolved(schema);
    if (const auto choices = schema.find("anyOf")) {
        if (!fits_any(value, *choices, place))
            place.refuse("fits none of its types: " + value.to_text());
        return;
    }
    const auto type = schema.find("type");
    if (type && !is_of_type(value, *type)) {
        place.refuse("is of type " + std::string(type_of(value)));
        return;
    }
    const auto values = schema.find("enum");
    if (values && !value.is_null() && !is_listed(value, *values))
        place.refuse("is none of its values: " + value.to_text());
    // A schema that says nothing takes anything.
    if (value.is_object() && type) check_object(value, schema, place);
    const auto items = schema.find("items");
    for (std::size_t i = 0; value.is_array() && items && i < value.size(); ++i) {
        const std::string outer = place.path;
        place.path += "[" + std::to_string(i) + "]";
        check(value.element(i), *items, place);
        place.path = outer;
    }
}

std::vector<std::string> Description::problems_of(const Exchange& exchange) const {
    const auto operation = operation_of(exchange);
    if (!operation || exchange.method == "HEAD") return {};
    Place place{.path = "answer"};
    const auto answers = operation->find("responses");
    const auto answer = answers->find(std::to_string(exchange.status));
    if (!answer) place.refuse("status " + std::to_string(exchange.status) + " is not described");
    const std::string media = name_of_media(exchange.media_type);
    if (answer && !exchange.answered.empty()) {
        const auto schema = schema_in(answer, media);
        if (!schema) place.refuse("has no schema as " + media);
        if (schema && media == kJson) check(parsed(exchange.answered).root(), *schema, place);
    }
    const auto wanted = schema_in(operation->find("requestBody"), kJson);
    // What an item of a batch has wrong is told with the item.
    const bool refused = exchange.answered.find(R"("status":"error")") != std::string_view::npos;
    if (wanted && exchange.status < 300 && !refused && exchange.sent.starts_with('{')) {
        place.path = "request";
        place.in_request = true;
        check(parsed(exchange.sent).root(), *wanted, place);
    }
    return std::move(place.problems);
}

}  // namespace ff::testing
