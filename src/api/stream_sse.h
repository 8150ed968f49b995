#pragma once

#include "api/stream_json.h"
#include "api/stream_routes.h"
#include "hub/stream_hub.h"

namespace ff::api {

/// A tail as the query and the headers of a call ask for it.
struct TailQuery {
    hub::TailRequest request;
    PayloadForm form = PayloadForm::TextWhereItIs;
    /// Nothing is filtered away, so that a hole is a loss.
    bool sees_all = true;
};

/// The frames of an attempt as they come, until its stream closes.
Task<http::Response> tail_events(StreamGround ground, Call& call, TailQuery query);
/// The frames of all attempts as they come, until the execution ends.
Task<http::Response> merged_events(StreamGround ground, Call& call, service::MergedRequest request);

}  // namespace ff::api
