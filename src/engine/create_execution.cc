#include "engine/create_execution.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kFunction = "ff_create_execution";

std::optional<std::string> text_of(const std::optional<model::DueTime>& due) {
    if (!due) return std::nullopt;
    return due->to_string();
}

}  // namespace

void CreateExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kFunction, 1);
    to.key("exec_core", keys.core());
    write_arguments(to);
}

void CreateExecution::write_arguments(CallWriter& to) const {
    to.arg("execution_id", execution_id);
    to.arg("namespace", ns.text());
    to.arg("lane_id", lane.text());
    to.arg("execution_kind", execution_kind);
    to.arg("priority", priority);
    to.arg("creator_identity", creator_identity);
    to.arg("policy_json", policy_json);
    to.arg("input_payload", payload.view());
    to.arg("delay_until", text_of(delay_until));
    to.arg("dedup_ttl_ms", dedup_ttl);
    to.arg("tags_json", tags_json);
    to.arg("execution_deadline_at", text_of(execution_deadline));
    to.arg("partition_id", std::int64_t{execution_id.partition_index()});
    to.arg("payload_encoding", payload_encoding);
    to.arg("initial_hold", hold_for_dependencies ? "dependencies" : "");
    to.arg("idempotency_key", idempotency_key ? idempotency_key->text() : std::string_view());
}

Result<CreateExecution::Outcome> CreateExecution::read(const store::Reply& reply) const {
    return read_item(kFunction, reply);
}

Result<CreateExecution::Outcome> CreateExecution::read_item(std::string_view function,
                                                            const store::Reply& reply) {
    FF_TRY(const ReplyReader reader, ReplyReader::open(function, reply));
    const bool duplicate = reader.word() == "DUPLICATE";
    if (!duplicate && reader.word() != "OK") return reader.fault("word");
    FF_TRY(const model::ExecutionId id, reader.parsed<model::ExecutionId>(3, "execution_id"));
    FF_TRY(const std::string_view state_text, reader.text(4, "public_state"));
    const auto state = model::parse_state<model::PublicState>(state_text);
    if (!state) return reader.fault("public_state");
    return Outcome{.duplicate = duplicate, .execution_id = id, .public_state = *state};
}

}  // namespace ff::engine
