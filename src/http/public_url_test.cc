#include "http/public_url.h"

#include <gtest/gtest.h>

namespace ff::http {
namespace {

std::string read(std::string_view text) {
    const auto url = PublicUrl::parse(text, "FF_PUBLIC_URL");
    return url.has_value() ? url->to_text() : url.error().detail.at(0);
}

TEST(PublicUrl, IsReadInOneForm) {
    EXPECT_EQ(read("https://ff.example.org"), "https://ff.example.org");
    EXPECT_EQ(read("https://ff.example.org/"), "https://ff.example.org");
    EXPECT_EQ(read("HTTPS://FF.Example.org:443/Fabric/"), "https://ff.example.org/Fabric");
    EXPECT_EQ(read("http://10.0.0.1:8080/a/b"), "http://10.0.0.1:8080/a/b");
    EXPECT_EQ(read("http://[::1]:80"), "http://[::1]");
    const auto below = PublicUrl::parse("https://example.org:8443/fabric", "f");
    EXPECT_EQ(below->origin(), "https://example.org:8443");
    EXPECT_EQ(below->path, "/fabric");
}

TEST(PublicUrl, WhatIsNoAddressIsRefusedByName) {
    for (const char* text :
         {"", "ff.example.org", "ftp://ff.example.org", "https://", "https:///a", "https://a b",
          "https://u@ff.example.org", "https://a:0", "https://a:65536", "https://a:x",
          "https://a?x=1", "https://a#x", "https://a/b//c", "https://a/../b", "https://a/<b>",
          "https://[::1", "https://[nonsense]", "https://a/%2e", "javascript://a"}) {
        EXPECT_EQ(read(text).substr(0, 14), "FF_PUBLIC_URL:") << text;
    }
}

}  // namespace
}  // namespace ff::http
