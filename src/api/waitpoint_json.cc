#include "api/waitpoint_json.h"

#include "api/approval_fields.h"
#include "api/fields.h"

namespace ff::api {

void write_time(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at) {
    if (at) out.key(name).integer(to_ms(*at));
}

void write_waitpoint(json::Writer& out, const model::ExecutionId& execution,
                     const hub::OpenWaitpoint& waitpoint) {
    out.key("execution_id").string(execution.to_string());
    out.key("waitpoint_id").string(waitpoint.id.to_string());
    write_bytes(out, "waitpoint_key", waitpoint.key);
    out.key("state").string(waitpoint.state);
    if (waitpoint.token) out.key("waitpoint_token").string(waitpoint.token->reveal());
    out.key("token_kid").string(waitpoint.token_kid);
    out.key("token_fingerprint").string(waitpoint.token_fingerprint);
    out.key("required_signal_names").begin_array();
    for (const std::string& name : waitpoint.required_signal_names) out.string(name);
    out.end_array();
    write_time(out, "created_at", waitpoint.created_at);
    write_time(out, "activated_at", waitpoint.activated_at);
    write_time(out, "expires_at", waitpoint.expires_at);
    write_approval(out, waitpoint.question);
}

}  // namespace ff::api
