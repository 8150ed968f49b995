#pragma once

#include "base/error.h"
#include "http/message.h"

namespace ff::api {

/// The answer to a refusal or a failure: status and class as the catalogue of codes says, the error
/// body, and `Retry-After` where trying again later is the answer.
http::Response error_reply(Error error);

/// The same with another status, for a route that renders a code in its own way.
http::Response error_reply(unsigned status, Error error);

}  // namespace ff::api
