#include "engine/approval_link.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kCreate = "ff_create_approval_link";
constexpr std::string_view kRevoke = "ff_revoke_approval_links";
constexpr std::string_view kRead = "ff_read_approval_link";
constexpr std::string_view kAnswer = "ff_answer_approval_link";

}  // namespace

void CreateApprovalLink::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kCreate, 1);
    to.key("wp", keys.waitpoint(waitpoint_id));
    to.arg("execution_id", keys.id());
    to.arg("waitpoint_id", waitpoint_id.to_string());
    to.arg("link_id", link_id);
    to.arg("digest", digest);
    to.arg("expires_at", expires_at.to_string());
    to.arg("label", label);
}

Result<CreateApprovalLink::Outcome> CreateApprovalLink::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCreate, reply));
    FF_TRY(const Timestamp expires, reader.time(4, "expires_at"));
    return Outcome{.expires_at = expires};
}

void RevokeApprovalLinks::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRevoke, 1);
    to.key("wp", keys.waitpoint(waitpoint_id));
    to.arg("execution_id", keys.id());
    to.arg("waitpoint_id", waitpoint_id.to_string());
    to.arg("link_id", link_id);
}

Result<RevokeApprovalLinks::Outcome> RevokeApprovalLinks::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRevoke, reply));
    FF_TRY(const std::int64_t revoked, reader.integer(3, "revoked"));
    return Outcome{.revoked = revoked};
}

void ReadApprovalLink::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRead, 1);
    to.key("wp", keys.waitpoint(waitpoint_id));
    to.arg("execution_id", keys.id());
    to.arg("waitpoint_id", waitpoint_id.to_string());
    to.arg("link_id", link_id);
    to.arg("digest", digest);
}

Result<ReadApprovalLink::Outcome> ReadApprovalLink::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRead, reply));
    FF_TRY(const std::string_view state, reader.text(3, "state"));
    FF_TRY(const std::string_view label, reader.text(4, "label"));
    FF_TRY(const Timestamp expires, reader.time(5, "expires_at"));
    FF_TRY(const std::string_view answer, reader.text(6, "answer"));
    FF_TRY(const Timestamp answered, reader.time(7, "answered_at"));
    FF_TRY(const std::string_view signal, reader.text(8, "signal_id"));
    return Outcome{.state = std::string(state),
                   .label = std::string(label),
                   .expires_at = expires,
                   .answer = std::string(answer),
                   .answered_at = answered,
                   .signal_id = std::string(signal)};
}

void AnswerApprovalLink::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kAnswer, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("waitpoint_id", waitpoint_id.to_string());
    to.arg("link_id", link_id);
    to.arg("digest", digest);
    to.arg("signal_id", signal_id.to_string());
    to.arg("answer", approved ? "approved" : "rejected");
    to.arg("signal_name", signal_name);
    to.arg("payload", payload);
}

Result<SignalReceipt> AnswerApprovalLink::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAnswer, reply));
    FF_TRY(const std::string_view id, reader.text(3, "signal_id"));
    if (reader.word() == "DUPLICATE")
        return SignalReceipt{.duplicate = true, .signal_id = std::string(id)};
    FF_TRY(const std::string_view effect, reader.text(4, "effect"));
    return SignalReceipt{.signal_id = std::string(id), .effect = std::string(effect)};
}

}  // namespace ff::engine
