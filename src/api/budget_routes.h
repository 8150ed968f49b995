#pragma once

#include "api/route.h"
#include "service/budgets.h"

namespace ff::api {

/// `/v1/budgets`. `budgets` outlives the table.
void add_budget_routes(Routes& routes, service::Budgets& budgets);

}  // namespace ff::api
