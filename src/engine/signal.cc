#include "engine/signal.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kDeliver = "ff_deliver_signal";
constexpr std::string_view kBuffer = "ff_buffer_signal_for_pending_waitpoint";

void write_signal_arguments(CallWriter& to, const Signal& signal, const model::ExecKeys& keys,
                            bool buffer_if_pending) {
    to.arg("signal_id", signal.id.to_string());
    to.arg("execution_id", keys.id());
    to.arg("waitpoint_id", signal.waitpoint_id.to_string());
    to.arg("signal_name", signal.name);
    to.arg("signal_category", signal.category);
    to.arg("source_type", signal.source_type);
    to.arg("source_identity", signal.source_identity);
    to.arg("payload", signal.payload);
    to.arg("payload_encoding", signal.payload_encoding);
    to.arg("idempotency_key",
           signal.idempotency_key ? signal.idempotency_key->text() : std::string());
    to.arg("correlation_id", signal.correlation_id);
    to.arg("target_scope", signal.target_scope);
    to.arg("created_at", signal.created_at);
    to.arg("dedup_ttl_ms", signal.dedup_ttl);
    to.arg("resume_delay_ms", signal.resume_delay);
    to.arg("signal_maxlen", signal.history_max);
    to.arg("max_signals_per_execution", signal.signals_max);
    to.arg("waitpoint_token", signal.token);
    to.flag("buffer_if_pending", buffer_if_pending);
    to.arg("max_payload_bytes", signal.payload_bytes_max);
}

Result<SignalReceipt> read_receipt(std::string_view function, const store::Reply& reply) {
    FF_TRY(const ReplyReader reader, ReplyReader::open(function, reply));
    FF_TRY(const std::string_view id, reader.text(3, "signal_id"));
    if (reader.word() == "DUPLICATE") {
        return SignalReceipt{.duplicate = true, .signal_id = std::string(id)};
    }
    FF_TRY(const std::string_view effect, reader.text(4, "effect"));
    return SignalReceipt{.signal_id = std::string(id), .effect = std::string(effect)};
}

}  // namespace

void DeliverSignal::write(CallWriter& to) const {
    const model::ExecKeys keys(signal.execution_id);
    to.begin(kDeliver, 1);
    to.key("exec_core", keys.core());
    write_signal_arguments(to, signal, keys, buffer_if_pending);
}

Result<SignalReceipt> DeliverSignal::read(const store::Reply& reply) const {
    return read_receipt(kDeliver, reply);
}

void BufferSignal::write(CallWriter& to) const {
    const model::ExecKeys keys(signal.execution_id);
    to.begin(kBuffer, 1);
    to.key("exec_core", keys.core());
    write_signal_arguments(to, signal, keys, true);
}

Result<SignalReceipt> BufferSignal::read(const store::Reply& reply) const {
    return read_receipt(kBuffer, reply);
}

}  // namespace ff::engine
