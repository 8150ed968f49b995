#pragma once

#include <string>

#include "flowfabric/task.h"
#include "flowfabric/types.h"

namespace ff::sdk {

/// The body of a create; `config` when the policy is no JSON.
/// Appends the JSON of a request.
flowfabric::Result<flowfabric::Done> write_body(std::string& body,
                                                const flowfabric::NewExecution& execution);
flowfabric::Json tags_json(const flowfabric::Tags& tags);

// What replies say.
flowfabric::CreatedExecution created_of(const flowfabric::Json& reply);
flowfabric::ExecutionInfo info_of(flowfabric::Json reply);
flowfabric::ExecutionSummary summary_of(const flowfabric::Json& one);
flowfabric::Waitpoint waitpoint_of(const flowfabric::Json& one);
flowfabric::SignalReceipt receipt_of(const flowfabric::Json& reply);
flowfabric::Frame frame_of(const flowfabric::Json& one);
flowfabric::FramePage frames_of(const flowfabric::Json& reply);
flowfabric::UsageResult usage_of(const flowfabric::Json& one);
flowfabric::ReceivedSignal signal_of(const flowfabric::Json& one);

}  // namespace ff::sdk
