#include "api/exec_world.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

class Ch07Registry : public ExecApi {
  protected:
    static std::string instance(std::string_view name) {
        return "/v1/workers/pool/instances/" + own_name("-") + std::string(name);
    }
    static std::string registration(std::string_view more = "") {
        return R"({"namespace":")" + own_name() + R"(","lanes":["b","a"],"capabilities":["gpu"])" +
               std::string(more) + "}";
    }
};

TEST_P(Ch07Registry, WorkersRegisterBeatAndLeave) {
    const JsonReply first = world().put(instance("1"), registration(R"(,"boot_id":"b1")"));
    ASSERT_EQ(first.status, 200) << first.body;
    EXPECT_EQ(first.text("status"), "registered");
    EXPECT_EQ(world().put(instance("1"), registration(R"(,"boot_id":"b1")")).text("status"),
              "refreshed");
    EXPECT_EQ(world().put(instance("1"), registration(R"(,"boot_id":"b2")")).code(),
              "duplicate_worker_instance");
    EXPECT_EQ(world().put("/v1/workers/other/instances/" + own_name("-1"), registration()).status,
              400);
    EXPECT_EQ(world().put(instance("2"), registration()).status, 200);
    const JsonReply listed = world().get("/v1/workers?namespace=" + own_name());
    ASSERT_EQ(listed.json().find("workers")->size(), 2U) << listed.body;
    EXPECT_NE(listed.body.find(R"("lanes":["a","b"],"capabilities":["gpu"])"), std::string::npos);
    const JsonReply page = world().get("/v1/workers?limit=1&namespace=" + own_name());
    EXPECT_EQ(page.json().find("workers")->size(), 1U);
    EXPECT_TRUE(page.has("next_cursor"));
    EXPECT_NE(world()
                  .get("/v1/workers")
                  .body.find(R"({"namespace":")" + own_name() +
                             R"(","worker_id":"pool","worker_instance_id":")" + own_name("-2")),
              std::string::npos);
    const std::string beat = R"({"namespace":")" + own_name() + R"(","boot_id":"b1"})";
    EXPECT_EQ(world().post(instance("1") + "/heartbeat", beat).text("status"), "refreshed");
    const std::string gone = instance("1") + "?namespace=" + own_name();
    EXPECT_EQ(world().request("DELETE", gone).status, 204);
    EXPECT_EQ(world().request("DELETE", gone).status, 204);
    EXPECT_EQ(world().request("DELETE", instance("1")).status, 400);
    EXPECT_EQ(world().post(instance("1") + "/heartbeat", beat).text("status"), "not_registered");
}

TEST_P(Ch07Registry, LeavingMayGiveUpAllLeases) {
    const std::string id = created_id();
    const HeldTask task = claim_one("", "pool");
    const std::string gone =
        "/v1/workers/pool/instances/" + own_name("-pool") + "?namespace=" + own_name();
    EXPECT_EQ(world().request("DELETE", gone, R"({"revoke_leases":true,"reason":"drain"})").status,
              204);
    EXPECT_EQ(act(task, "renew").code(), "lease_revoked");
    EXPECT_EQ(claim_one("", "next").execution_id, id);
}

TEST_P(Ch07Registry, ExplainNamesWhatWorkersLack) {
    const std::string id =
        created_id(R"(,"policy":{"routing_requirements":{"required_capabilities":["gpu","tpu"]}})");
    ASSERT_EQ(world().put(instance("1"), registration()).status, 200);
    EXPECT_EQ(claim().status, 204);
    const JsonReply why = world().get("/v1/executions/" + encode(id) + "/explain");
    ASSERT_EQ(why.status, 200) << why.body;
    EXPECT_NE(why.body.find(R"("missing_capabilities":["tpu"])"), std::string::npos) << why.body;
    EXPECT_NE(why.body.find(R"("serves_lane":false)"), std::string::npos) << why.body;
}

TEST_P(Ch07Registry, AGrantThatIsNotGivenIsLoggedWithWhatTheWorkerCanDo) {
    const std::string id =
        created_id(R"(,"policy":{"routing_requirements":{"required_capabilities":["gpu","tpu"]}})");
    const LogCapture logs;
    const JsonReply none =
        world().post("/v1/workers/pool/claim", R"({"worker_instance_id":"pool-1","lane_id":")" +
                                                   own_name() + R"(","capabilities":["gpu"]})");
    EXPECT_EQ(none.status, 204) << none.body;
    EXPECT_EQ(logs.count(R"("event":"capability_mismatch","execution_id":")" + id +
                         R"(","missing":"tpu","worker_instance_id":"pool-1",)"
                         R"("capabilities":"gpu","capability_digest":")"),
              1U);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Registry, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
