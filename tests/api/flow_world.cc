#include "api/flow_world.h"

#include <stdexcept>

#include "base/hash.h"
#include "engine/end_execution.h"
#include "engine/operation.h"
#include "model/exec_keys.h"
#include "model/flow_keys.h"

namespace ff::testing {

std::string FlowApi::new_id() {
    SecureRandom random;
    return model::Uuid::mint_v4(random).to_string();
}

std::string FlowApi::lane(std::string_view name) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return digest8(test->name()) + "-" + std::string(name);
}

JsonReply FlowApi::create(const std::string& lane_id, const std::string& more) {
    return world().post(
        "/v1/executions",
        R"({"namespace":"acme","execution_kind":"k","lane_id":")" + lane_id + "\"" + more + "}");
}

std::string FlowApi::member_for(const std::string& flow, const std::string& lane_id) {
    return create(lane_id, R"(,"colocate_with_flow":")" + flow + "\"").text("execution_id");
}

std::string FlowApi::new_flow(const std::string& more) {
    return world().post("/v1/flows", R"({"namespace":"acme")" + more + "}").text("flow_id");
}

std::string FlowApi::submit_members(std::size_t count, const std::string& lane_id) {
    std::string nodes;
    for (std::size_t i = 0; i < count; ++i) {
        nodes += (i == 0 ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(i) + "\"}";
    }
    const JsonReply reply =
        world().post("/v1/flows/submit", R"({"namespace":"acme","defaults":{"lane_id":")" +
                                             lane_id + R"("},"nodes":[)" + nodes + "]}");
    if (reply.status != 201) throw std::runtime_error(reply.body);
    return reply.text("flow_id");
}

std::string FlowApi::state_of(const std::string& execution_id) {
    return core_field(execution_id, "public_state");
}

std::string FlowApi::flow_state(const std::string& flow_id) {
    return world().get("/v1/flows/" + flow_id).text("public_flow_state");
}

std::string FlowApi::core_field(const std::string& execution_id, std::string_view field) {
    const std::string key = model::ExecKeys(*model::ExecutionId::parse(execution_id)).core();
    const store::Reply reply = world().command({"HGET", key, field});
    return std::string(reply.text().value_or(""));
}

model::FlowKeys FlowApi::flow_keys(const std::string& flow_id) {
    return {*model::FlowId::parse(flow_id), {}};
}

std::vector<engine::ClaimedTask> FlowApi::claim(const std::string& lane_id, std::size_t count,
                                                Millis wait) {
    std::vector<engine::ClaimedTask> tasks;
    while (tasks.size() < count) {
        sched::ClaimRequest request{.worker_id = *model::WorkerId::parse("pool"),
                                    .worker_instance_id = *model::WorkerInstanceId::parse("pool-1"),
                                    .lanes = {*model::LaneId::parse(lane_id)},
                                    .tasks_max = count - tasks.size(),
                                    .wait = wait};
        auto found = world().await(world().services().claimer.claim(std::move(request)));
        if (found.empty()) break;
        for (sched::LaneTask& task : found) tasks.push_back(std::move(task.task));
    }
    return tasks;
}

void FlowApi::complete(const engine::ClaimedTask& task, const std::string& result) {
    engine::CompleteExecution complete{
        .execution_id = task.execution_id, .fence = task.fence, .result = result};
    world().await(engine::run(world().store(), std::move(complete)));
}

void FlowApi::fail(const engine::ClaimedTask& task) {
    engine::FailExecution fail{.execution_id = task.execution_id,
                               .fence = task.fence,
                               .reason = "broken",
                               .category = "test",
                               .retry_by_policy = false};
    world().await(engine::run(world().store(), std::move(fail)));
}

std::vector<std::string> texts(const JsonReply& reply, std::string_view name) {
    const auto list = reply.json().find(name);
    if (!list) throw std::runtime_error("no member " + std::string(name) + ": " + reply.body);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < list->size(); ++i) {
        found.emplace_back(list->element(i).as_string().value_or(""));
    }
    return found;
}

std::vector<json::Value> objects(const JsonReply& reply, std::string_view name) {
    const auto list = reply.json().find(name);
    if (!list) throw std::runtime_error("no member " + std::string(name) + ": " + reply.body);
    std::vector<json::Value> found;
    for (std::size_t i = 0; i < list->size(); ++i) found.push_back(list->element(i));
    return found;
}

std::string text_in(const json::Value& object, std::string_view name) {
    const auto value = object.find(name);
    return value ? std::string(value->as_string().value_or("")) : std::string();
}

}  // namespace ff::testing
