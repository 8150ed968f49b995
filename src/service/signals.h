#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/deadline.h"
#include "base/task.h"
#include "base/time.h"
#include "engine/signal.h"
#include "hub/waitpoint_secrets.h"
#include "hub/waitpoints.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/waitpoint_token.h"
#include "service/context.h"

namespace ff::service {

/// A signal as its sender gives it. Without a waitpoint's id the one with that key is meant, or,
/// in the scope of an execution, the only one that is open.
struct NewSignal {
    model::ExecutionId execution_id;
    std::optional<model::WaitpointId> waitpoint_id{};
    std::optional<model::WaitpointKey> waitpoint_key{};
    /// Minted if absent.
    std::optional<model::SignalId> signal_id{};
    std::string name{};
    std::string category{};
    std::string source_type{};
    std::string source_identity{};
    Bytes payload{};
    std::string payload_encoding{};
    std::optional<model::IdempotencyKey> idempotency_key{};
    std::string correlation_id{};
    std::string target_scope{};
    std::optional<Timestamp> created_at{};
    std::optional<Millis> dedup_ttl{};
    Millis resume_delay{0};
    std::optional<std::int64_t> history_max{};
    std::optional<std::int64_t> signals_max{};
    /// The credential as presented; the function decides.
    std::string token{};
};

struct OperatorResume {
    model::ExecutionId execution_id;
    Millis delay{0};
    std::optional<model::SuspensionId> expected_suspension_id{};
    std::string actor{};
};

/// The kids that sign or still open waitpoints, over all partitions.
struct LiveKids {
    /// That of most partitions.
    std::string current_kid{};
    std::vector<engine::ListWaitpointKids::Kid> retired{};
    /// All partitions mint under the same kid.
    bool in_step = true;
};

/// One signal of an execution, by its fields. The payload is not among them.
struct SignalRecord {
    std::string signal_id{};
    /// Within the history of a waitpoint; empty elsewhere.
    std::string entry_id{};
    std::vector<std::pair<std::string, Bytes>> fields{};
};

struct SignalPage {
    std::vector<SignalRecord> signals{};
    /// The last one, if there are more.
    std::optional<std::string> next{};
};

struct SignalQuery {
    model::ExecutionId execution_id;
    std::optional<model::SignalId> after{};
    std::int64_t limit = 100;
};

/// The history of one waitpoint.
struct WaitpointSignalQuery {
    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    /// The last entry seen; empty for the beginning.
    std::string after{};
    std::int64_t limit = 100;
};

/// What the outside world does to suspended executions. Lives on the context's loop.
class Signals {
  public:
    explicit Signals(const Context& context);

    /// `ambiguous_target` when no waitpoint is named and there is not exactly one that can be
    /// meant; a refusal of the function otherwise. A pending waitpoint buffers it.
    Task<engine::SignalReceipt> deliver(NewSignal signal);
    /// An operator's signal; the server presents the token itself.
    Task<engine::SignalReceipt> approve(hub::Approval approval);
    /// Ends a suspension without a signal; gives the public state.
    Task<std::string> resume(OperatorResume request);

    /// Without tokens where the rules say so.
    Task<hub::OpenWaitpoints> pending_waitpoints(hub::WaitpointListing listing);
    /// Of an open waitpoint, under the current secret; `waitpoint_not_found` for any other.
    Task<model::WaitpointToken> token(model::ExecutionId execution_id, model::WaitpointId id);
    /// In the order of their acceptance.
    Task<SignalPage> list(SignalQuery query);
    /// In the order that counts on that waitpoint; `waitpoint_not_found` of a stranger's too.
    Task<SignalPage> list_of_waitpoint(WaitpointSignalQuery query);

    Task<hub::RotationReport> rotate(std::string new_kid, std::string new_secret_hex);
    Task<LiveKids> kids();

  private:
    Task<std::int64_t> first_since(const std::string& index, const model::SignalId& after);
    Task<std::vector<model::SignalId>> ids_of(const SignalQuery& query);
    engine::Signal made_of(NewSignal signal, model::WaitpointId waitpoint);

    Context context_;
    hub::Waitpoints waitpoints_;
    hub::WaitpointSecrets secrets_;
};

/// What a rotation that did not succeed is answered with; nothing for one that did.
std::optional<Error> failure_of(const hub::RotationReport& report);

}  // namespace ff::service
