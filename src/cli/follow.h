#pragma once

#include <string>

#include "cli/session.h"

namespace ff::cli {

/// Prints the output of an execution while it runs, attempt after attempt, until it has ended.
flowfabric::Result<flowfabric::Done> follow_output(const Session& session,
                                                   const flowfabric::AdminClient& client,
                                                   const std::string& id);

}  // namespace ff::cli
