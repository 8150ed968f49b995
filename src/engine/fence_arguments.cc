#include "engine/fence_arguments.h"

namespace ff::engine {

void write_fence(CallWriter& to, const std::optional<Fence>& fence) {
    to.arg("lease_id", fence ? fence->lease_id.to_string() : std::string());
    to.arg("lease_epoch", fence ? fence->lease_epoch.to_string() : std::string());
    to.arg("attempt_id", fence ? fence->attempt_id.to_string() : std::string());
}

void write_source(CallWriter& to, const std::optional<Fence>& fence) {
    to.arg("source", fence ? "" : "operator_override");
}

}  // namespace ff::engine
