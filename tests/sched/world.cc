#include "sched/world.h"

#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "model/exec_keys.h"
#include "model/library.h"

namespace ff::testing {

World::World(std::string_view host_name)
    : host_(start_host(host_name, HostLibrary{.source = model::library_text(),
                                              .version = model::library_version(),
                                              .digest = std::string(model::library_digest())})) {}

World::~World() = default;

store::Reply World::command(std::initializer_list<std::string_view> args) {
    auto reply = run(loop(), store().call(store::plain(args, true)));
    if (!reply.has_value()) throw std::runtime_error(reply.error().text());
    return *std::move(reply);
}

model::LaneId World::lane(std::string_view name) const {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return *model::LaneId::parse(digest8(test->name()) + "-" + std::string(name));
}

engine::CreateExecution World::task(const model::LaneId& lane) {
    return {.execution_id = model::ExecutionId::solo(lane, partitions(), partitioner_, random_),
            .ns = *model::Namespace::parse("acme"),
            .lane = lane,
            .execution_kind = "noop",
            .payload = "payload"};
}

model::ExecutionId World::create(const model::LaneId& lane) {
    return create(task(lane));
}

model::ExecutionId World::create(engine::CreateExecution task) {
    return must(std::move(task)).execution_id;
}

std::unique_ptr<sched::Claimer> World::claimer(sched::ClaimerOptions options) {
    return std::make_unique<sched::Claimer>(loop().get_executor(), clock_, random_, store(),
                                            partitioner_, std::move(options));
}

sched::ClaimRequest World::request(std::vector<model::LaneId> lanes, std::size_t tasks_max) {
    return {.worker_id = *model::WorkerId::parse("pool"),
            .worker_instance_id = *model::WorkerInstanceId::parse("pool-1"),
            .lanes = std::move(lanes),
            .tasks_max = tasks_max};
}

std::string World::core_field(const model::ExecutionId& id, std::string_view field) {
    const store::Reply reply = command({"HGET", model::ExecKeys(id).core(), field});
    return std::string(reply.text().value_or(""));
}

World& world_of(const std::string& host_name) {
    static std::map<std::string, std::unique_ptr<World>> worlds;
    auto& world = worlds[host_name];
    if (!world) world = std::make_unique<World>(host_name);
    return *world;
}

}  // namespace ff::testing
