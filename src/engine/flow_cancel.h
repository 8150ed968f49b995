#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/call_writer.h"
#include "engine/flow_address.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_cancel_flow`: cancels the flow and notes which members are owed a cancel.
struct CancelFlow {
    struct Outcome {
        std::string cancellation_policy{};
        std::vector<std::string> members{};
    };

    FlowAddress flow;
    std::string reason{};
    std::string cancellation_policy = "cancel_all";
    std::optional<Millis> grace{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_cancel_flow_members`: cancels a page of the owed members.
struct CancelFlowMembers {
    struct Outcome {
        std::int64_t owed = 0;
        std::string cursor{};
        std::int64_t cancelled = 0;
        std::int64_t already_terminal = 0;
        std::int64_t not_found = 0;
        std::int64_t draining = 0;
        std::vector<std::string> failed{};
    };

    FlowAddress flow;
    std::int64_t members_max = 100;
    std::string cursor = "0";

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_ack_cancel_member`: one owed cancel is done.
struct AckCancelMember {
    using Outcome = Done;

    FlowAddress flow;
    model::ExecutionId execution_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// A group of inbound edges whose losers are to be cancelled.
struct SiblingGroup {
    FlowAddress flow;
    model::ExecutionId downstream;
};

/// `ff_drain_sibling_cancel_group`.
struct DrainSiblingCancelGroup {
    struct Outcome {
        /// pending, drained, already_drained or drained_sans_group.
        std::string result{};
        std::string left{};  // of pending
    };

    SiblingGroup group;
    std::int64_t cancels_max = 128;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_reconcile_sibling_cancel_group`.
struct ReconcileSiblingCancelGroup {
    struct Outcome {
        /// no_op, sremmed_stale or completed_drain.
        std::string result{};
        std::string why{};
    };

    SiblingGroup group;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
