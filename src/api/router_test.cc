#include "api/router.h"

#include <gtest/gtest.h>

#include "api/percent.h"

namespace ff::api {
namespace {

Routes table() {
    Routes routes;
    for (const auto& [method, pattern] : {std::pair{"GET", "/v1/executions"},
                                          {"POST", "/v1/executions"},
                                          {"POST", "/v1/executions/batch"},
                                          {"GET", "/v1/executions/{id}"},
                                          {"PUT", "/v1/executions/{id}/tags"},
                                          {"POST", "/v1/executions/{id}/priority"},
                                          {"GET", "/v1/executions/{id}/inputs/{name}"}})
        routes.add({.method = method, .pattern = pattern});
    return routes;
}

TEST(Router, FindsByMethodAndShape) {
    const Routes routes = table();
    const Router router(routes);
    EXPECT_EQ(router.find("GET", "/v1/executions").route, &routes.all()[0]);
    EXPECT_EQ(router.find("HEAD", "/v1/executions").route, &routes.all()[0]);
    EXPECT_EQ(router.find("POST", "/v1/executions").route, &routes.all()[1]);
    const auto inputs = router.find("GET", "/v1/executions/x/inputs/y");
    EXPECT_EQ(inputs.route, &routes.all()[6]);
    EXPECT_EQ(inputs.parameters.at("id"), "x");
    EXPECT_EQ(inputs.parameters.at("name"), "y");
}

TEST(Router, TakesEncodedAndRawIds) {
    const Routes routes = table();
    const Router router(routes);
    const std::string id = "{fp:7}:9b2d6f6e-8a3c-4b9f-9d3a-1f2e3d4c5b6a";
    EXPECT_EQ(router.find("GET", "/v1/executions/" + id).parameters.at("id"), id);
    EXPECT_EQ(router.find("GET", "/v1/executions/" + percent_encode(id)).parameters.at("id"), id);
    EXPECT_EQ(router.find("GET", "/v1/executions/a%2Fb/inputs/c").parameters.at("id"), "a/b");
    EXPECT_TRUE(router.find("GET", "/v1/executions/a%2").malformed);
    EXPECT_TRUE(router.find("GET", "/v1/executions/a%zz").malformed);
}

TEST(Router, PrefersALiteralAndComesBackFromIt) {
    const Routes routes = table();
    const Router router(routes);
    EXPECT_EQ(router.find("POST", "/v1/executions/batch").route, &routes.all()[2]);
    const auto tags = router.find("PUT", "/v1/executions/batch/tags");
    ASSERT_EQ(tags.route, &routes.all()[4]);
    EXPECT_EQ(tags.parameters.at("id"), "batch");
}

TEST(Router, TellsWhatIsAllowedFromWhatIsUnknown) {
    const Routes routes = table();
    const Router router(routes);
    EXPECT_EQ(router.find("DELETE", "/v1/executions").allowed, "GET, POST, HEAD");
    EXPECT_EQ(router.find("HEAD", "/v1/executions/x/tags").allowed, "PUT");
    for (const std::string path : {"/", "", "x", "/v1", "/v1/executions/", "/v1/executions//tags",
                                   "/v1/executions/x/tags/", "/v2/executions"}) {
        const auto match = router.find("GET", path);
        EXPECT_EQ(match.route, nullptr) << path;
        EXPECT_EQ(match.allowed, "") << path;
    }
}

TEST(Percent, DecodesQueriesAndRefusesBrokenEscapes) {
    const auto query = parse_query("a=1&b=x%20y+z&c&&d=&a=2&e%3D=%26");
    ASSERT_TRUE(query.has_value());
    const std::map<std::string, std::string> expected = {
        {"a", "1"}, {"b", "x y z"}, {"c", ""}, {"d", ""}, {"e=", "&"}};
    EXPECT_EQ(*query, expected);
    for (const std::string broken : {"a=%", "a=%4", "%zz=1"})
        EXPECT_FALSE(parse_query(broken).has_value()) << broken;
    EXPECT_EQ(percent_decode("a+%2B%00"), std::string("a++\0", 4));
}

}  // namespace
}  // namespace ff::api
