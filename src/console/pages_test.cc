#include "console/pages.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace ff::console {
namespace {

constexpr std::array<Asset, 2> kTwo{
    Asset{.path = "", .content_type = "text/html", .etag = "\"page\"", .body = "PAGE"},
    Asset{.path = "main-X.js",
          .content_type = "text/javascript",
          .etag = "\"main\"",
          .immutable = true,
          .body = "MAIN"}};

/// Nothing of the console asks it.
class Nobody final : public http::Handler {
  public:
    http::Admission admit(const http::Request&, http::Peer&) override { return {}; }
    boost::asio::awaitable<http::Response> handle(http::Request, http::Peer&) override {
        co_return http::Response{};
    }
};

class ConsolePages : public testing::Test {
  protected:
    std::optional<http::Response> ask(std::string target, std::string method = "GET",
                                      std::vector<http::Header> headers = {}) {
        return pages_.answer({.method = std::move(method),
                              .target = std::move(target),
                              .headers = std::move(headers)});
    }
    static std::string header(const http::Response& response, std::string_view name) {
        for (const http::Header& one : response.headers)
            if (http::same_name(one.name, name)) return one.value;
        return "";
    }

  private:
    Nobody nobody_{};
    Pages pages_{kTwo, nobody_};
};

TEST_F(ConsolePages, LeadFromTheRootToThePageWithoutNamingAHost) {
    for (const std::string from : {"/", "/console"}) {
        const auto response = ask(from);
        ASSERT_TRUE(response.has_value()) << from;
        EXPECT_EQ(response->status, 302U);
        EXPECT_EQ(header(*response, "Location"), "console/");
    }
}

TEST_F(ConsolePages, ServeThePageFreshAndItsFilesForEver) {
    const auto page = ask("/console/?x=1");
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(page->body, "PAGE");
    EXPECT_EQ(header(*page, "Cache-Control"), "no-cache");
    EXPECT_EQ(header(*page, "Content-Encoding"), "gzip");
    const auto script = ask("/console/main-X.js", "HEAD");
    ASSERT_TRUE(script.has_value());
    EXPECT_EQ(script->content_type, "text/javascript");
    EXPECT_EQ(header(*script, "Cache-Control"), "public, max-age=31536000, immutable");
    EXPECT_EQ(header(*script, "ETag"), "\"main\"");
}

TEST_F(ConsolePages, SayNotModifiedToWhomHasTheFile) {
    const auto same = ask("/console/", "GET", {{.name = "if-none-match", .value = "W/\"page\""}});
    ASSERT_TRUE(same.has_value());
    EXPECT_EQ(same->status, 304U);
    EXPECT_TRUE(same->body.empty());
    EXPECT_EQ(header(*same, "Content-Encoding"), "");
    const auto other = ask("/console/", "GET", {{.name = "If-None-Match", .value = "\"old\""}});
    ASSERT_TRUE(other.has_value());
    EXPECT_EQ(other->status, 200U);
}

TEST_F(ConsolePages, AllowNothingThatDidNotComeWithThem) {
    for (const std::string path : {"/console/", "/console/main-X.js", "/console/none"}) {
        const auto response = ask(path);
        ASSERT_TRUE(response.has_value()) << path;
        const std::string policy = header(*response, "Content-Security-Policy");
        EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
        EXPECT_NE(policy.find("script-src 'self';"), std::string::npos);
        EXPECT_NE(policy.find("connect-src 'self';"), std::string::npos);
        EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
        EXPECT_EQ(policy.find("unsafe"), std::string::npos);
        EXPECT_EQ(header(*response, "X-Content-Type-Options"), "nosniff");
    }
}

TEST_F(ConsolePages, LeaveEverythingElseToTheApi) {
    EXPECT_FALSE(ask("/v1/lanes").has_value());
    EXPECT_FALSE(ask("/consoles").has_value());
    EXPECT_FALSE(ask("/console/", "POST").has_value());
    const auto unknown = ask("/console/../v1/lanes");
    ASSERT_TRUE(unknown.has_value());
    EXPECT_EQ(unknown->status, 404U);
}

/// The files of this build: no other host is named in what a browser loads.
TEST(ConsoleAssets, HoldAPageUnlessTheBuildLeftThemOut) {
    if (assets().empty()) return;
    EXPECT_EQ(assets().front().path, "");
    for (const Asset& asset : assets())
        EXPECT_EQ(asset.body.substr(0, 2), "\x1f\x8b") << asset.path;
}

}  // namespace
}  // namespace ff::console
