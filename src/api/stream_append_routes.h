#pragma once

#include "api/route.h"
#include "api/stream_routes.h"

namespace ff::api {

/// Frames of workers, and annotations of operators (spec 04, section 12.2).
void add_stream_append_routes(Routes& routes, StreamGround ground);

}  // namespace ff::api
