#include "api/stream_sse.h"

#include <utility>

#include "api/sse.h"
#include "api/stream_query.h"

namespace ff::api {
namespace asio = boost::asio;
namespace {

/// What a connection is handed at once; the rest waits in the store.
constexpr std::int64_t kFramesAtOnce = 256;
constexpr std::int64_t kBytesAtOnce = std::int64_t{256} << 10;
constexpr std::string_view kClosedMark = "closed@";
constexpr std::string_view kEndMark = "end@";
constexpr std::string_view kNeverStarted = "attempt_never_started";

std::string frame_line(const engine::StreamEntry& frame, PayloadForm form,
                       std::optional<model::AttemptIndex> attempt = std::nullopt) {
    std::string text;
    json::Writer out(text);
    write_frame(out, frame, form, attempt);
    return text;
}

void add_gap(const StreamGround& ground, SseText& text, const std::string& after,
             std::uint64_t lost) {
    if (lost == 0) return;
    ground.streams.note_lost(lost);
    const std::string data = json_line([&](json::Writer& out) {
        out.key("after").string(after).key("lost").unsigned_integer(lost);
    });
    text.event("gap", "", data);
}

void add_closed(SseText& text, const engine::StreamState& state) {
    const std::string data = json_line([&](json::Writer& out) {
        write_closed(out, state.closed_at, state.closed_reason);
        out.key("frame_count").integer(state.frame_count);
    });
    const std::string id = std::string(kClosedMark) + to_string(*state.closed_at);
    text.event("closed", id, data);
}

/// Frames lost at the end of a stream, behind the last one that is left.
std::uint64_t lost_at_end(const hub::TailPage& page) {
    const auto next = hub::EntryId::parse(page.next);
    const auto count = static_cast<std::uint64_t>(page.read->state.frame_count);
    return page.ended() && next && count > next->n ? count - next->n : 0;
}

/// Whether it is the last one; `query` goes on behind it.
bool add_page(const StreamGround& ground, TailQuery& query, const hub::TailPage& page,
              SseText& text) {
    if (query.sees_all)
        add_gap(ground, text, query.request.after, page.lost_after(query.request.after));
    for (const engine::StreamEntry& frame : page.frames())
        text.event("frame", frame.id, frame_line(frame, query.form));
    query.request.after = page.next;
    if (query.sees_all) add_gap(ground, text, page.next, lost_at_end(page));
    if (page.ended()) add_closed(text, page.read->state);
    if (page.stopped) text.event("shutdown", "", "{}");
    if (text.empty()) text.heartbeat();
    return page.ended() || page.stopped;
}

asio::awaitable<void> tail_stream(StreamGround ground, TailQuery query, SseStream& events) {
    bool connected = true;
    bool last = false;
    while (connected && !last) {
        SseText text;
        // The page goes before its text is sent, which may take as long as the client likes.
        {
            hub::TailRequest request = query.request;
            request.until = Deadline::after(ground.heartbeat);
            const Result<hub::TailPage> page = co_await ground.streams.tail(std::move(request));
            if (!page.has_value()) {
                co_await events.fail(page.error());
                co_return;
            }
            last = add_page(ground, query, *page, text);
        }
        connected = co_await events.send(std::move(text));
    }
}

/// Where the merged view stands.
struct MergedWalk {
    model::ExecutionId execution_id;
    service::MergedCursor cursor{};
    PayloadForm form = PayloadForm::TextWhereItIs;
    /// The attempt that was announced last.
    std::optional<std::uint32_t> announced{};
    bool ended = false;
};

Task<Done> announce(const StreamGround& ground, MergedWalk& walk, SseText& text) {
    const model::AttemptIndex index = walk.cursor.attempt_index;
    if (walk.announced == index.value) co_return Done{};
    const engine::StreamAddress stream{.execution_id = walk.execution_id, .attempt_index = index};
    FF_CO_TRY(const std::string type, co_await ground.streams.attempt_type(stream));
    walk.announced = index.value;
    const std::string data = json_line([&](json::Writer& out) {
        out.key("attempt_index").unsigned_integer(index.value);
        out.key("attempt_type").string(type);
    });
    text.event("attempt", "", data);
    co_return Done{};
}

Task<Done> end_if_terminal(const StreamGround& ground, MergedWalk& walk, SseText& text) {
    FF_CO_TRY(const service::Standing now, co_await ground.streams.standing(walk.execution_id));
    walk.ended = now.terminal();
    if (!walk.ended) co_return Done{};
    const std::string data = json_line([&](json::Writer& out) {
        out.key("terminal_outcome").string(now.terminal_outcome);
        out.key("public_state").string(now.public_state);
    });
    const Timestamp at = now.completed_at.value_or(Timestamp());
    text.event("end", std::string(kEndMark) + to_string(at), data);
    co_return Done{};
}

/// One page of the attempt at hand. The attempt after the last one is watched too: either it
/// begins, or the execution ends without it.
Task<Done> walk_on(const StreamGround& ground, MergedWalk& walk, SseText& text) {
    const model::AttemptIndex index = walk.cursor.attempt_index;
    hub::TailRequest request{.stream = {.execution_id = walk.execution_id, .attempt_index = index},
                             .after = walk.cursor.id.to_string(),
                             .until = Deadline::after(ground.heartbeat),
                             .count_max = kFramesAtOnce,
                             .bytes_max = kBytesAtOnce};
    FF_CO_TRY(const hub::TailPage page, co_await ground.streams.tail(std::move(request)));
    const bool started = page.read->state.closed_reason != kNeverStarted;
    const bool news = !page.frames().empty() || page.ended();
    if (news && started) FF_CO_CHECK(co_await announce(ground, walk, text));
    add_gap(ground, text, walk.cursor.to_string(), page.lost_after(walk.cursor.id.to_string()));
    for (const engine::StreamEntry& frame : page.frames()) {
        walk.cursor.id = hub::EntryId::parse(frame.id).value_or(walk.cursor.id);
        text.event("frame", walk.cursor.to_string(), frame_line(frame, walk.form, index));
    }
    if (page.stopped) {
        text.event("shutdown", "", "{}");
        walk.ended = true;
    } else if (page.ended() && started) {
        walk.cursor = {.attempt_index = {index.value + 1}};
    } else if (page.ended()) {
        FF_CO_CHECK(co_await end_if_terminal(ground, walk, text));
    }
    co_return Done{};
}

asio::awaitable<void> merged_stream(StreamGround ground, MergedWalk walk, SseStream& events) {
    bool connected = true;
    while (connected && !walk.ended) {
        SseText text;
        const Result<Done> walked = co_await walk_on(ground, walk, text);
        if (!walked.has_value()) {
            co_await events.fail(walked.error());
            co_return;
        }
        if (text.empty()) text.heartbeat();
        connected = co_await events.send(std::move(text));
    }
}

}  // namespace

Task<http::Response> tail_events(StreamGround ground, Call& call, TailQuery query) {
    const auto last = call.request().header("Last-Event-ID");
    if (last && last->starts_with(kClosedMark)) co_return no_more_events();
    if (last) query.request.after = std::string(*last);
    if (query.request.after != "latest" && !hub::EntryId::parse(query.request.after))
        co_return invalid_input(last ? "Last-Event-ID" : "after", "is no entry id");
    FF_CO_TRY(Pool::Permit permit, ground.pools.sse.take());
    // One look first, so that what is wrong is told by the status.
    hub::TailRequest peek = query.request;
    peek.count_max = 1;
    FF_CO_TRY(const hub::TailPage first, co_await ground.streams.tail(std::move(peek)));
    if (query.request.after == "latest") query.request.after = first.next;
    query.request.count_max = kFramesAtOnce;
    query.request.bytes_max = kBytesAtOnce;
    co_return sse_response(call, std::move(permit), [ground, query](SseStream& events) {
        return tail_stream(ground, query, events);
    });
}

Task<http::Response> merged_events(StreamGround ground, Call& call,
                                   service::MergedRequest request) {
    const auto last = call.request().header("Last-Event-ID");
    if (last && last->starts_with(kEndMark)) co_return no_more_events();
    if (last) {
        FF_CO_TRY(request.cursor, service::MergedCursor::parse(*last));
    }
    FF_CO_TRY(Pool::Permit permit, ground.pools.sse.take());
    FF_CO_TRY(const service::Standing now, co_await ground.streams.standing(request.execution_id));
    MergedWalk walk{.execution_id = request.execution_id};
    if (request.cursor) {
        walk.cursor = *request.cursor;
    } else if (request.latest_attempt_only && now.total_attempts > 0) {
        walk.cursor.attempt_index.value = static_cast<std::uint32_t>(now.total_attempts - 1);
    }
    if (std::cmp_greater(walk.cursor.attempt_index.value, now.total_attempts))
        co_return invalid_input("cursor", "is behind the last attempt");
    if (request.cursor) walk.announced = walk.cursor.attempt_index.value;
    FF_CO_TRY(walk.form, parse_payload_form(call));
    co_return sse_response(call, std::move(permit), [ground, walk](SseStream& events) {
        return merged_stream(ground, walk, events);
    });
}

}  // namespace ff::api
