#pragma once

#include "flowfabric/flows.h"
#include "flowfabric/limits.h"
#include "flowfabric/operations.h"

namespace ff::sdk {

// What replies say about flows, limits and the server.
flowfabric::FlowInfo flow_of(flowfabric::Json reply);
flowfabric::FlowMember member_of(const flowfabric::Json& one);
flowfabric::FlowEdge edge_of(const flowfabric::Json& one);
flowfabric::FlowGroup group_of(const flowfabric::Json& one);
flowfabric::CancelledFlow cancelled_flow_of(flowfabric::Json reply);
flowfabric::BudgetInfo budget_of(flowfabric::Json reply);
flowfabric::QuotaInfo quota_of(flowfabric::Json reply);
flowfabric::Lane lane_of(const flowfabric::Json& one);
flowfabric::WorkerInfo worker_of(const flowfabric::Json& one);
flowfabric::Grant grant_of(const flowfabric::Json& reply);

/// The numbers of an object by name.
flowfabric::Amounts amounts_of(const flowfabric::Json& object);
flowfabric::Json amounts_json(const flowfabric::Amounts& amounts);

}  // namespace ff::sdk
