#include "http/message.h"

#include <gtest/gtest.h>

#include "http/listen_address.h"

namespace ff::http {
namespace {

TEST(Request, FindsHeadersInAnyCaseAndTheFirstOfTwo) {
    const Request request{.headers = {{"Accept", "a"}, {"X-Thing", "1"}, {"x-thing", "2"}}};
    EXPECT_EQ(request.header("x-THING"), "1");
    EXPECT_EQ(request.header("accept"), "a");
    EXPECT_FALSE(request.header("x-thin").has_value());
}

TEST(Request, SplitsPathAndQueryAtTheFirstQuestionMark) {
    EXPECT_EQ(Request{.target = "/a/b?c=d?e"}.path(), "/a/b");
    EXPECT_EQ(Request{.target = "/a/b?c=d?e"}.query(), "c=d?e");
    EXPECT_EQ(Request{.target = "/a/b"}.path(), "/a/b");
    EXPECT_EQ(Request{.target = "/a/b"}.query(), "");
}

TEST(ErrorResponse, HasItsMembers) {
    const Response response = error_response(503, {.code = "storage_error",
                                                   .cls = ErrorClass::Retryable,
                                                   .kind = "timeout",
                                                   .detail = {"a", "\"b\""},
                                                   .message = "no answer"});
    EXPECT_EQ(response.status, 503U);
    EXPECT_EQ(
        response.body,
        R"({"error":"no answer","message":"no answer","code":"storage_error","class":"retryable","kind":"timeout",)"
        R"("retryable":true,"detail":["a","\"b\""]})");
}

TEST(ErrorResponse, SpellsOutWhatIsNoUtf8) {
    const Response response = error_response(400, invalid_input("id", "a\xff\n"));
    EXPECT_NE(response.body.find(R"("detail":["id:a\\xff\\x0a"])"), std::string::npos)
        << response.body;
}

TEST(ErrorResponse, TakesTheCodeAsKindWhereThereIsNone) {
    const Response response = error_response(404, {.code = "not_found", .message = "no"});
    EXPECT_NE(response.body.find(R"("kind":"not_found","retryable":false,"detail":[])"),
              std::string::npos)
        << response.body;
}

TEST(ListenAddress, ReadsBackWhatItWrites) {
    for (const std::string text : {"127.0.0.1:9090", "localhost:0", "[::1]:65535", "0.0.0.0:80"}) {
        const auto address = ListenAddress::parse(text, "listen");
        ASSERT_TRUE(address.has_value()) << text;
        EXPECT_EQ(address->to_text(), text);
    }
    EXPECT_EQ(ListenAddress::parse("[::1]:1", "listen")->host, "::1");
}

TEST(ListenAddress, RefusesWhatIsNoneAndNamesTheField) {
    for (const std::string text : {"", "9090", ":9090", "h:", "h:x", "h:65536", "h:-1", "h:08",
                                   "::1:9090", "[h]:1", "[]:1", "h: 1"}) {
        const auto address = ListenAddress::parse(text, "FF_LISTEN_ADDR");
        ASSERT_FALSE(address.has_value()) << text;
        EXPECT_EQ(address.error().code, "invalid_input");
        EXPECT_TRUE(address.error().detail.at(0).starts_with("FF_LISTEN_ADDR"))
            << address.error().detail.at(0);
    }
}

}  // namespace
}  // namespace ff::http
