#include "engine/fence_arguments.h"

namespace ff::engine {

void write_fence(CallWriter& to, const std::optional<Fence>& fence) {
    if (!fence) {
        for (const std::string_view name : {"lease_id", "lease_epoch", "attempt_id"})
            to.arg(name, std::string_view());
        return;
    }
    to.arg("lease_id", fence->lease_id);
    to.arg("lease_epoch", fence->lease_epoch.to_string());
    to.arg("attempt_id", fence->attempt_id);
}

void write_source(CallWriter& to, const std::optional<Fence>& fence) {
    to.arg("source", fence ? "" : "operator_override");
}

}  // namespace ff::engine
