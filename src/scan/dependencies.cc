#include "scan/dependencies.h"

#include <utility>

#include "engine/flow_resolve.h"
#include "scan/places.h"

namespace ff::scan {

boost::asio::awaitable<void> DependencyReconciler::cycle(Cycle& cycle) {
    walk_.begin(places_of(cycle, &model::LaneKeys::blocked_dependencies), "+inf");
    while (walk_.more() && !cycle.stopping()) {
        const std::vector<WalkMember> members = co_await walk_.next(cycle);
        std::vector<model::ExecutionId> ids;
        for (const WalkMember& one : members) {
            const auto id = model::ExecutionId::parse(one.member);
            if (id) ids.push_back(*id);
            if (!id) cycle.malformed(one.member, id.error());
        }
        ids = co_await cycle.matching(std::move(ids));
        std::vector<Work<engine::ReconcileDependencies>> work;
        for (const model::ExecutionId& id : ids) {
            work.push_back({.item = id.to_string(), .operation = {.execution_id = id}});
        }
        co_await act(cycle, std::move(work));
    }
}

}  // namespace ff::scan
