#pragma once

#include "api/route.h"
#include "service/quotas.h"

namespace ff::api {

/// `/v1/quotas`. `quotas` outlives the table.
void add_quota_routes(Routes& routes, service::Quotas& quotas);

}  // namespace ff::api
