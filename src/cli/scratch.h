#pragma once

#include <string>
#include <string_view>

#include "flowfabric/client.h"

namespace ff::cli {

/// For executions of ours that nobody wants to find later: purged with the next round of the
/// retention trimmer.
constexpr std::string_view kScratchPolicy = R"({"retention_ms":1})";

/// Takes a lane that only such executions used off the server again.
flowfabric::Result<flowfabric::Done> remove_lane(const flowfabric::AdminClient& client,
                                                 const std::string& lane);

}  // namespace ff::cli
