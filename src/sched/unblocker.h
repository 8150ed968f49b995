#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "engine/admission_block.h"
#include "model/capability_set.h"
#include "model/ids.h"
#include "model/partition.h"
#include "sched/admission.h"
#include "sched/lane_directory.h"
#include "store/store.h"

namespace ff::sched {

/// Puts work back into its queue when what held it back is gone (spec 06, section 8.3). Remembers
/// where it stopped in each index, so that what stays blocked never hides the rest. Lives on one
/// loop; one pass at a time.
class Unblocker {
  public:
    Unblocker(store::Store& store, model::PartitionConfig partitions, LaneDirectory& lanes,
              Admission& admission)
        : store_(store), partitions_(partitions), lanes_(lanes), admission_(admission) {}

    /// The free places of quotas are counted anew from here on.
    void begin_round() { room_.clear(); }

    /// Every blocked index of a lane in a partition, page after page. The outcome counts what runs
    /// again.
    Task<std::size_t> pass(std::uint16_t partition, model::LaneId lane);

    /// What `ff:admission:freed` announces, `budget:<id>` or `quota:<id>`: looks at once wherever
    /// these lanes have work that waits for a policy of that kind. Begins a round.
    Task<std::size_t> freed(std::string ref, std::vector<std::uint16_t> partitions,
                            std::vector<model::LaneId> lanes);

  private:
    /// A blocked execution, as its record says.
    struct Blocked {
        model::ExecutionId execution_id;
        std::string ns{};
        std::string flow_id{};
        std::string budget_ids_csv{};
        std::string quota_policy_id{};
        std::string required_csv{};
        std::string reason{};
        std::string ref{};
    };
    struct Worker {
        std::vector<std::string> lanes{};
        model::CapabilitySet capabilities{};
    };
    using Place = std::pair<std::uint16_t, model::LaneId>;
    using PageOf = Task<std::size_t> (Unblocker::*)(Place place);

    /// From where the last pass stopped to the end of the index, or for so many pages.
    Task<std::size_t> pages(Place place, std::string index_key, PageOf page);

    Task<std::vector<Blocked>> next_page(std::string index_key);
    Task<std::vector<Blocked>> with_records(std::vector<model::ExecutionId> ids);
    Task<std::size_t> pass_budget(Place place);
    Task<std::size_t> pass_suspended(Place place);
    Task<std::size_t> pass_quota(Place place);
    Task<std::size_t> pass_route(Place place);
    Task<std::size_t> pass_lane_policy(Place place);

    /// Those whose every budget has room again.
    Task<std::vector<Blocked>> with_budget_room(model::LaneId lane, std::vector<Blocked> blocked);
    Task<std::size_t> free_places(std::string quota_id);
    Task<std::vector<Worker>> live_workers(std::string ns);
    Task<std::size_t> unblock(engine::AdmissionBlock block, std::vector<Blocked> ready);

    store::Store& store_;
    model::PartitionConfig partitions_;
    LaneDirectory& lanes_;
    Admission& admission_;
    /// By index: the score behind which the next page begins, and how many of that score were seen.
    struct Cursor {
        std::string score = "-inf";
        std::size_t skip = 0;
    };
    std::map<std::string, Cursor> cursors_{};
    /// By quota: how many more may run in this round.
    std::map<std::string, std::size_t> room_{};
};

}  // namespace ff::sched
