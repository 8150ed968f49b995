#include "sched/kind_sorting.h"

#include <utility>

#include "engine/claim_batch.h"
#include "engine/operation.h"

namespace ff::sched {
namespace {

constexpr int kCallsMost = 1024;

}  // namespace

Task<Done> sort_by_kind(store::Store& store, model::LaneId lane, std::uint16_t partition,
                        std::function<bool()> stop) {
    for (int calls = 0; calls < kCallsMost && !stop(); ++calls) {
        engine::IndexKinds more{.partition = model::PartitionKey::flow(partition), .lane = lane};
        FF_CO_TRY(const engine::IndexKinds::Outcome state,
                  co_await engine::run(store, std::move(more)));
        if (state == engine::IndexKinds::Outcome::Complete) break;
    }
    co_return Done{};
}

}  // namespace ff::sched
