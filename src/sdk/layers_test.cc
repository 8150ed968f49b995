#include "flowfabric/layers.h"

#include <gtest/gtest.h>

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/wrapped_door.h"

namespace ff::sdk {
namespace {

using flowfabric::Error;
using flowfabric::ErrorClass;
using flowfabric::Millis;

/// Answers what the test says, and counts.
class FakeDoor final : public Door {
  public:
    flowfabric::Result<DoorReply> send(const DoorRequest& request) override {
        ++calls;
        last = request;
        if (failure) return *failure;
        return reply;
    }
    int calls = 0;
    DoorRequest last{};
    std::optional<Error> failure{};
    DoorReply reply{.status = 200, .body = "{}"};
};

Error transport_error() {
    return {.code = "http", .cls = ErrorClass::Retryable, .kind = "connection_lost"};
}

class Ch07Layers : public ::testing::Test {
  protected:
    std::shared_ptr<FakeDoor> fake = std::make_shared<FakeDoor>();
    std::chrono::steady_clock::time_point now{};
    flowfabric::SteadyNow clock = [this] { return now; };

    flowfabric::AdminClient behind(std::shared_ptr<flowfabric::Layer> layer) {
        return flowfabric::AdminClient(wrap(fake, {std::move(layer)}));
    }
};

TEST_F(Ch07Layers, S54_TheBreakerOpensFailsAtOnceAndClosesAfterOneTrial) {
    const auto client = behind(flowfabric::circuit_breaker_layer({.now = clock}));
    fake->failure = transport_error();
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(client.ping().has_value());
    EXPECT_EQ(fake->calls, 5);
    const auto refused = client.ping();
    EXPECT_EQ(refused.error().kind, "local_circuit_open");
    EXPECT_TRUE(refused.error().retryable());
    EXPECT_EQ(fake->calls, 5);
    now += Millis(30'000);
    EXPECT_FALSE(client.ping().has_value());  // the trial fails: open again
    EXPECT_EQ(fake->calls, 6);
    EXPECT_EQ(client.ping().error().kind, "local_circuit_open");
    now += Millis(30'000);
    fake->failure.reset();
    EXPECT_TRUE(client.ping().has_value());
    EXPECT_TRUE(client.ping().has_value());
    EXPECT_EQ(fake->calls, 8);
}

TEST_F(Ch07Layers, S54_ARefusalAsTrialAnswerClosesTheBreaker) {
    const auto client = behind(flowfabric::circuit_breaker_layer({.now = clock}));
    fake->failure = transport_error();
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(client.ping().has_value());
    now += Millis(30'000);
    fake->failure.reset();
    fake->reply = {.status = 409, .body = R"({"code":"stale_lease","class":"terminal"})"};
    EXPECT_EQ(client.ping().error().code, "stale_lease");
    EXPECT_EQ(client.ping().error().code, "stale_lease");
    EXPECT_EQ(fake->calls, 7);
}

TEST_F(Ch07Layers, S54_RefusalsNeitherCountNorReset) {
    const auto client = behind(flowfabric::circuit_breaker_layer({.now = clock}));
    for (int i = 0; i < 4; ++i) {
        fake->failure = transport_error();
        EXPECT_FALSE(client.ping().has_value());
    }
    fake->failure.reset();
    fake->reply = {.status = 404, .body = R"({"code":"execution_not_found"})"};
    EXPECT_FALSE(client.ping().has_value());
    fake->failure = transport_error();
    EXPECT_FALSE(client.ping().has_value());
    EXPECT_EQ(client.ping().error().kind, "local_circuit_open");
}

TEST_F(Ch07Layers, S55_ARateLimitRefusalIsRetryableAndReachesNobody) {
    const auto client = behind(flowfabric::rate_limit_layer(
        {.buckets = {{"default", {.tokens = 2, .refill_per_second = 1}}}, .now = clock}));
    EXPECT_TRUE(client.ping().has_value());
    EXPECT_TRUE(client.ping().has_value());
    const auto refused = client.ping();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "too_many_requests");
    EXPECT_TRUE(refused.error().retryable());
    EXPECT_EQ(fake->calls, 2);
    now += Millis(1000);
    EXPECT_TRUE(client.ping().has_value());
}

TEST_F(Ch07Layers, AMethodWithoutABucketIsNotLimited) {
    const auto client = behind(flowfabric::rate_limit_layer(
        {.buckets = {{"writes", {.tokens = 0, .refill_per_second = 0}}},
         .classify =
             [](std::string_view method) {
                 return std::string(method.starts_with("cancel") ? "writes" : "reads");
             },
         .now = clock}));
    EXPECT_TRUE(client.ping().has_value());
    EXPECT_FALSE(client.cancel_execution("x", "y").has_value());
}

TEST_F(Ch07Layers, MetricsTellTheOutcomeOfEveryCall) {
    std::vector<std::string> seen;
    const auto client = behind(flowfabric::metrics_layer(
        [&](std::string_view method, std::chrono::microseconds, std::string_view outcome) {
            seen.push_back(std::string(method) + " " + std::string(outcome));
        }));
    EXPECT_TRUE(client.ping().has_value());
    fake->reply = {.status = 404, .body = R"({"code":"execution_not_found"})"};
    EXPECT_FALSE(client.get_state("x").has_value());
    fake->failure = transport_error();
    EXPECT_FALSE(client.ping().has_value());
    EXPECT_EQ(seen, (std::vector<std::string>{"ping ok", "get_state not_found", "ping transport"}));
}

TEST_F(Ch07Layers, RepeatsOnlyWhatIsSafeAndOnlyWhenAsked) {
    fake->failure = transport_error();
    const flowfabric::AdminClient once(wrap(fake, {}));
    EXPECT_FALSE(once.ping().has_value());
    EXPECT_EQ(fake->calls, 1);
    const flowfabric::AdminClient thrice(wrap(fake, {}, {.attempts = 3, .backoff = Millis(1)}));
    EXPECT_FALSE(thrice.ping().has_value());
    EXPECT_EQ(fake->calls, 4);
    EXPECT_FALSE(thrice.create_execution({.kind = "k"}).has_value());
    EXPECT_EQ(fake->calls, 5);
    EXPECT_FALSE(thrice.create_execution({.kind = "k", .idempotency_key = "i"}).has_value());
    EXPECT_EQ(fake->calls, 8);
}

TEST(AdminClient, TakesTheErrorBodyApart) {
    const Error error = error_of_reply(
        {.status = 409,
         .body = R"({"error":"text","code":"stale_graph_revision","class":"retryable",)"
                 R"("kind":"stale_graph_revision","retryable":true,"detail":["7"]})"});
    EXPECT_EQ(error.code, "stale_graph_revision");
    EXPECT_TRUE(error.retryable());
    EXPECT_EQ(error.detail, std::vector<std::string>{"7"});
    EXPECT_EQ(error.status, 409U);
    const Error bare = error_of_reply({.status = 502, .body = "<html>"});
    EXPECT_EQ(bare.code, "api");
    EXPECT_TRUE(bare.retryable());
    EXPECT_EQ(bare.body, "<html>");
}

TEST(AdminClient, ABodyThatDoesNotDecodeIsAMalformedResponse) {
    const auto fake = std::make_shared<FakeDoor>();
    fake->reply = {.status = 200, .body = "nonsense"};
    EXPECT_EQ(flowfabric::AdminClient(fake).capabilities().error().code, "malformed_response");
}

TEST(AdminClient, RefusesABlankTokenAndOtherUrls) {
    EXPECT_EQ(flowfabric::AdminClient::with_token("http://h:1", "").error().code, "config");
    EXPECT_EQ(flowfabric::AdminClient::with_token("http://h:1", "a\r\nb").error().code, "config");
    EXPECT_EQ(flowfabric::AdminClient::connect("h:1").error().code, "config");
    EXPECT_EQ(flowfabric::AdminClient::connect("http://:1").error().code, "config");
    EXPECT_TRUE(flowfabric::AdminClient::connect("http://h:1/").has_value());
}

TEST(AdminClient, EncodesIdsAndBytes) {
    const auto fake = std::make_shared<FakeDoor>();
    const flowfabric::AdminClient client(fake);
    EXPECT_TRUE(client.get_state("{fp:7}:a b").has_value());
    EXPECT_EQ(fake->last.target, "/v1/executions/%7Bfp%3A7%7D%3Aa%20b/state");
    EXPECT_TRUE(client.create_execution({.kind = "k", .payload = "\xff"}).has_value());
    EXPECT_NE(fake->last.body.find(R"("payload_base64":"/w==")"), std::string::npos);
    EXPECT_EQ(client.create_execution({.kind = "k", .policy = "{"}).error().code, "config");
}

TEST(Json, ReadsBackWhatItWrites) {
    const std::string text = R"({"a":[1,2.5,"x",null,true],"b":{"c":-3}})";
    EXPECT_EQ(flowfabric::Json::parse(text)->dump(), text);
    EXPECT_EQ((*flowfabric::Json::parse(text))["b"]["c"].integer(), -3);
    EXPECT_TRUE((*flowfabric::Json::parse(text))["no"]["such"].is_null());
    EXPECT_FALSE(flowfabric::Json::parse("{").has_value());
}

}  // namespace
}  // namespace ff::sdk
