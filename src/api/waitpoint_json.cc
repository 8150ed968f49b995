#include "api/waitpoint_json.h"

#include "api/approval_fields.h"
#include "api/fields.h"

namespace ff::api {

void write_time(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at) {
    if (at) out.key(name).integer(to_ms(*at));
}

namespace {

/// Nothing where no link was made.
void write_links(json::Writer& out, const std::vector<hub::ApprovalLinkFacts>& links) {
    if (links.empty()) return;
    out.key("links").begin_array();
    for (const hub::ApprovalLinkFacts& link : links) {
        out.begin_object();
        out.key("link_id").string(link.id);
        if (!link.label.empty()) write_bytes(out, "label", link.label);
        out.key("created_at").integer(to_ms(link.created_at));
        out.key("expires_at").integer(to_ms(link.expires_at));
        write_time(out, "revoked_at", link.revoked_at);
        if (!link.answer.empty()) out.key("answer").string(link.answer);
        write_time(out, "answered_at", link.answered_at);
        out.end_object();
    }
    out.end_array();
}

}  // namespace

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
    write_links(out, waitpoint.links);
}

}  // namespace ff::api
