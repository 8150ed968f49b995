#include "api/exec_world.h"

#include <stdexcept>

namespace ff::testing {

std::string HeldTask::lease() const {
    return R"("lease":{"lease_id":")" + lease_id + R"(","lease_epoch":)" +
           std::to_string(lease_epoch) + R"(,"attempt_id":")" + attempt_id +
           R"(","attempt_index":)" + std::to_string(attempt_index) + "}";
}

std::string ExecApi::own_name(std::string_view suffix) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return "t" + digest8(test->name()) + std::string(suffix);
}

std::string ExecApi::new_execution(std::string_view more) {
    return R"({"namespace":")" + own_name() + R"(","lane_id":")" + own_name() +
           R"(","execution_kind":"resize")" + std::string(more) + "}";
}

JsonReply ExecApi::create(std::string_view more) {
    return world().post("/v1/executions", new_execution(more));
}

std::string ExecApi::created_id(std::string_view more) {
    const JsonReply reply = create(more);
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.text("execution_id");
}

JsonReply ExecApi::claim(std::string_view more, std::string_view worker) {
    const std::string body = R"({"worker_instance_id":")" + own_name("-") + std::string(worker) +
                             R"(","lanes":[")" + own_name() + "\"]" + std::string(more) + "}";
    return world().post("/v1/workers/" + std::string(worker) + "/tasks/claim", body);
}

std::vector<HeldTask> read_tasks(const JsonReply& reply) {
    std::vector<HeldTask> tasks;
    const auto list = reply.json().find("tasks");
    if (!list) return tasks;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const json::Value task = list->element(i);
        const auto text = [&](std::string_view name) {
            const auto found = task.find(name);
            return found ? std::string(found->as_string().value_or("")) : std::string();
        };
        tasks.push_back({.execution_id = text("execution_id"),
                         .token = text("task_token"),
                         .lease_id = text("lease_id"),
                         .lease_epoch = task.find("lease_epoch")->as_integer().value_or(-1),
                         .attempt_id = text("attempt_id"),
                         .attempt_index = task.find("attempt_index")->as_integer().value_or(-1),
                         .attempt_type = text("attempt_type"),
                         .payload = text("payload"),
                         .raw = task.to_text()});
    }
    return tasks;
}

std::vector<HeldTask> ExecApi::claimed(std::string_view more, std::string_view worker) {
    return read_tasks(claim(more, worker));
}

HeldTask ExecApi::claim_one(std::string_view more, std::string_view worker) {
    // Work may have been announced and not heard of yet.
    const JsonReply reply = claim(R"(,"wait_ms":9000)" + std::string(more), worker);
    std::vector<HeldTask> tasks = read_tasks(reply);
    if (tasks.size() != 1) throw std::runtime_error("not one task: " + reply.body);
    return tasks.front();
}

JsonReply ExecApi::act(std::string_view id, std::string_view what, std::string_view body) {
    return world().post("/v1/executions/" + encode(id) + "/" + std::string(what), body);
}

JsonReply ExecApi::act(const HeldTask& task, std::string_view what, std::string_view more) {
    return act(task.execution_id, what,
               R"({"task_token":")" + task.token + "\"" + std::string(more) + "}");
}

JsonReply ExecApi::info(std::string_view id) {
    return world().get("/v1/executions/" + encode(id));
}

std::string ExecApi::state(std::string_view id) {
    return info(id).text("public_state");
}

}  // namespace ff::testing
