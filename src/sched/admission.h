#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "engine/admission_block.h"
#include "engine/claim_batch.h"
#include "engine/quota.h"
#include "model/partition.h"
#include "sched/attachments.h"
#include "store/store.h"

namespace ff::sched {

/// The budgets and quotas that decide about one execution.
struct AdmissionSubject {
    model::ExecutionId execution_id;
    model::LaneId lane;
    std::string ns{};
    std::string flow_id{};
    std::set<std::string> budget_ids{};
    std::set<std::string> quota_ids{};
    std::int64_t admission_epoch = 1;
};

/// Asks budgets, then quotas, whether work may start; what is refused is taken out of its queue
/// with the reason. A store error admits nobody and blocks nobody. Lives on one loop.
class Admission {
  public:
    Admission(const Clock& clock, store::Store& store, model::PartitionConfig partitions,
              Attachments& attachments)
        : clock_(clock), store_(store), partitions_(partitions), attachments_(attachments) {}

    struct Admitted {
        model::ExecutionId execution_id;
        std::int64_t admission_epoch = 1;
        /// All quotas that count it now.
        std::vector<std::string> quota_ids{};
        /// Those that did not count it before this call: the run that does not start gives its rate
        /// slot back as well.
        std::vector<std::string> newly_counted_by{};
    };

    /// Fills in what is attached to the scopes of a deferred task.
    Task<std::vector<AdmissionSubject>> subjects(model::LaneId lane,
                                                 std::vector<engine::DeferredTask> deferred);
    /// Those of the subjects that may start; the others are blocked by now.
    Task<std::vector<Admitted>> admit(std::vector<AdmissionSubject> subjects);
    /// Those of the budgets that let no further work start, with the reason.
    Task<std::map<std::string, std::string>> exhausted_budgets(std::set<std::string> ids);
    /// Gives back the places of work that did not start after all. Its admission is made void
    /// first, so that nobody starts it with a place that is gone; one that somebody else has used
    /// by now stays.
    Task<Done> roll_back(std::vector<Admitted> admitted);

  private:
    struct Refusal {
        AdmissionSubject subject;
        engine::AdmissionBlock block = engine::AdmissionBlock::Budget;
        std::string ref{};
        std::string detail{};
    };
    /// Subjects that passed, and the quotas that count them by now.
    struct Candidate {
        AdmissionSubject subject;
        std::vector<std::string> counted_by{};
        std::vector<std::string> newly_counted_by{};
    };

    Task<Done> ask_quota(std::string quota_id, std::vector<Candidate>& candidates,
                         std::vector<Refusal>& refusals);
    Task<std::string> quota_detail(std::string quota_id, engine::AdmissionVerdict verdict);
    Task<std::vector<Admitted>> voided(std::vector<Admitted> admitted);
    Task<Done> block(std::vector<Refusal> refusals);
    void warn_unknown(const std::string& ref);

    const Clock& clock_;
    store::Store& store_;
    model::PartitionConfig partitions_;
    Attachments& attachments_;
    /// When an unknown policy was last complained about.
    std::map<std::string, Timestamp> warned_{};
};

}  // namespace ff::sched
