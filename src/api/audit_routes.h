#pragma once

#include "api/pool.h"
#include "api/route.h"
#include "service/audit.h"

namespace ff::api {

/// `GET /v1/admin/audit`, as JSON or events. Service and pools outlive it.
void add_audit_routes(Routes& routes, service::Audit& audit, Pools& pools);

}  // namespace ff::api
