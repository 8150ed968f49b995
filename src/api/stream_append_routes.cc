#include "api/stream_append_routes.h"

#include <utility>

#include "api/error_reply.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/stream_query.h"

namespace ff::api {
namespace {

constexpr unsigned kForbidden = 403;

using Kind = FieldDoc::Kind;
constexpr std::size_t kFramesMost = 256;
constexpr std::size_t kTextMost = 1024;

std::optional<engine::FrameMode> parse_mode(std::string_view text) {
    if (text == "durable" || text == "durable_full" || text == "buffered")
        return engine::FrameMode::Durable;
    if (text == "summary" || text == "durable_summary") return engine::FrameMode::Summary;
    if (text == "best_effort" || text == "best_effort_live") return engine::FrameMode::BestEffort;
    return std::nullopt;
}

Result<engine::Frame> parse_frame(const Fields& body) {
    engine::Frame frame;
    FF_TRY(frame.type, body.text("frame_type"));
    FF_TRY(auto payload, body.bytes_if("payload"));
    if (payload) frame.payload = *std::move(payload);
    const std::string_view natural = body.has("payload_base64") ? "binary" : "utf8";
    FF_TRY(frame.encoding, body.text_or("encoding", natural, {.most = kTextMost}));
    FF_TRY(frame.correlation_id, body.text_or("correlation_id", "", {.most = kTextMost}));
    FF_TRY(const auto ts, body.integer_if("ts", {.least = 0}));
    if (ts) frame.ts = timestamp_from_ms(*ts);
    FF_TRY(frame.seq, body.integer_if("seq", {.least = 1}));
    return frame;
}

Result<service::FrameBatch> parse_batch(const StreamGround& ground, Call& call) {
    FF_TRY(const engine::StreamAddress stream, parse_stream(call, ground.partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", call.path("id")));
    FF_TRY(PresentedLease lease, required_lease(call, stream.execution_id));
    if (lease.attempt_index && *lease.attempt_index != stream.attempt_index)
        return body.refuse("attempt_index", "path_mismatch");
    service::FrameBatch batch{.stream = stream, .fence = std::move(lease.fence)};
    FF_TRY(const auto mode, body.text_if("mode"));
    if (mode) {
        batch.mode = parse_mode(*mode);
        if (!batch.mode) return body.refuse("mode", "unknown");
    }
    FF_TRY(const auto ttl_ms, body.integer_if("ttl_ms", {.least = 0}));
    if (ttl_ms) batch.best_effort_ttl = Millis(*ttl_ms);
    FF_TRY(const std::vector<Fields> frames,
           body.objects("frames", {.least = 1, .most = kFramesMost}));
    for (const Fields& each : frames) {
        FF_CHECK(each.only({"frame_type", "payload", "payload_base64", "encoding", "correlation_id",
                            "ts", "seq"}));
        FF_TRY(engine::Frame frame, parse_frame(each));
        batch.frames.push_back(std::move(frame));
    }
    return batch;
}

Task<http::Response> append_frames(StreamGround ground, Call& call) {
    FF_CO_TRY(service::FrameBatch batch, parse_batch(ground, call));
    FF_CO_TRY(const service::AppendedFrames appended,
              co_await ground.streams.append(std::move(batch)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("first_id").string(appended.first_id);
        out.key("last_id").string(appended.last_id);
        out.key("frame_count").integer(appended.frame_count);
        if (!appended.summary_version.empty())
            out.key("summary_version").raw(appended.summary_version);
        out.key("duplicates").integer(appended.duplicates);
    });
}

Task<http::Response> annotate(StreamGround ground, Call& call) {
    FF_CO_TRY(const engine::StreamAddress stream, parse_stream(call, ground.partitions));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(engine::Frame frame, parse_frame(body));
    FF_CO_TRY(std::string source, body.text_or("source", "operator", {.most = kTextMost}));
    engine::AppendSystemFrame annotation{
        .stream = stream, .frame = std::move(frame), .source = std::move(source)};
    const Result<engine::AppendSystemFrame::Outcome> appended =
        co_await ground.streams.annotate(std::move(annotation));
    // The source is refused, whoever asks: a token would not help, as 401 says.
    if (!appended && appended.error().code == "unauthorized")
        co_return error_reply(kForbidden, appended.error());
    if (!appended) co_return appended.error();
    co_return json_response(200, [&](json::Writer& out) {
        out.key("id").string(appended->entry_id);
        out.key("frame_count").integer(appended->frame_count);
    });
}

std::vector<FieldDoc> frame_members() {
    return {{.name = "frame_type", .required = true, .about = "1..128 bytes", .example = "\"log\""},
            {.name = "payload", .kind = Kind::Bytes, .about = "Or payload_base64"},
            {.name = "encoding", .about = "A hint, such as utf8, json, binary"},
            {.name = "correlation_id"},
            {.name = "ts", .kind = Kind::Integer, .about = "The producer's clock"},
            {.name = "source", .about = "operator or system", .example = "\"operator\""}};
}

}  // namespace

void add_stream_append_routes(Routes& routes, StreamGround ground) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/executions/{id}/attempts/{idx}/stream",
         .body = BodyClass::Frames,
         .doc = {.id = "appendFrames",
                 .summary = "Append frames to the stream of a held attempt, all or none",
                 .body = {{.name = "task_token", .about = "Or lease"},
                          {.name = "lease", .kind = Kind::Object, .type = "Lease"},
                          {.name = "mode",
                           .type = "durable|durable_full|buffered|summary|durable_summary|best_"
                                   "effort|best_effort_live"},
                          {.name = "ttl_ms",
                           .kind = Kind::Integer,
                           .about = "Of best_effort frames, 1..3600000"},
                          {.name = "frames",
                           .kind = Kind::Array,
                           .type = "[NewFrame]",
                           .required = true,
                           .about = "1..256 of frame_type, payload or payload_base64, encoding, "
                                    "correlation_id, ts, seq",
                           .example = R"([{"frame_type":"log","payload":"hello","seq":1}])"}},
                 .answer_type = "AppendedFrames",
                 .errors = {"stream_closed", "stale_owner_cannot_append", "invalid_frame_type",
                            "retention_limit_exceeded"}},
         .handle = [ground](Call& call) { return append_frames(ground, call); }});
    routes.add({.method = "POST",
                .pattern = "/v1/admin/executions/{id}/attempts/{idx}/annotations",
                .body = BodyClass::Control,
                .audit = "stream.annotate",
                .doc = {.id = "annotateStream",
                        .summary = "Annotate a stream without a lease",
                        .body = frame_members(),
                        .answer_type = "Annotation",
                        .errors = {"stream_closed", "attempt_not_found", "unauthorized"}},
                .handle = [ground](Call& call) { return annotate(ground, call); }});
}

}  // namespace ff::api
