#include "api/stream_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/sse.h"
#include "api/stream_json.h"
#include "api/stream_query.h"
#include "api/stream_sse.h"
#include "api/until_gone.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
constexpr std::string_view kAttempt = "/v1/executions/{id}/attempts/{idx}";

Task<http::Response> read_range(StreamGround ground, Call& call) {
    FF_CO_TRY(const engine::StreamAddress stream, parse_stream(call, ground.partitions));
    FF_CO_TRY(const PayloadForm form, parse_payload_form(call));
    engine::ReadAttemptStream request{.stream = stream};
    FF_CO_TRY(request.from_id, parse_bound(call, "from", "-"));
    FF_CO_TRY(request.to_id, parse_bound(call, "to", "+"));
    FF_CO_TRY(request.count_max, parse_limit(call, 100));
    FF_CO_TRY(request.exclude_best_effort, parse_visibility(call));
    request.frame_types_csv = call.query("types").value_or("");
    FF_CO_TRY(const Pool::Permit permit, ground.pools.stream_ops.take());
    FF_CO_TRY(const engine::ReadAttemptStream::Outcome page,
              co_await ground.streams.read(std::move(request)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("frames").begin_array();
        for (const engine::StreamEntry& frame : page.entries) write_frame(out, frame, form);
        out.end_array().key("count").unsigned_integer(page.entries.size());
        out.key("next").string(page.next_id.empty() ? "0-0" : page.next_id);
        out.key("more").boolean(page.more);
        if (!page.more) write_closed(out, page.state.closed_at, page.state.closed_reason);
    });
}

Result<TailQuery> parse_tail(const StreamGround& ground, const Call& call) {
    FF_TRY(const engine::StreamAddress stream, parse_stream(call, ground.partitions));
    TailQuery query{.request = {.stream = stream}};
    FF_TRY(query.form, parse_payload_form(call));
    query.request.after = call.query("after").value_or("0-0");
    FF_TRY(query.request.until, parse_block(call));
    FF_TRY(query.request.count_max, parse_limit(call, 50));
    FF_TRY(query.request.exclude_best_effort, parse_visibility(call));
    query.request.frame_types_csv = call.query("types").value_or("");
    query.request.bytes_max = service::kStreamAnswerBytesMax;
    query.sees_all = !query.request.exclude_best_effort && query.request.frame_types_csv.empty();
    return query;
}

Task<http::Response> tail_frames(StreamGround ground, Call& call) {
    FF_CO_TRY(TailQuery query, parse_tail(ground, call));
    if (wants_events(call)) co_return co_await tail_events(ground, call, std::move(query));
    FF_CO_TRY(const Pool::Permit permit, ground.pools.stream_ops.take());
    auto tail = ground.streams.tail(std::move(query.request));
    FF_CO_TRY(const hub::TailPage page, co_await until_gone(call.peer(), std::move(tail)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("frames").begin_array();
        for (const engine::StreamEntry& frame : page.frames()) write_frame(out, frame, query.form);
        out.end_array().key("count").unsigned_integer(page.frames().size());
        out.key("next").string(page.next).key("more").boolean(page.read->more);
        if (page.ended())
            write_closed(out, page.read->state.closed_at, page.read->state.closed_reason);
    });
}

Task<http::Response> tail_as_events(StreamGround ground, Call& call) {
    FF_CO_TRY(TailQuery query, parse_tail(ground, call));
    co_return co_await tail_events(ground, call, std::move(query));
}

Task<http::Response> read_info(StreamGround ground, Call& call) {
    FF_CO_TRY(const engine::StreamAddress stream, parse_stream(call, ground.partitions));
    FF_CO_TRY(const Pool::Permit permit, ground.pools.stream_ops.take());
    FF_CO_TRY(const service::RecordFields fields, co_await ground.streams.info(stream));
    co_return json_response(200, [&](json::Writer& out) { write_fields(out, fields); });
}

Task<http::Response> read_summary(StreamGround ground, Call& call) {
    FF_CO_TRY(const engine::StreamAddress stream, parse_stream(call, ground.partitions));
    FF_CO_TRY(const auto after, call.query_integer("after_version", 0, kSafeIntegerMax));
    service::SummaryRequest request{.stream = stream, .after_version = after};
    FF_CO_TRY(request.until, parse_block(call));
    FF_CO_TRY(const Pool::Permit permit, ground.pools.stream_ops.take());
    auto read = ground.streams.summary(std::move(request));
    FF_CO_TRY(const engine::ReadSummary::Outcome summary,
              co_await until_gone(call.peer(), std::move(read)));
    const std::string tag = "\"" + std::to_string(summary.version) + "\"";
    if (call.request().header("If-None-Match") == std::string_view(tag))
        co_return http::Response{.status = 304, .headers = {{.name = "ETag", .value = tag}}};
    http::Response response =
        json_response(200, [&](json::Writer& out) { write_summary(out, summary); });
    response.headers.push_back({.name = "ETag", .value = tag});
    co_return response;
}

Result<service::MergedRequest> parse_merged(const StreamGround& ground, const Call& call) {
    FF_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    service::MergedRequest request{.execution_id = id};
    const std::string mode = call.query("mode").value_or("all_attempts");
    request.latest_attempt_only = mode == "latest_attempt_only";
    if (!request.latest_attempt_only && mode != "all_attempts")
        return invalid_input("mode", "is neither all_attempts nor latest_attempt_only");
    FF_TRY(request.limit, parse_limit(call, 100));
    const std::string cursor = call.query("cursor").value_or("");
    if (!cursor.empty()) {
        FF_TRY(request.cursor, service::MergedCursor::parse(cursor));
    }
    return request;
}

Task<http::Response> read_merged(StreamGround ground, Call& call) {
    FF_CO_TRY(service::MergedRequest request, parse_merged(ground, call));
    FF_CO_TRY(const PayloadForm form, parse_payload_form(call));
    if (wants_events(call)) co_return co_await merged_events(ground, call, std::move(request));
    FF_CO_TRY(const Pool::Permit permit, ground.pools.stream_ops.take());
    FF_CO_TRY(const service::MergedPage page, co_await ground.streams.merged(std::move(request)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("frames").begin_array();
        for (const service::MergedFrame& merged : page.frames)
            write_frame(out, merged.frame, form, merged.attempt_index);
        out.end_array().key("count").unsigned_integer(page.frames.size());
        out.key("next").string(page.next.to_string()).key("more").boolean(page.more);
        out.key("latest_summary");
        if (!page.latest_summary) {
            out.null();
            return;
        }
        out.begin_object();
        write_summary(out, *page.latest_summary);
        out.end_object();
    });
}

Task<http::Response> wait_for_end(StreamGround ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(const Deadline until, parse_block(call, kBlockMsMost));
    FF_CO_TRY(const Pool::Permit permit, ground.pools.stream_ops.take());
    auto wait = ground.streams.wait_for_terminal(id, until);
    FF_CO_TRY(const service::Ending ending, co_await until_gone(call.peer(), std::move(wait)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("execution_id").string(id.to_string());
        out.key("public_state").string(ending.standing.public_state);
        out.key("terminal_outcome").string(ending.standing.terminal_outcome);
        out.key("completed_at");
        if (ending.standing.completed_at) {
            out.integer(to_ms(*ending.standing.completed_at));
        } else {
            out.null();
        }
        out.key("timed_out").boolean(ending.timed_out);
    });
}

std::vector<FieldDoc> frame_query() {
    return {doc_choice("visibility", "all|exclude_best_effort", "all by default"),
            doc_query("types", "Frame types, separated by commas"),
            doc_choice("payload", "text|base64", "text by default")};
}

std::vector<FieldDoc> with_frame_query(std::vector<FieldDoc> query) {
    for (FieldDoc& field : frame_query()) query.push_back(std::move(field));
    return query;
}

void add_tail_routes(Routes& routes, StreamGround ground) {
    const std::vector<FieldDoc> query =
        with_frame_query({doc_query("after", "latest, <ms> or <ms>-<n>; exclusive", "\"0-0\""),
                          doc_block(), doc_limit("1..1000, 50 by default")});
    routes.add(
        {.method = "GET",
         .pattern = std::string(kAttempt) + "/stream/tail",
         .streams = true,
         .doc = {.id = "tailStream",
                 .summary = "Frames after a cursor, waiting for them; events with "
                            "Accept: text/event-stream",
                 .query = query,
                 .answer_type = "FramePage",
                 .errors = {"execution_not_found", "attempt_not_found", "too_many_requests"}},
         .handle = [ground](Call& call) { return tail_frames(ground, call); }});
    routes.add(
        {.method = "GET",
         .pattern = std::string(kAttempt) + "/stream/sse",
         .streams = true,
         .doc = {.id = "followStream",
                 .summary = "Frames as server-sent events",
                 .query = query,
                 .answer_type = "events",
                 .statuses = {200, 204},
                 .errors = {"execution_not_found", "attempt_not_found", "too_many_requests"}},
         .handle = [ground](Call& call) { return tail_as_events(ground, call); }});
}

void add_read_routes(Routes& routes, StreamGround ground) {
    routes.add(
        {.method = "GET",
         .pattern = std::string(kAttempt) + "/stream",
         .doc = {.id = "readStream",
                 .summary = "A range of frames of an attempt",
                 .query =
                     with_frame_query({doc_query("from", "-, start, <ms> or <ms>-<n>", "\"-\""),
                                       doc_query("to", "+, end, <ms> or <ms>-<n>", "\"end\""),
                                       doc_limit("1..1000, 100 by default")}),
                 .answer_type = "FramePage",
                 .errors = {"execution_not_found", "attempt_not_found", "too_many_requests"}},
         .handle = [ground](Call& call) { return read_range(ground, call); }});
    routes.add({.method = "GET",
                .pattern = std::string(kAttempt) + "/stream/info",
                .doc = {.id = "getStreamInfo",
                        .summary = "What is known of a stream",
                        .answer_type = "StreamInfo",
                        .errors = {"execution_not_found", "attempt_not_found", "stream_not_found",
                                   "too_many_requests"}},
                .handle = [ground](Call& call) { return read_info(ground, call); }});
    routes.add(
        {.method = "GET",
         .pattern = std::string(kAttempt) + "/summary",
         .doc = {.id = "getSummary",
                 .summary = "The rolling summary of an attempt",
                 .query = {{.name = "after_version",
                            .kind = Kind::Integer,
                            .about = "Wait for a later version"},
                           doc_block()},
                 .answer_type = "Summary",
                 .statuses = {200, 304},
                 .errors = {"execution_not_found", "attempt_not_found", "too_many_requests"}},
         .handle = [ground](Call& call) { return read_summary(ground, call); }});
}

void add_execution_views(Routes& routes, StreamGround ground) {
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/stream",
                .streams = true,
                .doc = {.id = "readMergedStream",
                        .summary = "The frames of all attempts as one sequence, or as events",
                        .query = {doc_choice("mode", "all_attempts|latest_attempt_only",
                                             "all_attempts by default"),
                                  doc_query("cursor", "<attempt_index>:<id>"),
                                  doc_limit("1..1000, 100 by default"),
                                  doc_choice("payload", "text|base64", "text by default")},
                        .answer_type = "MergedFramePage",
                        .errors = {"execution_not_found", "invalid_cursor", "too_many_requests"}},
                .handle = [ground](Call& call) { return read_merged(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/wait",
                .doc = {.id = "waitForEnd",
                        .summary = "Wait until an execution has ended",
                        .query = {doc_block()},
                        .answer_type = "Ending",
                        .errors = {"execution_not_found", "too_many_requests"}},
                .handle = [ground](Call& call) { return wait_for_end(ground, call); }});
}

}  // namespace

void add_stream_routes(Routes& routes, StreamGround ground) {
    add_read_routes(routes, ground);
    add_tail_routes(routes, ground);
    add_execution_views(routes, ground);
}

}  // namespace ff::api
