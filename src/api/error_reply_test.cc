#include "api/error_reply.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

std::string header(const http::Response& response, std::string_view name) {
    for (const http::Header& header : response.headers)
        if (header.name == name) return header.value;
    return {};
}

/// The catalogue itself is held to the table of the specification by tests/spec.
TEST(Ch07ErrorReply, S45_EveryCodeHasTheStatusAndClassOfTheCatalogue) {
    for (const model::ErrorInfo& info : model::error_catalogue()) {
        // Whoever makes the error need not know the class.
        const http::Response response = error_reply(Error{.code = std::string(info.code)});
        const auto body = json::Document::parse(response.body);
        ASSERT_TRUE(body.has_value()) << response.body;
        EXPECT_EQ(static_cast<int>(response.status), info.http_status) << info.code;
        EXPECT_EQ(body->root().find("code")->as_string(), info.code);
        EXPECT_EQ(body->root().find("class")->as_string(), to_string(info.cls)) << info.code;
        EXPECT_EQ(body->root().find("retryable")->as_bool(), info.retryable()) << info.code;
        EXPECT_EQ(body->root().find("kind")->as_string(), info.code);
        const bool later = info.http_status == 429 || info.http_status == 503;
        EXPECT_EQ(header(response, "Retry-After"), later ? "1" : "") << info.code;
    }
}

TEST(Ch07ErrorReply, S45_StorageFailuresGoByTheirTransportKind) {
    const http::Response retryable = error_reply(
        Error{.code = "storage_error", .cls = ErrorClass::Retryable, .kind = "io_error"});
    EXPECT_EQ(retryable.status, 503U);
    EXPECT_EQ(header(retryable, "Retry-After"), "1");
    EXPECT_NE(retryable.body.find(R"("kind":"io_error","retryable":true)"), std::string::npos);
    const http::Response lost = error_reply(Error{.code = "storage_error", .kind = "moved"});
    EXPECT_EQ(lost.status, 500U);
    EXPECT_NE(lost.body.find(R"("kind":"moved","retryable":false)"), std::string::npos);
}

TEST(Ch07ErrorReply, S45_UnknownCodesAreTerminalAnd500) {
    const http::Response unknown = error_reply(Error{.code = "no_such_code"});
    EXPECT_EQ(unknown.status, 500U);
    EXPECT_NE(unknown.body.find(R"("class":"terminal")"), std::string::npos);
    const http::Response suffixed =
        error_reply(Error{.code = "already_member_of_different_flow:abc"});
    EXPECT_EQ(suffixed.status, 409U);
}

TEST(Ch07ErrorReply, S66_ABodyHasASentenceAndNamedFields) {
    const http::Response refused = error_reply(model::make_error(
        "execution_not_active", {"success", "2", "terminal", "a", "complete", "l", "0"}));
    const auto body = json::Document::parse(refused.body);
    ASSERT_TRUE(body.has_value()) << refused.body;
    EXPECT_EQ(body->root().find("message")->as_string(),
              "The execution is not being worked on now: its phase is terminal, its outcome "
              "success. Claim it first, or leave it alone if it has ended.");
    EXPECT_EQ(body->root().find("error")->as_string(), body->root().find("message")->as_string());
    EXPECT_EQ(body->root().find("detail")->size(), 7U);
    EXPECT_EQ(body->root().find("fields")->find("lease_epoch")->as_string(), "2");
    const http::Response input = error_reply(invalid_input("lane_id", "missing"));
    EXPECT_NE(input.body.find(R"("fields":{"field":"lane_id","problem":"missing"})"),
              std::string::npos)
        << input.body;
    const http::Response bare = error_reply(model::make_error("stale_lease"));
    EXPECT_NE(bare.body.find(R"("fields":{}})"), std::string::npos) << bare.body;
}

TEST(ErrorReply, AsksForATokenWhere401) {
    const http::Response response = error_reply(401, Error{.code = "unauthorized"});
    EXPECT_EQ(header(response, "WWW-Authenticate"), "Bearer");
}

}  // namespace
}  // namespace ff::api
