#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "resp/command.h"
#include "store/call.h"

namespace ff::app {

/// What the replies of functions say about work, for whoever keeps figures.
class WorkProbe {
  public:
    virtual ~WorkProbe() = default;
    /// `kind` is the type of the attempts: initial, retry, replay, fallback, resumed or reclaim.
    virtual void claimed(std::string_view lane, std::string_view kind, std::uint64_t attempts) = 0;
    /// First attempts of executions of one kind, by the times of their creation.
    virtual void first_attempts(std::string_view /*lane*/, std::string_view /*kind*/,
                                std::span<const Timestamp> /*created*/) {}
    /// How long the call took that gave a worker its lease, or several.
    virtual void lease_taken(std::string_view lane, std::chrono::nanoseconds took) = 0;
    virtual void lease_renewed(bool ok) = 0;
    /// ok, error, timeout, cancelled or retry.
    virtual void attempts_ended(std::string_view lane, std::string_view outcome,
                                std::uint64_t attempts) = 0;
    virtual void budget_hit(std::string_view dimension) = 0;
    /// rate or concurrency.
    virtual void quota_hit(std::string_view reason) = 0;
    virtual void edge_group_set(std::string_view policy) = 0;
    /// By cascades; what the call that ends a member resolves itself is not told.
    virtual void edges_resolved(std::uint64_t edges) = 0;
    /// cancelled, already_terminal, not_found, draining or failed.
    virtual void members_cancelled(std::string_view disposition, std::uint64_t members) = 0;
    /// A blocked child was released or skipped by the reconciler alone.
    virtual void dependency_reconciled() = 0;
    /// What a cascade decided on the downstreams of edges and their groups: eligible, skipped or
    /// cancel_remaining.
    virtual void groups_evaluated(std::string_view /*result*/, std::uint64_t /*groups*/) {}
};

/// One function call that is worth watching: what of the request the figures need, kept until the
/// reply is there. Functions are where state changes, so that they see every way in.
class WatchedCall {
  public:
    explicit WatchedCall(const resp::Command& command);

    /// False for most functions, whose replies nobody counts.
    bool watched() const { return !function_.empty(); }
    /// `took` is the time from the call to the reply.
    void observe(const store::Reply& reply, std::chrono::nanoseconds took, WorkProbe& probe) const;

  private:
    /// Whether the reply of a claim gave a lease that there was not before.
    bool gives_lease(const store::Reply& reply) const;
    void observe_end(const store::Reply& reply, WorkProbe& probe) const;
    void observe_claims(const store::Reply& reply, WorkProbe& probe) const;
    void observe_waits(std::span<const store::Reply> tasks, WorkProbe& probe) const;
    static void observe_cascade(const store::Reply& reply, WorkProbe& probe);
    static void observe_cancels(const store::Reply& reply, WorkProbe& probe);
    static void observe_verdicts(const store::Reply& reply, WorkProbe& probe);

    std::string function_{};
    /// From the keys; empty where none names one.
    std::string lane_{};
    /// The first argument behind the keys.
    std::string first_{};
};

}  // namespace ff::app
