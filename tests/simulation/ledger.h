#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/fence.h"
#include "model/execution_id.h"
#include "model/state.h"
#include "simulation/history.h"
#include "simulation/store_process.h"

namespace ff::simulation {

/// A lease as those outside know it.
struct KnownLease {
    engine::Fence fence;
    /// When its claim was sent, and when its answer came.
    Timestamp begun{};
    Timestamp taken{};
    /// It lasts until here at least, unless somebody ends it; and until there at most.
    Timestamp until_least{};
    Timestamp until_most{};
    /// From here on something is under way that may end it.
    std::optional<Timestamp> may_end_from{};
    /// Somebody was told that it is revoked.
    std::optional<Timestamp> revoked{};
};

/// The end of an execution that somebody was told of.
struct KnownEnd {
    model::PublicState state{};
    /// Absent for an operator's act.
    std::optional<engine::Fence> fence{};
    Timestamp begun{};
    Timestamp told{};
    std::string result{};
};

/// A replay that was tried.
struct KnownReplay {
    Timestamp begun{};
    Timestamp ended = Timestamp::max();
    bool keeps_steps = false;
};

struct KnownSignal {
    std::string waitpoint{};
    bool acknowledged = false;
    /// It is the one that met the condition.
    bool is_last = false;
};

struct KnownFrames {
    /// By sequence number; whether the append was acknowledged.
    std::map<std::int64_t, std::pair<std::string, bool>> frames{};
};

/// All that was promised about one execution.
struct Subject {
    std::string lane{};
    std::string payload{};
    bool acknowledged = false;
    /// Lane and payload are known.
    bool known = false;
    /// Somebody has tried to complete it.
    bool may_have_succeeded = false;
    /// It may end, or lose its lease, without anybody's act: it has a deadline, a timeout or
    /// a flow that may cancel it.
    bool ends_by_itself = false;
    /// Its creator asked for no attempt before this.
    std::optional<Timestamp> not_before{};
    std::vector<KnownLease> leases{};
    /// The last time that somebody was about to end whatever lease there is.
    std::optional<Timestamp> last_ending{};
    std::vector<KnownEnd> ends{};
    std::vector<KnownReplay> replays{};
    std::map<std::string, KnownSignal> signals{};
    /// Those that somebody was told of.
    std::set<std::string> waitpoints{};
    /// Results whose senders were told that they do not count.
    std::set<std::string> refused{};
    /// Somebody may have begun an attempt and left it to be gone on with.
    bool may_go_on = false;
    std::map<std::uint32_t, KnownFrames> streams{};
    /// In the order of a flow: what has to have succeeded before it runs, and how many of those.
    std::vector<model::ExecutionId> upstream{};
    std::size_t upstream_least = 0;
    /// Edges that came while the flow ran, and when its author was told.
    std::vector<std::pair<model::ExecutionId, Timestamp>> late_upstream{};
};

/// What acknowledgements have promised, held against everything that is seen later. Every rule
/// names the promise of docs/reliability.md that it holds.
class Ledger {
  public:
    Ledger(const StoreProcess& process, History& history) : process_(process), history_(history) {}

    Timestamp now() const { return process_.clock().now(); }
    Subject& subject(const model::ExecutionId& id) { return subjects_[id]; }
    const std::map<model::ExecutionId, Subject>& subjects() const { return subjects_; }
    std::map<model::ExecutionId, Subject>& subjects() { return subjects_; }

    struct Creation {
        model::ExecutionId id;
        bool duplicate = false;
        std::string ns{};
        std::string key{};
    };
    void created(const Creation& creation);

    struct Taken {
        model::ExecutionId id;
        engine::Fence fence;
        Timestamp begun{};
        Timestamp expires{};
        std::string payload{};
        bool has_payload = false;
        /// As one that goes on.
        bool resumed = false;
        /// As one whose worker was lost: it was let in before.
        bool reclaimed = false;
    };
    void taken(const Taken& taken);
    void renewed(const model::ExecutionId& id, const engine::Fence& fence, Timestamp begun,
                 Timestamp until);
    /// A renewal without an answer.
    void may_be_renewed(const model::ExecutionId& id, const engine::Fence& fence, Millis ttl);
    /// An act that ends a lease is on its way; without a fence whatever lease there is.
    void ending(const model::ExecutionId& id, const std::optional<engine::Fence>& fence);
    /// The answer to a claim that its worker never saw, held against the one to its repetition.
    void repeated_claim(const std::string& claim_id, const std::vector<model::ExecutionId>& first,
                        const std::vector<model::ExecutionId>& again);
    /// Somebody was told that the lease of this epoch is revoked.
    void revoked(const model::ExecutionId& id, std::uint64_t epoch);
    /// A worker's act was accepted, and not as the repetition of an earlier one.
    void accepted(const model::ExecutionId& id, const engine::Fence& fence, Timestamp begun,
                  const std::string& act);
    /// A worker's act was refused as that of a worker without the lease.
    void fenced(const model::ExecutionId& id, const engine::Fence& fence, const std::string& act);
    void ended(const model::ExecutionId& id, KnownEnd end);
    /// A replay is on its way; gives its number.
    std::size_t replaying(const model::ExecutionId& id, bool keeps_steps);
    void replayed(const model::ExecutionId& id, std::size_t number, bool may_have_happened);

    void broke(const std::string& promise, const model::ExecutionId& id, const std::string& what) {
        history_.broke(promise, id.to_string() + ": " + what);
    }

    void broke_limit(const std::string& promise, const std::string& what) {
        history_.broke(promise, what);
    }

    void hole(const std::string& key, const std::string& what) {
        history_.broke("feeds and streams have no holes", key + ": " + what);
    }
    void left_over(const std::string& key) {
        history_.broke("nothing is left over", key + " still names something");
    }

  private:
    KnownLease* find(const model::ExecutionId& id, const engine::Fence& fence);
    void check_upstream(const model::ExecutionId& id, const Subject& subject);
    void check_late_upstream(const Taken& taken, const Subject& subject);

    const StoreProcess& process_;
    History& history_;
    std::map<model::ExecutionId, Subject> subjects_{};
    std::map<std::string, model::ExecutionId> by_key_{};
};

}  // namespace ff::simulation
