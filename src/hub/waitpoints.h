#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "base/task.h"
#include "base/time.h"
#include "engine/signal.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/waitpoint_token.h"
#include "store/store.h"

namespace ff::hub {

struct WaitpointListing {
    model::ExecutionId execution_id;
    /// Leaves the credentials out; kid and fingerprint stay.
    bool omit_tokens = false;
    /// How many to examine; 0 for all.
    std::size_t examine_max = 0;
    std::optional<model::WaitpointId> after{};
};

/// What a person is told who shall answer; what is empty was not given.
struct Question {
    std::string prompt{};
    /// JSON list of texts.
    std::string assignees_json{};
    /// JSON schema of the answer.
    std::string form_json{};
    Bytes context{};
    std::string context_type{};
    std::optional<Timestamp> due_at{};
};

/// What anybody may know of an approval link who may see its waitpoint.
struct ApprovalLinkFacts {
    std::string id{};
    /// Whom it is for.
    std::string label{};
    Timestamp created_at{};
    Timestamp expires_at{};
    std::optional<Timestamp> revoked_at{};
    /// approved or rejected; empty before the answer.
    std::string answer{};
    std::optional<Timestamp> answered_at{};
};

/// A waitpoint that takes signals.
struct OpenWaitpoint {
    model::WaitpointId id;
    std::string key{};
    /// pending or active.
    std::string state{};
    std::optional<model::WaitpointToken> token{};
    std::string token_kid{};
    std::string token_fingerprint{};
    /// Empty: any.
    std::vector<std::string> required_signal_names{};
    std::optional<Timestamp> created_at{};
    std::optional<Timestamp> activated_at{};
    std::optional<Timestamp> expires_at{};
    std::optional<Question> question{};
    /// In the order of their creation.
    std::vector<ApprovalLinkFacts> links{};
};

struct OpenWaitpoints {
    std::vector<OpenWaitpoint> waitpoints{};
    /// The last that was examined, if there are more.
    std::optional<model::WaitpointId> next{};
};

/// An operator's word, for which the server itself presents the token.
struct Approval {
    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    std::string signal_name{};
    /// Approvals of one name and suffix count once.
    std::string idempotency_suffix{};
    std::optional<Millis> dedup_ttl{};
    std::string actor{};
};

/// What servers do with the waitpoints of an execution. Holds nothing but its references.
class Waitpoints {
  public:
    Waitpoints(Random& random, store::Store& store) : random_(random), store_(store) {}

    /// The open waitpoints in the order of their ids. A token that an old kid signed is replaced by
    /// one of the current kid. `execution_not_found`.
    Task<OpenWaitpoints> list(WaitpointListing listing);
    /// Of these, those that are open, without their tokens. Nothing is replaced.
    Task<std::vector<OpenWaitpoint>> look(model::ExecutionId execution_id,
                                          std::vector<model::WaitpointId> ids);
    /// The open waitpoint with that key, or the only one there is; `ambiguous_target` otherwise.
    Task<model::WaitpointId> find(model::ExecutionId execution_id,
                                  std::optional<model::WaitpointKey> key);
    /// Delivers to the waitpoint that `find` finds instead of the one the signal names.
    Task<engine::SignalReceipt> deliver_to(std::optional<model::WaitpointKey> key,
                                           engine::Signal signal);
    Task<engine::SignalReceipt> approve(Approval approval);

  private:
    struct Record;

    Task<std::vector<model::WaitpointId>> ids_of(const model::ExecutionId& execution_id);
    Task<std::vector<Record>> open_records(const model::ExecutionId& execution_id,
                                           std::vector<model::WaitpointId> ids);
    Task<std::vector<std::string>> required_names(const model::ExecutionId& execution_id,
                                                  const Record& record);
    Task<std::string> current_kid(const model::ExecutionId& execution_id);
    Task<std::optional<OpenWaitpoint>> present(const WaitpointListing& listing, Record record,
                                               const std::string& kid);

    Task<std::string> token_of(const model::ExecutionId& execution_id,
                               const model::WaitpointId& waitpoint_id);

    Random& random_;
    store::Store& store_;
};

}  // namespace ff::hub
