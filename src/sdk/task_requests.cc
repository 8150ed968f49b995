#include "sdk/task_requests.h"

#include "sdk/public_error.h"
#include "sdk/words.h"

namespace ff::sdk {

using flowfabric::Json;
using flowfabric::Result;

Result<Json> with_lease(TaskState& task, std::string_view operation, std::string_view rest,
                        Json body) {
    body.set("lease", lease_json(task.lease()));
    return post_json(*task.door, operation, execution_path(task.info.execution_id, rest), body);
}

Result<Json> ending(TaskState& task, std::string_view operation, std::string_view rest, Json body) {
    if (task.has_ended())
        return flowfabric::config_error(std::string(operation) +
                                        " on a task that has ended: " + task.info.execution_id);
    Result<Json> reply = with_lease(task, operation, rest, std::move(body));
    if (reply || reply.error().answered()) task.end();
    return reply;
}

}  // namespace ff::sdk
