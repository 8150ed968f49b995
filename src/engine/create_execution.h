#pragma once

#include <optional>
#include <string>

#include "base/lent_bytes.h"
#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/due_time.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/state.h"

namespace ff::engine {

/// `ff_create_execution`: one execution, or the one that this id or idempotency key already names.
struct CreateExecution {
    struct Outcome {
        bool duplicate = false;
        /// Of the existing execution, if this is a duplicate.
        model::ExecutionId execution_id;
        model::PublicState public_state = model::PublicState::Waiting;
    };

    model::ExecutionId execution_id;
    model::Namespace ns;
    model::LaneId lane;
    std::string execution_kind{};
    std::int64_t priority = 0;
    std::string creator_identity{};
    /// ExecutionPolicy as JSON text; empty for none.
    std::string policy_json{};
    LentBytes payload{};
    std::string payload_encoding{};
    std::optional<model::DueTime> delay_until{};
    std::optional<Millis> dedup_ttl{};
    /// A flat JSON object; empty for none.
    std::string tags_json{};
    std::optional<model::DueTime> execution_deadline{};
    bool hold_for_dependencies = false;
    std::optional<model::IdempotencyKey> idempotency_key{};

    void write(CallWriter& to) const;
    /// The 16 arguments alone, as a batch repeats them.
    void write_arguments(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    static Result<Outcome> read_item(std::string_view function, const store::Reply& reply);
    /// The id is given, so the same call again is a duplicate of itself.
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
