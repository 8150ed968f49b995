#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "flowfabric/steps.h"

namespace ff::cli {

/// All steps that an execution has recorded, in the order of writing.
flowfabric::Result<std::vector<flowfabric::Step>> read_all_steps(
    const flowfabric::AdminClient& client, const std::string& id);

/// As the API writes them: `value` is text, `value_base64` other bytes.
flowfabric::Json steps_json(const std::vector<flowfabric::Step>& steps);

/// A row for each: its value where that is text, and never more of it than fits a line.
void print_steps(const Session& session, const std::vector<flowfabric::Step>& steps);

}  // namespace ff::cli
