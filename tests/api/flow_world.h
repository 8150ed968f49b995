#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/server_world.h"
#include "engine/claim_batch.h"
#include "model/flow_keys.h"
#include "model/ids.h"

namespace ff::testing {

/// Tests of flows, budgets and quotas over HTTP, on both stores. Tests keep apart by ids and lanes
/// of their own. Workers are played by the claimer, so that no route of theirs is needed.
class FlowApi : public ::testing::TestWithParam<std::string> {
  protected:
    ServerWorld& world() { return server_world_of(GetParam()); }

    static std::string new_id();
    /// Another lane in every test.
    static std::string lane(std::string_view name = "a");

    JsonReply create(const std::string& lane_id, const std::string& more = "");
    /// An execution on the partition of the flow, not yet its member.
    std::string member_for(const std::string& flow, const std::string& lane_id);
    std::string new_flow(const std::string& more = "");
    /// A flow with that many members and no edges.
    std::string submit_members(std::size_t count, const std::string& lane_id);

    std::string state_of(const std::string& execution_id);
    std::string flow_state(const std::string& flow_id);
    std::string core_field(const std::string& execution_id, std::string_view field);
    static model::FlowKeys flow_keys(const std::string& flow_id);

    /// As many tasks as asked for; fewer when none comes for a while.
    std::vector<engine::ClaimedTask> claim(const std::string& lane_id, std::size_t count = 1,
                                           Millis wait = Millis(5'000));
    void complete(const engine::ClaimedTask& task, const std::string& result = "done");
    void fail(const engine::ClaimedTask& task);
};

std::vector<std::string> texts(const JsonReply& reply, std::string_view name);
std::vector<json::Value> objects(const JsonReply& reply, std::string_view name);
std::string text_in(const json::Value& object, std::string_view name);

}  // namespace ff::testing
