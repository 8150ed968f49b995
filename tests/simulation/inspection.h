#pragma once

#include <string>

#include "simulation/ledger.h"
#include "simulation/plan.h"
#include "simulation/store_process.h"

namespace ff::simulation {

/// Holds what the store has at the end against the ledger: everything acknowledged is there as it
/// was acknowledged, and nothing is left over.
void inspect(StoreProcess& process, Ledger& ledger, const Plan& plan);

/// The state of an execution in one line, for whoever reads a failure.
std::string describe_execution(StoreProcess& process, const std::string& id);

}  // namespace ff::simulation
