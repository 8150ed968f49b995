#include "api/signal_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "api/stream_json.h"
#include "api/stream_query.h"
#include "hub/entry_id.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
constexpr TextLimits kName{.most = 1024};
constexpr IntegerLimits kCount{.least = 0};
constexpr std::string_view kBuffered = "buffered_for_pending_waitpoint";

struct Ground {
    service::Signals& signals;
    model::PartitionConfig partitions{};
};

Result<std::optional<Millis>> millis_if(const Fields& body, std::string_view name) {
    FF_TRY(const auto ms, body.integer_if(name, kCount));
    return ms ? std::optional(Millis(*ms)) : std::nullopt;
}

Result<Done> parse_origin(const Fields& body, service::NewSignal& signal) {
    FF_TRY(signal.name, body.text("signal_name", kName));
    FF_TRY(signal.category, body.text_or("signal_category", "", kName));
    FF_TRY(signal.source_type, body.text_or("source_type", "", kName));
    FF_TRY(signal.source_identity, body.text_or("source_identity", "", kName));
    FF_TRY(signal.correlation_id, body.text_or("correlation_id", "", kName));
    FF_TRY(auto payload, body.bytes_if("payload"));
    if (payload) signal.payload = *std::move(payload);
    FF_TRY(signal.payload_encoding, body.text_or("payload_encoding", "", kName));
    return Done{};
}

Result<service::NewSignal> parse_signal(const Ground& ground, Call& call) {
    FF_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    service::NewSignal signal{.execution_id = id};
    FF_CHECK(parse_origin(body, signal));
    FF_TRY(signal.waitpoint_id, body.id_if<model::WaitpointId>("waitpoint_id"));
    FF_TRY(signal.waitpoint_key, body.id_if<model::WaitpointKey>("waitpoint_key"));
    FF_TRY(signal.signal_id, body.id_if<model::SignalId>("signal_id"));
    FF_TRY(signal.idempotency_key, body.id_if<model::IdempotencyKey>("idempotency_key"));
    FF_TRY(signal.target_scope, body.text_or("target_scope", "", kName));
    FF_TRY(const auto created_at, body.integer_if("created_at", kCount));
    if (created_at) signal.created_at = timestamp_from_ms(*created_at);
    FF_TRY(signal.dedup_ttl, millis_if(body, "dedup_ttl_ms"));
    FF_TRY(const auto delay, millis_if(body, "resume_delay_ms"));
    signal.resume_delay = delay.value_or(Millis(0));
    FF_TRY(signal.history_max, body.integer_if("signal_maxlen", kCount));
    FF_TRY(signal.signals_max, body.integer_if("max_signals_per_execution", kCount));
    FF_TRY(signal.token, body.text_or("waitpoint_token", "", kName));
    return signal;
}

http::Response receipt_reply(const engine::SignalReceipt& receipt) {
    return json_response(200, [&](json::Writer& out) {
        if (receipt.duplicate) {
            out.key("status").string("duplicate");
            out.key("existing_signal_id").string(receipt.signal_id);
            return;
        }
        out.key("status").string("accepted").key("signal_id").string(receipt.signal_id);
        out.key("effect").string(receipt.effect);
        out.key("requires_confirmation").boolean(receipt.effect == kBuffered);
    });
}

/// What only those may say who have the API token: limits of the execution, and a waitpoint that
/// has to be looked for, which would tell others that it is there.
Result<Done> check_guest(const service::NewSignal& signal) {
    if (signal.token.empty()) return model::make_error("missing_token");
    if (!signal.waitpoint_id)
        return invalid_input("waitpoint_id", "is needed where no API token is sent");
    if (signal.history_max)
        return invalid_input("signal_maxlen", "may only be sent with the API token");
    if (signal.signals_max)
        return invalid_input("max_signals_per_execution", "may only be sent with the API token");
    return Done{};
}

/// Whether the execution exists is no guest's business before the token has been found to be good.
Error as_told_to_guests(Error error) {
    return error.code == "execution_not_found" ? model::make_error("invalid_token") : error;
}

Task<http::Response> deliver(Ground ground, Call& call) {
    FF_CO_TRY(service::NewSignal signal, parse_signal(ground, call));
    if (call.is_guest()) {
        FF_CO_CHECK(check_guest(signal));
    }
    const Result<engine::SignalReceipt> receipt =
        co_await ground.signals.deliver(std::move(signal));
    if (!receipt.has_value() && call.is_guest()) co_return as_told_to_guests(receipt.error());
    if (!receipt.has_value()) co_return receipt.error();
    co_return receipt_reply(*receipt);
}

Task<http::Response> approve(Ground ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_CO_TRY(model::WaitpointId waitpoint, body.id<model::WaitpointId>("waitpoint_id"));
    hub::Approval approval{.execution_id = id, .waitpoint_id = waitpoint};
    FF_CO_TRY(approval.signal_name, body.text("signal_name", {.least = 1, .most = 128}));
    FF_CO_TRY(approval.idempotency_suffix, body.text_or("idempotency_suffix", "", {.most = 100}));
    FF_CO_TRY(approval.actor, body.text_or("actor", "", kName));
    FF_CO_TRY(approval.dedup_ttl, millis_if(body, "dedup_ttl_ms"));
    FF_CO_TRY(const engine::SignalReceipt receipt,
              co_await ground.signals.approve(std::move(approval)));
    co_return receipt_reply(receipt);
}

Task<http::Response> resume(Ground ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_CHECK(body.matches_path("execution_id", id.to_string()));
    service::OperatorResume request{.execution_id = id};
    FF_CO_TRY(const auto delay, millis_if(body, "resume_delay_ms"));
    request.delay = delay.value_or(Millis(0));
    FF_CO_TRY(request.expected_suspension_id,
              body.id_if<model::SuspensionId>("expected_suspension_id"));
    FF_CO_TRY(request.actor, body.text_or("actor", "", kName));
    FF_CO_TRY(const std::string state, co_await ground.signals.resume(std::move(request)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("resumed").key("public_state").string(state);
    });
}

http::Response page_reply(const service::SignalPage& page) {
    return json_response(200, [&](json::Writer& out) {
        out.key("signals").begin_array();
        for (const service::SignalRecord& signal : page.signals) {
            out.begin_object();
            if (!signal.entry_id.empty()) out.key("entry_id").string(signal.entry_id);
            write_fields(out, signal.fields);
            out.end_object();
        }
        out.end_array().key("next_cursor");
        if (page.next) {
            out.string(*page.next);
        } else {
            out.null();
        }
    });
}

Task<http::Response> list(Ground ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    service::SignalQuery query{.execution_id = id};
    FF_CO_TRY(query.limit, parse_limit(call, 100));
    const std::string after = call.query("after").value_or("");
    if (!after.empty()) {
        auto parsed = model::SignalId::parse(after);
        if (!parsed.has_value()) co_return within_field(std::move(parsed).error(), "after");
        query.after = *parsed;
    }
    FF_CO_TRY(const service::SignalPage page, co_await ground.signals.list(std::move(query)));
    co_return page_reply(page);
}

Task<http::Response> list_of_waitpoint(Ground ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(model::WaitpointId waitpoint, parse_path<model::WaitpointId>(call, "wp"));
    service::WaitpointSignalQuery query{.execution_id = id, .waitpoint_id = waitpoint};
    FF_CO_TRY(query.limit, parse_limit(call, 100));
    query.after = call.query("after").value_or("");
    if (!query.after.empty() && !hub::EntryId::parse(query.after))
        co_return invalid_input("after", "is no entry id");
    FF_CO_TRY(const service::SignalPage page,
              co_await ground.signals.list_of_waitpoint(std::move(query)));
    co_return page_reply(page);
}

Route signal_route(Ground ground) {
    return {.method = "POST",
            .pattern = "/v1/executions/{id}/signal",
            .body = BodyClass::Medium,
            .own_credential = true,
            .doc = {.id = "signalExecution",
                    .summary = "Send a signal to a waitpoint, with its token",
                    .body = {{.name = "signal_name", .required = true, .example = "\"approved\""},
                             {.name = "waitpoint_id",
                              .about = "Or waitpoint_key, or "
                                       "target_scope execution"},
                             {.name = "waitpoint_key"},
                             {.name = "waitpoint_token", .about = "The credential"},
                             {.name = "signal_id", .about = "Minted if absent"},
                             {.name = "signal_category"},
                             {.name = "source_type"},
                             {.name = "source_identity"},
                             {.name = "payload", .kind = Kind::Bytes},
                             {.name = "payload_encoding"},
                             {.name = "correlation_id"},
                             {.name = "idempotency_key"},
                             {.name = "target_scope", .type = "waitpoint|execution"},
                             {.name = "created_at", .kind = Kind::Integer},
                             {.name = "dedup_ttl_ms", .kind = Kind::Integer},
                             {.name = "resume_delay_ms", .kind = Kind::Integer},
                             {.name = "signal_maxlen", .kind = Kind::Integer},
                             {.name = "max_signals_per_execution", .kind = Kind::Integer}},
                    .answer_type = "SignalReceipt",
                    .errors = {"missing_token", "invalid_token", "token_expired",
                               "ambiguous_target", "waitpoint_closed", "target_not_signalable",
                               "signal_limit_exceeded", "payload_too_large", "rate_limit_exceeded",
                               "concurrency_limit_exceeded"}},
            .handle = [ground](Call& call) { return deliver(ground, call); }};
}

Route approve_route(Ground ground) {
    return {.method = "POST",
            .pattern = "/v1/executions/{id}/approve",
            .body = BodyClass::Control,
            .audit = "execution.approve",
            .doc = {.id = "approveExecution",
                    .summary = "Signal a waitpoint as an operator, without its token",
                    .body = {{.name = "waitpoint_id", .required = true},
                             {.name = "signal_name", .required = true, .example = "\"approved\""},
                             {.name = "idempotency_suffix"},
                             {.name = "dedup_ttl_ms", .kind = Kind::Integer},
                             {.name = "actor"}},
                    .answer_type = "SignalReceipt",
                    .errors = {"waitpoint_not_found", "waitpoint_closed", "execution_not_found"}},
            .handle = [ground](Call& call) { return approve(ground, call); }};
}

Route resume_route(Ground ground) {
    return {.method = "POST",
            .pattern = "/v1/executions/{id}/resume",
            .body = BodyClass::Control,
            .audit = "execution.resume",
            .doc = {.id = "resumeExecution",
                    .summary = "End a suspension as an operator",
                    .body = {{.name = "resume_delay_ms", .kind = Kind::Integer},
                             {.name = "expected_suspension_id"},
                             {.name = "actor"}},
                    .answer_type = "ResumedExecution",
                    .errors = {"execution_not_found", "execution_not_suspended",
                               "resume_condition_not_met"}},
            .handle = [ground](Call& call) { return resume(ground, call); }};
}

}  // namespace

void add_signal_routes(Routes& routes, service::Signals& signals,
                       model::PartitionConfig partitions) {
    const Ground ground{.signals = signals, .partitions = partitions};
    routes.add(signal_route(ground));
    routes.add(approve_route(ground));
    routes.add(resume_route(ground));
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/signals",
                .doc = {.id = "listSignals",
                        .summary = "The signals an execution got, in order",
                        .query = {doc_limit("1..1000, 100 by default"),
                                  doc_query("after", "The last signal seen")},
                        .answer_type = "SignalPage",
                        .errors = {"execution_not_found", "invalid_cursor"}},
                .handle = [ground](Call& call) { return list(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/waitpoints/{wp}/signals",
                .doc = {.id = "listWaitpointSignals",
                        .summary = "The signals a waitpoint got, in their order there",
                        .query = {doc_limit("1..1000, 100 by default"),
                                  doc_query("after", "The last entry seen")},
                        .answer_type = "SignalPage",
                        .errors = {"execution_not_found", "waitpoint_not_found"}},
                .handle = [ground](Call& call) { return list_of_waitpoint(ground, call); }});
}

}  // namespace ff::api
