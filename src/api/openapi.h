#pragma once

#include <string>

#include "api/route.h"

namespace ff::api {

/// The OpenAPI 3.1 description of the table, as JSON.
std::string openapi_document(const Routes& routes, const std::string& version);

/// `GET /openapi.json`, which describes the whole table and itself. The table outlives its routes
/// and is complete when the first request comes.
void add_openapi_route(Routes& routes, std::string version);

}  // namespace ff::api
