#pragma once

#include <functional>

#include "base/json.h"
#include "http/message.h"

namespace ff::api {

/// An answer whose body is one JSON object; `fill` writes its members.
http::Response json_response(unsigned status, const std::function<void(json::Writer&)>& fill);

}  // namespace ff::api
