#include <map>

#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "service/executions.h"

namespace ff::service {

Task<engine::CallChildren> Executions::prepare_call(CallRequest& request,
                                                    std::vector<Indexes::Entry>& entries) {
    FF_CO_TRY(const ExecutionInfo parent, co_await get(request.execution_id));
    FF_CO_TRY(const model::Namespace ns, model::Namespace::parse(parent.ns));
    FF_CO_TRY(const model::LaneId own_lane, model::LaneId::parse(parent.lane_id));
    engine::CallChildren call{.execution_id = request.execution_id,
                              .fence = request.fence,
                              .continue_on_failure = request.continue_on_failure,
                              .steps = std::move(request.steps)};
    std::map<std::string, Site> sites;  // by lane
    for (CalledExecution& child : request.children) {
        NewExecution wanted{.partition = request.execution_id.partition_index(),
                            .ns = ns,
                            .lane = child.lane.value_or(own_lane),
                            .execution_kind = std::move(child.execution_kind),
                            .payload = LentBytes(std::move(child.payload)),
                            .payload_encoding = std::move(child.payload_encoding),
                            .priority = child.priority,
                            .tags = std::move(child.tags),
                            .policy_json = std::move(child.policy_json)};
        std::vector<engine::CreateExecution> operations;
        Site& site = sites[wanted.lane.text()];
        FF_CO_TRY(Indexes::Entry entry, co_await prepare_at(site, wanted, operations));
        if (!child.allow_missing_budget) {
            FF_CO_TRY(entry, co_await with_limits(std::move(entry), operations));
        }
        call.children.push_back(
            {.name = std::move(child.name), .execution = std::move(operations.front())});
        entries.push_back(std::move(entry));
    }
    co_return call;
}

Task<engine::CallChildren::Outcome> Executions::call_children(CallRequest request) {
    std::vector<Indexes::Entry> entries;
    FF_CO_TRY(engine::CallChildren call, co_await prepare_call(request, entries));
    FF_CO_TRY(engine::CallChildren::Outcome outcome,
              co_await engine::run(context_.store, std::move(call)));
    for (std::size_t i = 0; i < entries.size() && i < outcome.children.size(); ++i) {
        // The function decides what a child is called; what was known already stands where it was.
        entries[i].execution_id = outcome.children[i].second;
        entries[i].created_at = context_.clock.now();
        if (!outcome.replayed) indexes_.add(std::move(entries[i]));
    }
    co_return outcome;
}

Task<engine::ReadChildren::Outcome> Executions::children(engine::ReadChildren request) {
    co_return co_await engine::run(context_.store, std::move(request));
}

}  // namespace ff::service
