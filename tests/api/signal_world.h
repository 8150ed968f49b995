#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/stream_world.h"

namespace ff::testing {

/// Tests of suspensions and signals over HTTP.
class SignalApi : public StreamApi {
  protected:
    JsonReply suspend(const Held& held, std::string_view more = "") {
        return world().post(
            held.path("/suspend"),
            "{" + held.lease() + R"(,"signals":["approved"])" + std::string(more) + "}");
    }
    JsonReply pending(const Held& held, std::string_view key) {
        return world().post(held.path("/waitpoints"),
                            "{" + held.lease() + R"(,"expires_in_ms":60000,"waitpoint_key":")" +
                                std::string(key) + "\"}");
    }
    JsonReply signal(const Held& held, const std::string& waitpoint, const std::string& token,
                     std::string_view more = "") {
        return world().post(held.path("/signal"), R"({"signal_name":"approved","waitpoint_id":")" +
                                                      waitpoint + R"(","waitpoint_token":")" +
                                                      token + "\"" + std::string(more) + "}");
    }
    JsonReply rotate(std::string_view kid, std::string_view secret) {
        return world().post("/v1/admin/rotate-waitpoint-secret",
                            R"({"new_kid":")" + std::string(kid) + R"(","new_secret_hex":")" +
                                std::string(secret) + "\"}");
    }
    /// Both requests are at the server before either is answered. A rotation takes a call for each
    /// partition, so that the first is still under way when the second is read; if a machine was
    /// too busy to read it in time, they are sent again.
    std::vector<int> rotate_twice_at_once(std::string_view kid, std::string_view secret) {
        const std::string request = HttpConnection::encode(
            "POST", "/v1/admin/rotate-waitpoint-secret", {{"Content-Type", "application/json"}},
            R"({"new_kid":")" + std::string(kid) + R"(","new_secret_hex":")" + std::string(secret) +
                "\"}");
        std::vector<int> statuses;
        for (int i = 0; i < 20 && statuses != std::vector<int>{200, 429}; ++i) {
            HttpConnection first = world().connect();
            HttpConnection second = world().connect();
            EXPECT_TRUE(first.send_raw(request).has_value());
            EXPECT_TRUE(second.send_raw(request).has_value());
            statuses.clear();
            for (HttpConnection* one : {&first, &second})
                statuses.push_back(one->read_reply()->status);
            std::ranges::sort(statuses);
            EXPECT_EQ(statuses.front(), 200);
        }
        return statuses;
    }
    std::string state(const Held& held) {
        return world().get(held.path("/state")).text("public_state");
    }
};

}  // namespace ff::testing
