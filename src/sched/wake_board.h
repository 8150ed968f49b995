#pragma once

#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/kind_set.h"

namespace ff::sched {

/// Knows, for each group of claimers that want the same, where work may be, and who waits for it
/// longest. Decides only: the claim loop sweeps and sleeps. A pair of lane and partition is
/// "maybe" until a claim call found it empty and armed its wake-up.
///
/// Lives on the scheduler's loop.
class WakeBoard {
  public:
    struct GroupKey {
        std::string wants{};
        /// A line for each kind that the group takes; empty: any.
        std::string kinds{};
        auto operator<=>(const GroupKey&) const = default;
    };
    using WaiterId = std::uint64_t;

    explicit WakeBoard(std::uint16_t partitions) : partitions_(partitions) {}

    struct GroupLimits {
        std::size_t groups_max = 1024;
    };

    /// The partitions of a lane that may hold work for the group, in their order from `start` on.
    std::vector<std::uint16_t> maybe(const GroupKey& group, const std::string& lane,
                                     std::uint16_t start);
    /// How often the group was told of new work. Whoever claims notes it first: what it finds
    /// empty, and its right to sleep, count only if nothing was told since.
    std::uint64_t news(const GroupKey& group);
    /// A claim call that was sent when the news stood at `known` found nothing and armed the lane.
    void found_empty(const GroupKey& group, const std::string& lane, std::uint16_t partition,
                     std::uint64_t known);
    bool is_maybe(const GroupKey& group, const std::string& lane, std::uint16_t partition);

    /// Work entered: the groups of the lane that armed for it look there again. Returns whom to
    /// wake: the longest waiting of each. A message with a kind is for groups that ask for this
    /// kind, one without for those that take any.
    std::vector<WaiterId> on_wake(const std::string& lane, std::uint16_t partition,
                                  std::string_view kind = {});
    /// Messages may have been lost: everybody looks everywhere.
    std::vector<WaiterId> on_gap();

    WaiterId wait(const GroupKey& group);
    /// A waiter went: woken, served or given up. It need not be waiting any more.
    void leave(WaiterId waiter);
    /// The one to follow a claim of the group that left work behind, if anybody waits.
    std::vector<WaiterId> next_waiter(const GroupKey& group);
    std::size_t waiting() const { return waiting_.size(); }

    static GroupKey group_key(std::vector<std::string> lanes, const std::string& capabilities_csv,
                              const std::string& only_namespace, const model::KindSet& kinds = {});

  private:
    struct Group {
        model::KindSet kinds{};
        /// By lane: one flag for each partition, true = maybe.
        std::map<std::string, std::vector<bool>> lanes{};
        /// In order of arrival; woken ones have left.
        std::list<WaiterId> waiters{};
        std::uint64_t last_use = 0;
        std::uint64_t news = 0;
    };
    struct Waiting {
        Group* group = nullptr;
        /// Nothing once it was woken: then the group may be gone.
        std::optional<std::list<WaiterId>::iterator> place{};
    };
    Group& group(const GroupKey& key);
    std::vector<bool>& flags(Group& group, const std::string& lane);
    void take_first(Group& group, std::vector<WaiterId>& out);
    /// Its place in line is free, and nobody may be left in it.
    void step_out(Waiting& waiting);
    void forget_unused();

    std::uint16_t partitions_;
    GroupLimits limits_{};
    std::map<GroupKey, Group> groups_{};
    /// Who looks where: a message reaches those of its lane alone, however many others wait.
    std::map<std::string, std::set<Group*>> groups_of_lane_{};
    std::map<WaiterId, Waiting> waiting_{};
    /// Groups without a waiter.
    std::size_t idle_groups_ = 0;
    WaiterId next_id_ = 1;
    std::uint64_t uses_ = 0;
};

}  // namespace ff::sched
