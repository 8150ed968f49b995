#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/random.h"
#include "base/task.h"
#include "engine/claim_batch.h"
#include "engine/complete_and_claim.h"
#include "engine/end_execution.h"
#include "model/solo_partition.h"
#include "sched/admission.h"
#include "sched/attachments.h"
#include "sched/bare_places.h"
#include "sched/claim_request.h"
#include "sched/claimer_options.h"
#include "sched/fair_shares.h"
#include "sched/lane_directory.h"
#include "sched/wake_board.h"
#include "store/store.h"

namespace ff::sched {

struct CompletedAndClaimed {
    /// One for each completion, in order.
    std::vector<Result<engine::CompleteExecution::Outcome>> completed{};
    std::vector<LaneTask> tasks{};
    /// Why there may be fewer tasks than there is work.
    std::optional<Error> claim_error{};
};

/// Claims work for workers: lanes and namespaces in fair order, partitions where work may be,
/// budgets and quotas asked before work that they govern starts; waits for work to arrive without
/// polling. Lives on one loop: construct, call and destroy it there.
class Claimer {
  public:
    Claimer(boost::asio::any_io_executor loop, const Clock& clock, Random& random,
            store::Store& store, const model::SoloPartitioner& partitioner, ClaimerOptions options);
    ~Claimer();

    /// No task at the end of the wait is an empty answer. `too_many_requests` when too many wait,
    /// `shutting_down` never: a stop ends waits with an empty answer.
    Task<std::vector<LaneTask>> claim(ClaimRequest request);
    /// Completes first, in one call for each partition, and claims what is asked for; nothing if
    /// `tasks_max` is 0. Completions are fenced, and none is undone by what becomes of the claim.
    boost::asio::awaitable<CompletedAndClaimed> complete_and_claim(
        ClaimRequest request, std::vector<engine::CompleteExecution> completions);
    /// Gives tasks back at once, without burning their attempts.
    Task<Done> give_back(std::vector<LaneTask> tasks);

    /// Work entered a lane's queue in a partition; `kind`: this concerns claims that ask for it.
    void on_wake(const std::string& lane, std::uint16_t partition, std::string_view kind = {});
    /// Wake-ups may have been lost.
    void on_gap();
    /// Ends all waits. No claim may follow.
    void stop();

    /// Over how many partitions the lane is spread.
    std::uint16_t spread_of(const model::LaneId& lane) const;
    std::size_t waiting() const { return board_.waiting(); }
    LaneDirectory& lanes() { return lanes_; }
    Attachments& attachments() { return attachments_; }
    Admission& admission() { return admission_; }

  private:
    /// A claim under way.
    struct Round {
        ClaimRequest request;
        WakeBoard::GroupKey group{};
        std::vector<LaneTask> tasks{};
        /// The mark that a repetition looks for has been left.
        bool marked = false;
        /// What was admitted for it had been used or given back by somebody else meanwhile.
        bool lost_race = false;

        std::size_t missing() const { return request.tasks_max - tasks.size(); }
        bool has(const model::ExecutionId& id) const;
    };
    struct Place {
        model::LaneId lane;
        std::uint16_t partition = 0;
    };
    struct Gates {
        std::vector<std::string> namespaces{};
        bool flows = false;
    };

    static Round round_for(ClaimRequest request);
    /// Sweeps until there is a task or the wait is over.
    Task<Done> fill(Round& round, Deadline until);
    Task<Done> sweep(Round& round);
    Task<Done> sweep_lane(Round& round, model::LaneId lane);
    Task<Done> claim_elsewhere(Round& round, model::LaneId lane, std::vector<std::uint16_t> places);
    /// Leaves those partitions of a lane where work may be, as far as is known.
    void leave_out_bare(const Round& round, const model::LaneId& lane,
                        std::vector<std::uint16_t>& places);
    /// The same after a look.
    Task<Done> survey(const Round& round, model::LaneId lane, std::vector<std::uint16_t>& places);
    Task<Done> look_through(const Round& of, model::LaneId lane, std::vector<std::uint16_t> places);
    Task<Done> claim_at(Round& round, std::vector<Place> places, std::size_t each);
    /// How things stood when a claim call was sent.
    struct Sent {
        std::uint64_t news = 0;
        /// It read the head of the queue only.
        bool shallow = false;
    };
    Task<Done> take_up(Round& round, Place place, engine::ClaimedBatch batch, Sent sent);
    Task<Done> claim_admitted(Round& round, Place place,
                              std::vector<engine::DeferredTask> deferred);
    Task<Done> account(Round& round, Place place, engine::ClaimedBatch& batch);

    /// True if there was an earlier claim with the same id, whose tasks are in the round then.
    Task<bool> collect_earlier(Round& round);
    Task<Done> collect_records(Round& round);
    Task<Done> add_with_lanes(Round& round, std::vector<engine::ClaimedTask> tasks);
    Task<Done> leave_mark(Round& round);
    std::uint16_t anchor_of(const ClaimRequest& request) const;
    /// Where a repetition looks for records, so that claims there leave no mark.
    std::vector<std::uint16_t> homes_of(const ClaimRequest& request) const;
    /// Those that the lane's solo work is spread over, the first one first.
    std::vector<std::uint16_t> own_partitions(const model::LaneId& lane) const;

    /// Completions of one partition, by their places in the request.
    using ByPartition = std::map<std::uint16_t, std::vector<std::size_t>>;
    Task<Done> complete(Round& round, std::vector<engine::CompleteExecution> completions,
                        std::vector<Result<engine::CompleteExecution::Outcome>>& results,
                        bool claims_too);
    /// Where completing and claiming can be one call: how many tasks are asked for, by partition.
    struct Shares {
        model::LaneId lane;
        std::map<std::uint16_t, std::size_t> tasks{};
    };
    Task<std::optional<Shares>> shares_of(const Round& round, const ByPartition& completed);
    Shares shared(const model::LaneId& lane, std::vector<std::uint16_t> places, std::size_t wanted);
    engine::CompleteAndClaim call_at(const Round& round, const std::optional<Shares>& shares,
                                     std::uint16_t partition);

    Task<Gates> gates(model::LaneId lane);
    engine::ClaimBatch batch_for(const Round& round, const Place& place, std::size_t tasks);
    void add_leases(engine::ClaimBatch& batch, std::size_t count);
    bool look_for_lost(const Place& place);
    bool reads_deep(const Place& place) const;
    static bool is_shallow(const engine::ClaimBatch& batch);

    boost::asio::awaitable<void> wait_for_work(Round& round, Deadline until);
    void wake(const std::vector<WakeBoard::WaiterId>& waiters);

    boost::asio::any_io_executor loop_;
    const Clock& clock_;
    Random& random_;
    store::Store& store_;
    const model::SoloPartitioner& partitioner_;
    ClaimerOptions options_;

    WakeBoard board_;
    BarePlaces bare_;
    FairShares lane_shares_{};
    /// By lane.
    std::map<std::string, FairShares> namespace_shares_{};
    /// By lane: who waits there, as the last call told.
    std::map<std::string, std::vector<std::string>> waiting_namespaces_{};
    /// When lost leases were last looked for, by lane and partition.
    std::map<std::pair<std::string, std::uint16_t>, Timestamp> lost_looked_at_{};
    /// Until when the head of a queue is known to hide what is wanted, by lane and partition.
    std::map<std::pair<std::string, std::uint16_t>, Timestamp> deep_until_{};
    std::uint64_t turns_ = 0;

    LaneDirectory lanes_;
    Attachments attachments_;
    Admission admission_;

    struct Waits;
    std::unique_ptr<Waits> waits_;
    bool stopped_ = false;
};

}  // namespace ff::sched
