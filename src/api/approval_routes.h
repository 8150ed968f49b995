#pragma once

#include "api/route.h"
#include "service/approvals.h"

namespace ff::api {

/// What people are asked, over all executions.
void add_approval_routes(Routes& routes, service::Approvals& approvals);

}  // namespace ff::api
