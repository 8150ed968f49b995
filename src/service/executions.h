#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/task.h"
#include "engine/calls.h"
#include "engine/claim_execution.h"
#include "engine/create_execution.h"
#include "engine/end_execution.h"
#include "engine/fence.h"
#include "sched/lane_directory.h"
#include "service/call_request.h"
#include "service/context.h"
#include "service/creations.h"
#include "service/execution_info.h"
#include "service/execution_listing.h"
#include "service/indexes.h"
#include "service/named_limits.h"
#include "service/new_execution.h"
#include "service/record_page.h"

namespace ff::service {

struct CancelRequest {
    model::ExecutionId execution_id;
    std::string reason{};
    std::string source = "operator_override";
    std::optional<engine::Fence> fence{};
};

struct ChangedPriority {
    std::int64_t old_priority = 0;
    std::int64_t new_priority = 0;
};

struct ReplayRequest {
    model::ExecutionId execution_id;
    std::string reason{};
    std::string requested_by{};
    /// The new run goes on with the steps of the one before.
    bool keep_steps = false;
};

struct RevokedLease {
    /// `already_revoked` or `already_expired`; then there is no lease below.
    std::string already{};
    std::string lease_id{};
    model::LeaseEpoch lease_epoch{};
};

/// An operator's take-over of one execution, past all admission.
struct TakeOver {
    model::ExecutionId execution_id;
    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    Millis lease_ttl{30'000};
    /// The same again gives the same lease; minted where absent.
    std::optional<model::LeaseId> lease_id{};
};

struct TakenOver {
    model::LaneId lane;
    engine::TakenLease lease;
    std::string token{};
};

/// Why an execution is not running.
struct Explanation {
    ExecutionInfo info;
    /// What a person reads first.
    std::string summary{};
    std::string lane_state{};
    struct Worker {
        std::string worker_id{};
        std::string instance_id{};
        bool serves_lane = false;
        std::vector<std::string> missing_capabilities{};
    };
    std::vector<Worker> workers{};
    /// Budgets and quotas that decide about it, and what each says.
    struct Policy {
        std::string ref{};
        bool exhausted = false;
        std::string detail{};
    };
    std::vector<Policy> policies{};
};

/// Executions as submitters and operators see them. Lives on the context's loop; what it is made
/// from outlives it.
class Executions {
  public:
    static constexpr std::size_t kBatchMost = 1000;
    static constexpr std::size_t kPageMost = 1000;

    Executions(const Context& context, Indexes& indexes)
        : context_(context),
          indexes_(indexes),
          limits_(context),
          creations_(context.loop, context.store) {}

    Task<CreatedExecution> create(NewExecution request);
    /// Each on its own, in order; one call for each partition.
    boost::asio::awaitable<std::vector<Result<CreatedExecution>>> create_batch(
        std::vector<NewExecution> requests);

    /// `execution_not_found` here and below.
    Task<ExecutionInfo> get(model::ExecutionId id);
    /// The same with its policy and its life.
    Task<ExecutionInfo> describe(model::ExecutionId id);
    /// `not_found` if there is none.
    Task<Bytes> payload(model::ExecutionId id);
    Task<Bytes> input(model::ExecutionId id, std::string name);
    /// `not_found` unless the execution succeeded and left one.
    Task<Bytes> result(model::ExecutionId id);
    Task<ExecutionPage> list(ListRequest request);
    Task<IdPage> list_ids(std::uint16_t partition, std::string after, std::size_t limit);
    Task<Explanation> explain(model::ExecutionId id);
    /// From the first; `after` is the index of the last one seen.
    Task<RecordPage> attempts(model::ExecutionId id, std::string after, std::size_t limit);
    /// Oldest first; `after` is the stream id of the last one seen.
    Task<RecordPage> lease_history(model::ExecutionId id, std::string after, std::size_t limit);

    Task<Tags> tags(model::ExecutionId id);
    Task<std::int64_t> set_tags(model::ExecutionId id, Tags tags);
    Task<model::PublicState> cancel(CancelRequest request);
    Task<ChangedPriority> change_priority(model::ExecutionId id, std::int64_t priority);
    Task<model::PublicState> replay(ReplayRequest request);
    /// The finished member of a flow and its skipped descendants; gives their ids.
    Task<std::vector<std::string>> replay_subgraph(model::ExecutionId id, bool keep_steps);
    /// Creates children and gives the execution back until all of them have ended.
    Task<engine::CallChildren::Outcome> call_children(CallRequest request);
    Task<engine::ReadChildren::Outcome> children(engine::ReadChildren request);
    /// `no_active_lease` also where nobody ever had one.
    Task<RevokedLease> revoke_lease(model::ExecutionId id,
                                    std::optional<model::LeaseId> expected_lease_id,
                                    std::string reason);

    /// Ends the hold of an execution that was created with `initial_hold` and has no dependency
    /// left: `waiting`, or `delayed` if it is not due yet.
    Task<model::PublicState> release_hold(model::ExecutionId id);
    /// Of eligible work only; neither capabilities nor budgets nor quotas are asked.
    Task<TakenOver> take_over(TakeOver request);

  private:
    /// What is the same for all of a request that go to one lane and namespace.
    struct Site {
        std::optional<Result<sched::LaneConfig>> lane{};
        bool known = false;
    };
    /// The same entry; without what it is to be called if a limit that it names does not exist.
    Task<Indexes::Entry> with_limits(Indexes::Entry entry,
                                     std::vector<engine::CreateExecution>& operations);
    Task<sched::LaneConfig> open_lane(model::LaneId lane, model::Namespace ns);
    /// Takes the request's content and adds what is to be called.
    Result<Indexes::Entry> prepare(NewExecution& request, const sched::LaneConfig& lane,
                                   std::vector<engine::CreateExecution>& operations);
    /// The same, when the lane takes work and is known.
    Task<Indexes::Entry> prepare_at(Site& site, NewExecution& request,
                                    std::vector<engine::CreateExecution>& operations);
    Task<engine::CallChildren> prepare_call(CallRequest& request,
                                            std::vector<Indexes::Entry>& entries);
    model::ExecutionId place(const NewExecution& request);
    CreatedExecution entered(Indexes::Entry entry, const engine::CreateExecution::Outcome& outcome);
    /// Of those that were there before, what their own records say, if they can be read.
    boost::asio::awaitable<void> tell_lives(std::vector<CreatedExecution*> duplicates);
    Task<ExecutionPage> list_page(ListRequest request);
    Task<Done> tell_lives(std::vector<ListedExecution>& listed);
    Task<Done> must_exist(model::ExecutionId id);
    Task<Bytes> read_bytes(model::ExecutionId id, std::string key);

    const Context& context_;
    Indexes& indexes_;
    NamedLimits limits_;
    Creations creations_;
};

}  // namespace ff::service
