#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "engine/signal.h"
#include "model/due_time.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// `ff_create_approval_link`: an address at which a person answers (chapter 03 section 3.8).
struct CreateApprovalLink {
    struct Outcome {
        Timestamp expires_at{};
    };

    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    std::string link_id{};
    std::string digest{};
    model::DueTime expires_at;
    /// Whom it is for.
    std::string label{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_revoke_approval_links`: one of a waitpoint, or all.
struct RevokeApprovalLinks {
    struct Outcome {
        std::int64_t revoked = 0;
    };

    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    std::optional<std::string> link_id{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_read_approval_link`: what becomes of a link for whom holds it.
struct ReadApprovalLink {
    struct Outcome {
        /// open, answered, expired, closed or revoked.
        std::string state{};
        std::string label{};
        Timestamp expires_at{};
        /// approved or rejected; empty before the answer, as are the two below.
        std::string answer{};
        Timestamp answered_at{};
        std::string signal_id{};
    };

    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    std::string link_id{};
    std::string digest{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_answer_approval_link`: uses the link up and signals its waitpoint, in one step.
struct AnswerApprovalLink {
    using Outcome = SignalReceipt;

    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    std::string link_id{};
    std::string digest{};
    model::SignalId signal_id;
    bool approved = false;
    std::string signal_name{};
    Bytes payload{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
