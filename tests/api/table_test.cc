// Calls every route of the table with good and bad input: whatever a client sends, it is never the
// server's fault, and it is told in the error body what is wrong.
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
            EXPECT_TRUE(ids.emplace(*operation.find("operationId")->as_string()).second) << path;
            EXPECT_FALSE(operation.find("summary")->as_string()->empty()) << path;
            EXPECT_GT(operation.find("responses")->size(), 1U) << path;
        }
    }
    EXPECT_EQ(operations, world().instance().routes().all().size());
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
