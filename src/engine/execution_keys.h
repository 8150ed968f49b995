#pragma once

#include <string>

#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::engine {

/// The keys a call about one execution names. `derived` fills the positions whose names the
/// functions work out themselves from the record (spec 00, section 4.1): what we would pass there
/// could be out of date, and costs bytes on every call.
struct ExecutionKeys {
    explicit ExecutionKeys(const model::ExecutionId& id)
        : exec(id), index(id.partition()), derived(exec.noop()) {}

    model::ExecKeys exec;
    model::IndexKeys index;
    std::string derived;
};

}  // namespace ff::engine
