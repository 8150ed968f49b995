#pragma once

#include <string>

#include "api/route.h"
#include "model/partition.h"
#include "service/approvals.h"

namespace ff::api {

/// Where approval links lead, below the address under which people reach this server.
inline constexpr std::string_view kApprovalPages = "/approve/";

struct LinkGround {
    service::Approvals& approvals;
    model::PartitionConfig partitions{};
    /// Without a slash at its end; empty where nobody reaches this server over HTTP.
    std::string public_url{};
};

/// Making and ending the links by which people answer (chapter 03 section 3.8).
void add_link_routes(Routes& routes, LinkGround ground);

}  // namespace ff::api
