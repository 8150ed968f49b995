#include "http/response_head.h"

#include <gtest/gtest.h>

namespace ff::http {
namespace {

HeadFacts facts() {
    return {.keep_alive = true, .date = "Tue, 17 Nov 2026 09:00:00 GMT", .request_id = "r-1"};
}

TEST(ResponseHead, SaysEverythingOnceAndInOrder) {
    Response response{
        .status = 201, .headers = {{.name = "Location", .value = "/x"}}, .body = "{}"};
    EXPECT_EQ(response_head(response, facts()),
              "HTTP/1.1 201 Created\r\n"
              "Date: Tue, 17 Nov 2026 09:00:00 GMT\r\n"
              "Content-Type: application/json\r\n"
              "X-Request-Id: r-1\r\n"
              "Location: /x\r\n"
              "Content-Length: 2\r\n\r\n");
}

TEST(ResponseHead, AnnouncesNeitherTypeNorLengthOfNoContent) {
    const std::string text = response_head({.status = 204}, facts());
    EXPECT_EQ(text.find("Content-"), std::string::npos) << text;
}

TEST(ResponseHead, NamesTheConnectionsFateWhereItIsNotTheUsualOne) {
    HeadFacts said = facts();
    EXPECT_EQ(response_head({}, said).find("Connection:"), std::string::npos);
    said.keep_alive = false;
    EXPECT_NE(response_head({}, said).find("\r\nConnection: close\r\n"), std::string::npos);
    said.version = 10;
    EXPECT_EQ(response_head({}, said).find("Connection:"), std::string::npos);
    said.keep_alive = true;
    const std::string old = response_head({}, said);
    EXPECT_TRUE(old.starts_with("HTTP/1.0 200 OK\r\n")) << old;
    EXPECT_NE(old.find("\r\nConnection: keep-alive\r\n"), std::string::npos) << old;
}

TEST(ResponseHead, FramesAStreamedBodyByChunksOrByTheEnd) {
    HeadFacts said = facts();
    said.framing = BodyFraming::Chunked;
    const std::string chunked = response_head({}, said);
    EXPECT_NE(chunked.find("\r\nTransfer-Encoding: chunked\r\n"), std::string::npos) << chunked;
    EXPECT_EQ(chunked.find("Content-Length"), std::string::npos) << chunked;
    said.framing = BodyFraming::UntilClose;
    const std::string open = response_head({}, said);
    EXPECT_EQ(open.find("Transfer-Encoding"), std::string::npos) << open;
    EXPECT_EQ(open.find("Content-Length"), std::string::npos) << open;
}

}  // namespace
}  // namespace ff::http
