#include "engine/calls.h"

#include "engine/fence_arguments.h"
#include "model/exec_keys.h"
#include "model/record_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kCall = "ff_call_children";
constexpr std::string_view kRead = "ff_read_children";

}  // namespace

void CallChildren::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kCall, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    write_fence(to, fence);
    to.arg("on_child_failure", continue_on_failure ? "continue" : "fail");
    to.arg("child_count", static_cast<std::int64_t>(children.size()));
    for (const Child& child : children) {
        const CreateExecution& execution = child.execution;
        to.arg("call_name", child.name);
        to.arg("execution_kind", execution.execution_kind);
        to.arg("lane_id", execution.lane.text());
        to.arg("payload", execution.payload.view());
        to.arg("payload_encoding", execution.payload_encoding);
        to.arg("policy_json", execution.policy_json);
        to.arg("tags_json", execution.tags_json);
        to.arg("priority", execution.priority);
    }
    write_steps_if_any(to, steps);
}

Result<CallChildren::Outcome> CallChildren::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCall, reply));
    FF_TRY(const std::string_view answer, reader.text(3, "answer"));
    FF_TRY(const std::string_view state, reader.text(4, "public_state"));
    FF_TRY(const auto items, reader.items(5, "children"));
    Outcome outcome{.replayed = reader.word() == "DUPLICATE",
                    .eligible = answer == "eligible",
                    .public_state = std::string(state)};
    const ReplyReader pairs(kCall, items);
    for (std::size_t at = 1; at < items.size(); at += 2) {
        FF_TRY(const std::string_view name, pairs.text(at, "call_name"));
        FF_TRY(const auto id, pairs.parsed<model::ExecutionId>(at + 1, "execution_id"));
        outcome.children.emplace_back(name, id);
    }
    return outcome;
}

Result<CalledChild> CalledChild::read(std::string_view function, const store::Reply& item) {
    const ReplyReader reader(function, item.items());
    FF_TRY(const std::string_view name, reader.text(1, "call_name"));
    FF_TRY(const std::string_view id, reader.text(2, "execution_id"));
    FF_TRY(const std::string_view outcome, reader.text(3, "outcome"));
    FF_TRY(const std::string_view result, reader.text(4, "result"));
    return CalledChild{.name = std::string(name),
                       .execution_id = std::string(id),
                       .outcome = std::string(outcome),
                       .result = Bytes(result),
                       .result_encoding = std::string(reader.text_or_empty(5)),
                       .failure_reason = std::string(reader.text_or_empty(6)),
                       .failure_category = std::string(reader.text_or_empty(7))};
}

void ReadChildren::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRead, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("first", first);
    to.arg("limit", limit);
    to.arg("max_bytes", bytes_max);
}

Result<ReadChildren::Outcome> ReadChildren::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRead, reply));
    Outcome outcome;
    FF_TRY(outcome.count, reader.integer(3, "count"));
    FF_TRY(const std::string_view next, reader.text(4, "next"));
    if (!next.empty()) {
        FF_TRY(outcome.next, reader.integer(4, "next"));
    }
    FF_TRY(const auto items, reader.items(5, "items"));
    for (const store::Reply& item : items) {
        FF_TRY(CalledChild child, CalledChild::read(kRead, item));
        outcome.children.push_back(std::move(child));
    }
    return outcome;
}

}  // namespace ff::engine
