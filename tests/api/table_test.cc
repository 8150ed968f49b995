// Calls every route of the table with good and bad input: whatever a client sends, it is never the
// server's fault, and it is told in the error body what is wrong.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "api/server_world.h"

namespace ff::testing {
namespace {

using Kind = api::FieldDoc::Kind;

constexpr std::string_view kUuid = "9b2d6f6e-8a3c-4b9f-9d3a-1f2e3d4c5b6a";
constexpr std::string_view kExecution = "{fp:7}:9b2d6f6e-8a3c-4b9f-9d3a-1f2e3d4c5b6a";

/// A value that parameter may have, judged by its name and place.
std::string sample(std::string_view pattern, const std::string& name) {
    const bool of_execution = pattern.find("/executions/{" + name + "}") != std::string_view::npos;
    if (of_execution || name == "eid") return encode(kExecution);
    if (name == "id" || name == "wp") return std::string(kUuid);
    if (name == "idx") return "0";
    if (name == "families") return "completion";
    return "sample";
}

std::string target_of(const api::Route& route) {
    std::string out;
    std::string_view rest = route.pattern;
    while (!rest.empty()) {
        const auto open = rest.find('{');
        out += rest.substr(0, open);
        if (open == std::string_view::npos) break;
        const auto close = rest.find('}', open);
        out += sample(route.pattern, std::string(rest.substr(open + 1, close - open - 1)));
        rest.remove_prefix(close + 1);
    }
    return out;
}

std::string member(const std::string& name, const std::string& value) {
    return "\"" + name + "\":" + value;
}

/// A value of the right type, and one of a wrong type.
std::string fitting(const api::FieldDoc& field) {
    if (!field.example.empty()) return field.example;
    switch (field.kind) {
        case Kind::String:
        case Kind::Bytes:
            return "\"sample\"";
        case Kind::Integer:
        case Kind::Number:
            return "1";
        case Kind::Boolean:
            return "true";
        case Kind::Object:
            return "{}";
        case Kind::Array:
            return "[]";
    }
    return "null";
}

std::string misfit(const api::FieldDoc& field) {
    return field.kind == Kind::Object ? "[7]" : "{\"x\":[]}";
}

std::string body_with(const api::Route& route, const api::FieldDoc* changed,
                      const std::string& to) {
    std::string out;
    for (const api::FieldDoc& field : route.doc.body) {
        const std::string value = &field == changed ? to : fitting(field);
        if (value.empty()) continue;
        out += (out.empty() ? "" : ",") + member(field.name, value);
    }
    return "{" + out + "}";
}

std::vector<std::string> bad_bodies(const api::Route& route) {
    std::vector<std::string> out = {"{",
                                    "[]",
                                    "7",
                                    "null",
                                    "\"text\"",
                                    "{\"a\":}",
                                    std::string(200, '['),
                                    "\xff\xfe",
                                    R"({"a":1e999})"};
    for (const api::FieldDoc& field : route.doc.body) {
        out.push_back(body_with(route, &field, misfit(field)));
        out.push_back(body_with(route, &field, ""));
        out.push_back(body_with(route, &field, "99999999999999999999999"));
        out.push_back(body_with(route, &field, "-9007199254740993"));
        out.push_back(body_with(route, &field, "\"" + std::string(20'000, 'x') + "\""));
        out.push_back(body_with(route, &field, R"("\u0000{}\n")"));
    }
    return out;
}

/// `claimTasks`.
bool is_camel_case(std::string_view id) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !id.empty() && id[0] >= 'a' && id[0] <= 'z' && std::ranges::all_of(id, is_letter);
}

/// Whether the fields say what is in their lists and objects.
void expect_typed(const std::string& route, const std::vector<api::FieldDoc>& fields) {
    for (const api::FieldDoc& field : fields) {
        const bool is_nested = field.kind == Kind::Array || field.kind == Kind::Object;
        EXPECT_TRUE(!is_nested || !field.type.empty()) << route << " " << field.name;
    }
}

/// Every schema in a description, those inside of others included.
void expect_whole(const json::Value& value, const std::string& place,
                  const std::set<std::string_view>& names) {
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) expect_whole(value.element(i), place, names);
    if (!value.is_object()) return;
    if (const auto reference = value.find("$ref")) {
        const std::string_view text = *reference->as_string();
        EXPECT_TRUE(names.contains(text.substr(text.rfind('/') + 1))) << place << " " << text;
    }
    const auto items = value.find("items");
    EXPECT_TRUE(!items || items->size() > 0) << place << " has items of no type";
    const auto type = value.find("type");
    if (type && type->as_string() == "object")
        EXPECT_TRUE(value.find("properties") || value.find("additionalProperties")) << place;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const auto [name, member] = value.member(i);
        expect_whole(member, place + "." + std::string(name), names);
    }
}

class Ch07Table : public ::testing::TestWithParam<std::string> {
  protected:
    ServerWorld& world() { return server_world_of(GetParam()); }
    /// Those whose answer has an end.
    std::vector<const api::Route*> routes() {
        std::vector<const api::Route*> out;
        for (const api::Route& route : world().instance().routes().all())
            if (!route.streams) out.push_back(&route);
        return out;
    }
};

/// 2xx: a flat object (S59). Anything else: the error body, and never the server's fault.
void judge(const api::Route& route, const JsonReply& reply, const std::string& sent) {
    const std::string what =
        route.method + " " + route.pattern + " " + sent.substr(0, 300) + " -> " + reply.body;
    EXPECT_LT(reply.status, 500) << what;
    if (reply.status >= 400) {
        EXPECT_TRUE(reply.has("code") && reply.has("error") && reply.has("retryable")) << what;
        return;
    }
    if (reply.status == 204 || reply.header("Content-Type") != "application/json") return;
    EXPECT_TRUE(reply.json().is_object()) << what;
    const bool single = reply.json().size() == 1;
    const std::string key(single ? reply.json().member(0).first : "x");
    EXPECT_FALSE(key[0] >= 'A' && key[0] <= 'Z') << what;
}

TEST_P(Ch07Table, EveryRouteIsDescribedWithItsParameters) {
    const JsonReply document = world().get("/openapi.json");
    ASSERT_EQ(document.status, 200);
    EXPECT_EQ(document.text("openapi"), "3.1.0");
    const json::Value paths = *document.json().find("paths");
    std::set<std::string> ids;
    std::size_t operations = 0;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto [path, methods] = paths.member(i);
        for (std::size_t m = 0; m < methods.size(); ++m) {
            ++operations;
            const json::Value operation = methods.member(m).second;
            const std::string id(*operation.find("operationId")->as_string());
            EXPECT_TRUE(ids.emplace(id).second) << path;
            EXPECT_TRUE(is_camel_case(id)) << path << " " << id;
            EXPECT_FALSE(operation.find("summary")->as_string()->empty()) << path;
            EXPECT_GT(operation.find("responses")->size(), 1U) << path;
        }
    }
    EXPECT_EQ(operations, world().instance().routes().all().size());
}

TEST_P(Ch07Table, EveryRouteHasSchemasOfItsBodies) {
    for (const api::Route& route : world().instance().routes().all()) {
        const std::string name = route.method + " " + route.pattern;
        expect_typed(name, route.doc.query);
        expect_typed(name, route.doc.body);
        expect_typed(name, route.doc.answer);
        const bool has_fields = !route.doc.body.empty() || !route.doc.body_type.empty();
        EXPECT_TRUE(!route.doc.own_members || has_fields) << name;
        const bool has_answer = std::ranges::any_of(
            route.doc.statuses, [](unsigned status) { return status != 204 && status != 304; });
        EXPECT_TRUE(!has_answer || !route.doc.answer.empty() || !route.doc.answer_type.empty())
            << name;
    }
}

TEST_P(Ch07Table, EverySchemaSaysWhatIsInIt) {
    const JsonReply document = world().get("/openapi.json");
    const json::Value schemas = *document.json().find("components")->find("schemas");
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < schemas.size(); ++i) names.insert(schemas.member(i).first);
    EXPECT_GT(names.size(), 150U);
    EXPECT_TRUE(names.contains("Task") && names.contains("Execution") && names.contains("Flow"));
    expect_whole(document.json(), "", names);
    EXPECT_EQ(document.json().find("servers")->size(), 1U);
}

TEST_P(Ch07Table, S59_EveryRouteTakesGoodInputAndAnswersFlatObjects) {
    for (const api::Route* route : routes()) {
        const std::string body =
            route->body == api::BodyClass::None ? "" : body_with(*route, nullptr, "");
        judge(*route, world().request(route->method, target_of(*route), body), body);
    }
}

TEST_P(Ch07Table, EveryRouteRefusesBadBodiesWithTheErrorBody) {
    for (const api::Route* route : routes()) {
        if (route->body == api::BodyClass::None) continue;
        const std::string target = target_of(*route);
        for (const std::string& body : bad_bodies(*route))
            judge(*route, world().request(route->method, target, body), body);
        const JsonReply text =
            world().request(route->method, target, "{}", {{"Content-Type", "text/plain"}});
        EXPECT_EQ(text.status, 415) << route->method << " " << route->pattern << text.body;
    }
}

TEST_P(Ch07Table, EveryRouteRefusesBadPathsAndQueries) {
    for (const api::Route* route : routes()) {
        std::string target = target_of(*route);
        for (const api::FieldDoc& field : route->doc.query)
            for (const std::string_view value : {"", "-1", "x", "99999999999999999999", "%00"})
                judge(*route,
                      world().request(route->method,
                                      target + "?" + field.name + "=" + std::string(value)),
                      field.name + "=" + std::string(value));
        if (route->pattern.find('{') == std::string::npos) continue;
        std::string broken;
        for (const char c : route->pattern) broken += c;
        for (auto open = broken.find('{'); open != std::string::npos; open = broken.find('{'))
            broken.replace(open, broken.find('}') - open + 1, "%00%ff");
        judge(*route, world().request(route->method, broken), broken);
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Table, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
