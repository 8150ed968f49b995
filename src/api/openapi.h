#pragma once

#include <string>

#include "api/route.h"

namespace ff::api {

/// The OpenAPI 3.1 description of the table, as JSON. `server` is the URL of the server.
std::string openapi_document(const Routes& routes, const std::string& version,
                             const std::string& server);

/// `GET /openapi.json`, which describes the whole table and itself. The table outlives its routes
/// and is complete when the first request comes.
void add_openapi_route(Routes& routes, std::string version, std::string server);

}  // namespace ff::api
