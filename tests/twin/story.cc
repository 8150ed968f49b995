#include "twin/story.h"

#include <algorithm>

namespace ff::twin {
namespace {

constexpr std::size_t kPartitions = 3;
/// Then its content is compared and deleted, and another one takes its place.
constexpr std::uint64_t kPartitionSteps = 400;
constexpr std::uint64_t kSingleCallsMax = 250;
constexpr std::uint64_t kBatchCallsMax = 150;
/// About so many tasks are created in one chapter, whatever their size.
constexpr std::uint64_t kChapterTasks = 350;
constexpr std::uint64_t kCompareOneIn = 2000;
constexpr std::uint64_t kSizes[] = {1, 1, 2, 3, 5, 8, 16, 24, 48, 100, 240, 500, 1000};

}  // namespace

Story::Story(TwinHost& host, std::uint64_t seed)
    : host_(host), world_(host, seed), batches_(world_), actions_(all_actions()) {}

Partition& Story::partition() {
    while (partitions_.size() < kPartitions) {
        partitions_.push_back({.tag = "{fp:" + std::to_string(next_tag_++) + "}"});
    }
    // Batches all go to the first, as a lane of a busy partition gets them.
    Partition& chosen = partitions_[in_batches_ ? 0 : world_.below(kPartitions)];
    if (++chosen.age < kPartitionSteps) return chosen;
    if (&chosen == &partitions_.front()) batches_.forget();
    host_.retire(chosen.tag);
    chosen = Partition{.tag = "{fp:" + std::to_string(next_tag_++) + "}"};
    return chosen;
}

void Story::begin_chapter() {
    in_batches_ = world_.one_in(2);
    if (!in_batches_) {
        chapter_left_ = 1 + world_.below(kSingleCallsMax);
        return;
    }
    const std::uint64_t size = world_.one_in(8) ? 1 + world_.below(Batches::kTasksMax)
                                                : kSizes[world_.below(std::size(kSizes))];
    batches_.set_size(size);
    chapter_left_ = 1 + std::min(kBatchCallsMax, kChapterTasks * (1 + world_.below(3)) / size);
}

void Story::single(Partition& partition) {
    Task& task = world_.task(partition);
    world_.look(task);
    if (world_.one_in(5)) return world_.pick(actions_.idle())(world_, partition, task);
    if (world_.one_in(10)) return world_.pick(actions_.all())(world_, partition, task);
    const std::vector<Action>& fitting = actions_.of(task.stage);
    if (!fitting.empty()) world_.pick(fitting)(world_, partition, task);
}

void Story::tend() {
    if (world_.one_in(300)) host_.pass(std::chrono::seconds(world_.below(40)));
    if (world_.one_in(60)) host_.expire_due();
    if (world_.one_in(kCompareOneIn)) host_.compare();
}

void Story::run(std::uint64_t calls) {
    while (host_.function_calls() < calls) {
        if (chapter_left_ == 0) begin_chapter();
        --chapter_left_;
        Partition& chosen = partition();
        if (in_batches_) {
            batches_.step(chosen);
        } else {
            single(chosen);
        }
        tend();
    }
    host_.compare();
}

}  // namespace ff::twin
