#pragma once

#include "cli/session.h"

namespace ff::cli {

/// An execution for a person: what it is, how it stands, when it did what, and under which policy.
void print_card(const Session& session, const flowfabric::ExecutionInfo& info);
/// Why an execution is not running: one sentence, then the evidence for it.
void print_explanation(const Session& session, const flowfabric::Explanation& why);

}  // namespace ff::cli
