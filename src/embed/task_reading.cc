#include "embed/task_reading.h"

#include <utility>

namespace ff::embed {

sdk::HotTask task_of(engine::ClaimedTask&& claimed, model::LaneId&& lane, Millis ttl) {
    sdk::HotTask task{
        .payload = std::move(claimed.payload),
        .payload_omitted = claimed.payload_state == engine::ClaimedTask::PayloadState::Omitted};
    flowfabric::TaskInfo& info = task.info;
    info.execution_id = claimed.execution_id.to_string();
    info.ns = std::move(claimed.ns);
    info.lane = std::move(lane).take_text();
    info.kind = std::move(claimed.execution_kind);
    info.flow_id = std::move(claimed.flow_id);
    info.priority = static_cast<int>(claimed.priority);
    info.created_at = to_ms(claimed.created_at);
    info.attempt_index = claimed.attempt_index.value;
    info.attempt_id = claimed.fence.attempt_id.to_string();
    info.attempt_type = std::move(claimed.attempt_type);
    info.lease_id = claimed.fence.lease_id.to_string();
    info.lease_epoch = static_cast<std::int64_t>(claimed.fence.lease_epoch.value);
    info.lease_ttl = ttl;
    info.tags = {claimed.tags.begin(), claimed.tags.end()};
    info.payload_encoding = std::move(claimed.payload_encoding);
    info.suspension_id = std::move(claimed.suspension_id);
    info.continuation = std::move(claimed.continuation);
    return task;
}

}  // namespace ff::embed
