// Work whose workers went away, on a real server: a lane that nobody serves any more hides nothing
// of another.

#include <gtest/gtest.h>

#include "boot/server_process.h"

namespace ff::fault {
namespace {

using testing::BootedServer;
using testing::HttpReply;

class LostLease : public ::testing::Test {
  protected:
    void create(const std::string& lane, int count) {
        const std::string one = R"({"execution_kind":"k","lane_id":")" + lane + "\"}";
        std::string batch = R"({"executions":[)" + one;
        for (int i = 1; i < count; ++i) batch += "," + one;
        const HttpReply reply = server_.post("/v1/executions/batch", batch + "]}");
        ASSERT_EQ(reply.status, 200) << reply.body.substr(0, 300);
    }
    /// The answer to a claim of leases of three seconds.
    HttpReply claim(const std::string& lane, int most, int wait_ms = 0) {
        return server_.post("/v1/workers/w/tasks/claim",
                            R"({"worker_instance_id":"w-1","lease_ttl_ms":3000,"lanes":[")" + lane +
                                R"("],"max_tasks":)" + std::to_string(most) + R"(,"wait_ms":)" +
                                std::to_string(wait_ms) + "}");
    }

    // All in one partition.
    BootedServer server_{{{"FF_DATA_DIR", ":memory:"}, {"FF_FLOW_PARTITIONS", "1"}}};
};

TEST_F(LostLease, OfADeadLaneHidesNoneOfAnother) {
    // The look that was too short once saw 4096.
    constexpr int kDead = 4200;
    constexpr int kAtOnce = 600;
    constexpr int kClaimedMost = 256;
    for (int i = 0; i < kDead; i += kAtOnce) ASSERT_NO_FATAL_FAILURE(create("dead", kAtOnce));
    for (int i = 0; i < kDead; i += kClaimedMost)
        ASSERT_EQ(claim("dead", kClaimedMost).status, 200);
    ASSERT_NO_FATAL_FAILURE(create("living", 1));
    const HttpReply first = claim("living", 1);
    const std::string id = BootedServer::value_of(first.body, "execution_id");
    ASSERT_NE(id, "") << first.body;
    const HttpReply taken_over = claim("living", 1, 20'000);
    EXPECT_EQ(BootedServer::value_of(taken_over.body, "execution_id"), id) << taken_over.body;
    EXPECT_NE(taken_over.body.find(R"("attempt_type":"reclaim")"), std::string::npos)
        << taken_over.body;
}

}  // namespace
}  // namespace ff::fault
