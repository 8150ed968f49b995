#pragma once

#include "api/call.h"
#include "api/route.h"

namespace ff::api {

/// Refuses what nobody would read: members of the body and parameters of the query that the
/// description of the route does not name, with the name that was probably meant. The handler
/// checks objects within the body (Fields::only), because only it knows them.
///
/// An id of the path may stand in the body as well, and must be the same there.
Result<Done> check_names(Call& call, const Route& route);

}  // namespace ff::api
