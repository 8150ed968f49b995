#include "twin/actions.h"

namespace ff::twin {
namespace {

List stream_keys(const Task& task) {
    const contract::Execution& e = task.execution;
    return {e.key("core"), e.stream_key(task.attempt), e.stream_key(task.attempt, ":meta"),
            e.attempt_key(task.attempt, ":summary"), e.stream_key(task.attempt, ":live")};
}

std::string patch(World& world) {
    switch (world.below(4)) {
        case 0:
            return R"({"a":1,"b":{"c":"x","d":null}})";
        case 1:
            return R"({"b":{"d":[1,2,3]},"e)" + world.number(4) + R"(":true})";
        case 2:
            return R"({"a":null})";
        default:
            return R"({"deep":{"er":{"n":)" + world.number(9) + "}}}";
    }
}

void append(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    const std::string mode = world.pick({"", "durable", "summary", "best_effort"});
    const bool is_summary = mode == "summary";
    world.host().fcall("ff_append_frame", stream_keys(task),
                       {e.id(),
                        std::to_string(task.attempt),
                        e.lease_id,
                        e.epoch,
                        world.pick({"token", "log", "note"}),
                        "",
                        is_summary ? patch(world) : world.bytes(50),
                        is_summary ? "json" : "",
                        world.one_in(4) ? "c" : "",
                        "",
                        world.one_in(4) ? "5" : "",
                        e.attempt_id,
                        world.one_in(9) ? "20" : "",
                        mode,
                        is_summary ? "json-merge-patch" : "",
                        mode == "best_effort" ? "1000" : "",
                        "",
                        "",
                        "",
                        world.one_in(3) ? world.number(30) : "",
                        world.one_in(9) ? "200" : ""});
}

void append_many(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    const std::uint64_t count = 1 + world.below(world.one_in(8) ? 200 : 8);
    const bool is_numbered = world.one_in(2);
    const bool is_live = world.one_in(4);
    List args{e.id(),
              std::to_string(task.attempt),
              e.lease_id,
              e.epoch,
              e.attempt_id,
              "",
              world.one_in(4) ? "7" : "",
              "",
              "",
              is_live ? "best_effort" : "durable",
              is_live ? "1000" : "",
              "",
              "",
              "",
              std::to_string(count)};
    const std::uint64_t first = world.below(40);
    for (std::uint64_t i = 0; i < count; ++i) {
        args.insert(args.end(), {world.pick({"token", "log"}), "", "", "",
                                 is_numbered ? std::to_string(first + i) : "", world.bytes(20)});
    }
    world.host().fcall("ff_append_frames", stream_keys(task), args);
}

List keys_of_attempt(const Task& task) {
    const contract::Execution& e = task.execution;
    return {e.key("core"), e.attempt_key(task.attempt), e.stream_key(task.attempt),
            e.stream_key(task.attempt, ":meta")};
}

void append_system(World& world, Partition&, Task& task) {
    world.host().fcall("ff_append_system_frame", keys_of_attempt(task),
                       {task.execution.id(), std::to_string(task.attempt), "note", "", "text", "",
                        "", world.pick({"operator", "engine", "worker"}), "", ""});
}

void open(World& world, Partition&, Task& task) {
    world.host().fcall("ff_open_stream", keys_of_attempt(task),
                       {task.execution.id(), std::to_string(task.attempt)});
}

void read(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    world.host().fcall("ff_read_attempt_stream",
                       {e.stream_key(task.attempt), e.stream_key(task.attempt, ":meta"),
                        e.key("core"), e.attempt_key(task.attempt)},
                       {"-", "+", world.pick({"3", "1000"}), world.pick({"", "all"}),
                        world.pick({"", "token"}), world.pick({"", "100"})});
}

void read_summary(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    world.host().fcall(
        "ff_read_summary",
        {e.attempt_key(task.attempt, ":summary"), e.stream_key(task.attempt, ":meta")}, {});
}

}  // namespace

void add_stream_actions(ActionTable& table) {
    using enum Stage;
    table.add({Leased}, append);
    table.add({Leased}, append);
    table.add({Leased}, append_many);
    table.add({Leased, Ended}, append_system);
    table.add({Leased, Ended}, open);
    table.add({Leased, Ended}, read);
    table.add({Leased, Ended}, read_summary);
}

}  // namespace ff::twin
