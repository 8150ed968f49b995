#include "net/address.h"

#include <gtest/gtest.h>

namespace ff::net {
namespace {

TEST(Address, ReadsWhatItWrites) {
    for (const std::string text : {"localhost:6379", "[::1]:7000", "10.0.0.1:1", "unix:/tmp/s"}) {
        const Result<Address> address = parse_address(text);
        ASSERT_TRUE(address.has_value()) << text;
        EXPECT_EQ(address->text(), text);
    }
    EXPECT_EQ(parse_address("[::1]:7000")->host, "::1");
    EXPECT_TRUE(parse_address("unix:/tmp/s")->is_unix());
}

TEST(Address, RefusesWhatNobodyCanConnectTo) {
    for (const std::string text : {"", "host", ":1", "host:", "host:0", "host:65536", "host:x",
                                   "::1:7000", "unix:", "[]:1"}) {
        const Result<Address> address = parse_address(text);
        ASSERT_FALSE(address.has_value()) << text;
        EXPECT_EQ(address.error().code, "invalid_client_config");
    }
}

}  // namespace
}  // namespace ff::net
