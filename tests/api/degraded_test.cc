#include <gtest/gtest.h>

#include "api/server_world.h"
#include "model/library.h"

namespace ff::testing {
namespace {

TEST(Degraded, ACallThatBrokeItsPromiseIsCountedAndTellsOnTheServersHealth) {
    ServerWorld world("embedded");
    EXPECT_EQ(world.get("/healthz").text("status"), "ok");
    std::string library = model::library_text();
    constexpr std::string_view kAnswer = "return {1, \"OK\", e, state}";
    const std::size_t at = library.find(kAnswer);
    ASSERT_NE(at, std::string::npos);
    library.replace(at, kAnswer.size(), "return {1, \"OK\", e, \"delayed\"}");
    world.command({"FUNCTION", "LOAD", "REPLACE", library});

    const JsonReply lost = world.post("/v1/executions", R"({"execution_kind":"k","lane_id":"m"})");
    EXPECT_EQ(lost.status, 503) << lost.body;
    EXPECT_EQ(lost.code(), "storage_error");
    EXPECT_EQ(lost.text("kind"), "try_again");
    const JsonReply health = world.get("/healthz");
    EXPECT_EQ(health.status, 200) << "it still serves";
    EXPECT_EQ(health.text("status"), "degraded");
    EXPECT_NE(health.text("reason").find("postcondition_failed"), std::string::npos);
    EXPECT_EQ(world.get("/readyz").status, 200);
    const std::string figures = world.connect().get("/metrics").body;
    for (const char* name :
         {"ff_store_postcondition_failures_total{function=\"ff_create_execution\"} ",
          "ff_store_rolled_back_calls_total{function=\"ff_create_execution\"} "})
        EXPECT_NE(figures.find(name), std::string::npos) << name;

    world.command({"FUNCTION", "LOAD", "REPLACE", model::library_text()});
    EXPECT_EQ(world.post("/v1/executions", R"({"execution_kind":"k","lane_id":"m"})").status, 201);
    EXPECT_EQ(world.get("/healthz").text("status"), "degraded") << "until somebody has looked";
}

}  // namespace
}  // namespace ff::testing
