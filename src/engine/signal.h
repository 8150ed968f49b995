#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// A signal on its way to a waitpoint.
struct Signal {
    model::SignalId id;
    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    std::string name{};
    std::string category{};
    std::string source_type{};
    std::string source_identity{};
    Bytes payload{};
    std::string payload_encoding{};
    std::optional<model::IdempotencyKey> idempotency_key{};
    std::string correlation_id{};
    /// `waitpoint` or `execution`; empty for the default.
    std::string target_scope{};
    std::optional<Timestamp> created_at{};
    std::optional<Millis> dedup_ttl{};
    Millis resume_delay{0};
    std::optional<std::int64_t> history_max{};
    std::optional<std::int64_t> signals_max{};
    std::optional<std::int64_t> payload_bytes_max{};
    /// The credential as presented, unchecked: the function decides.
    std::string token{};
};

struct SignalReceipt {
    bool duplicate = false;
    /// Of the earlier signal, if this is a duplicate.
    std::string signal_id{};
    std::string effect{};  // unless a duplicate
};

/// `ff_deliver_signal`: authenticates, records, evaluates; resumes when the condition is satisfied.
struct DeliverSignal {
    using Outcome = SignalReceipt;

    Signal signal;
    /// Store it for a waitpoint that is still pending, instead of refusing.
    bool buffer_if_pending = true;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_buffer_signal_for_pending_waitpoint`.
struct BufferSignal {
    using Outcome = SignalReceipt;

    Signal signal;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
