#pragma once

#include "api/route.h"
#include "service/overview.h"

namespace ff::api {

/// How the server is doing, in one answer.
void add_overview_routes(Routes& routes, service::Overview& overview);

}  // namespace ff::api
