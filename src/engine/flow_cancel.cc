#include "engine/flow_cancel.h"

namespace ff::engine {
namespace {

constexpr std::string_view kCancel = "ff_cancel_flow";
constexpr std::string_view kMembers = "ff_cancel_flow_members";
constexpr std::string_view kAck = "ff_ack_cancel_member";
constexpr std::string_view kDrain = "ff_drain_sibling_cancel_group";
constexpr std::string_view kReconcile = "ff_reconcile_sibling_cancel_group";

void write_group(CallWriter& to, std::string_view function, const SiblingGroup& group) {
    to.begin(function, 1);
    to.key("pending_cancel_groups", group.flow.index().pending_cancel_groups());
    to.arg("flow_id", group.flow.id.to_string());
    to.arg("downstream_execution_id", group.downstream.to_string());
}

}  // namespace

void CancelFlow::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kCancel, 1);
    to.key("flow_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("reason", reason);
    to.arg("cancellation_policy", cancellation_policy);
    to.arg("now_ms", "");
    to.arg("grace_ms", grace);
}

Result<CancelFlow::Outcome> CancelFlow::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCancel, reply));
    FF_TRY(const std::string_view policy, reader.text(3, "cancellation_policy"));
    Outcome outcome{.cancellation_policy = std::string(policy)};
    for (std::size_t position = 4; position <= reader.size(); ++position) {
        FF_TRY(const std::string_view member, reader.text(position, "member"));
        outcome.members.emplace_back(member);
    }
    return outcome;
}

void CancelFlowMembers::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kMembers, 1);
    to.key("flow_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("max_members", members_max);
    to.arg("cursor", cursor);
}

Result<CancelFlowMembers::Outcome> CancelFlowMembers::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kMembers, reply));
    Outcome outcome;
    FF_TRY(outcome.owed, reader.integer(3, "owed"));
    FF_TRY(const std::string_view next, reader.text(4, "cursor"));
    outcome.cursor = std::string(next);
    FF_TRY(outcome.cancelled, reader.integer(5, "cancelled"));
    FF_TRY(outcome.already_terminal, reader.integer(6, "already_terminal"));
    FF_TRY(outcome.not_found, reader.integer(7, "not_found"));
    FF_TRY(outcome.draining, reader.integer(8, "draining"));
    for (std::size_t position = 10; position <= reader.size(); ++position) {
        FF_TRY(const std::string_view failed, reader.text(position, "failed_id"));
        outcome.failed.emplace_back(failed);
    }
    return outcome;
}

void AckCancelMember::write(CallWriter& to) const {
    to.begin(kAck, 1);
    to.key("pending_cancels", flow.keys().pending_cancels());
    to.arg("execution_id", execution_id.to_string());
    to.arg("flow_id", flow.id.to_string());
}

Result<Done> AckCancelMember::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAck, reply));
    if (reader.word() != "OK") return reader.fault("word");
    return Done{};
}

void DrainSiblingCancelGroup::write(CallWriter& to) const {
    write_group(to, kDrain, group);
    to.arg("max_cancel", cancels_max);
}

Result<DrainSiblingCancelGroup::Outcome> DrainSiblingCancelGroup::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kDrain, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result), .left = std::string(reader.text_or_empty(4))};
}

void ReconcileSiblingCancelGroup::write(CallWriter& to) const {
    write_group(to, kReconcile, group);
}

Result<ReconcileSiblingCancelGroup::Outcome> ReconcileSiblingCancelGroup::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReconcile, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result), .why = std::string(reader.text_or_empty(4))};
}

}  // namespace ff::engine
