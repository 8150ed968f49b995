#include "api/feed_routes.h"

#include <memory>
#include <utility>

#include "api/feed_query.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "api/sse.h"
#include "api/stream_json.h"
#include "api/stream_query.h"
#include "api/until_gone.h"

namespace ff::api {
namespace asio = boost::asio;
namespace {

using Kind = FieldDoc::Kind;
/// A checkpoint follows each batch.
constexpr std::size_t kEventsAtOnce = 64;

void add_checkpoint(SseText& text, const hub::FeedCursor& cursor) {
    const std::string id = cursor.to_string();
    const std::string data = json_line([&](json::Writer& out) { out.key("cursor").string(id); });
    text.event("checkpoint", id, data);
}

std::string event_line(const hub::FeedEvent& event) {
    std::string text;
    json::Writer out(text);
    write_event(out, event);
    return text;
}

std::string gap_line(const hub::FeedGap& gap) {
    std::string text;
    json::Writer out(text);
    write_gap(out, gap);
    return text;
}

asio::awaitable<void> follow(FeedGround ground, std::shared_ptr<hub::FeedSubscription> subscription,
                             SseStream& events) {
    bool connected = true;
    hub::FeedCursor told = subscription->cursor();
    while (connected) {
        const Result<hub::FeedPage> page = co_await ground.feeds.next(
            *subscription, kEventsAtOnce, Deadline::after(ground.heartbeat));
        if (!page.has_value()) {
            co_await events.fail(page.error());
            co_return;
        }
        SseText text;
        for (const hub::FeedGap& gap : page->gaps) text.event("gap", "", gap_line(gap));
        for (const hub::FeedEvent& event : page->events)
            text.event(hub::to_string(event.family), "", event_line(event));
        if (page->stopped || !(page->cursor == told)) add_checkpoint(text, page->cursor);
        told = page->cursor;
        if (page->stopped) text.event("shutdown", "", "{}");
        if (text.empty()) text.heartbeat();
        const bool last = page->stopped;
        connected = co_await events.send(std::move(text));
        if (last) co_return;
    }
}

Task<http::Response> subscribe(FeedGround ground, Call& call, hub::FeedFilter filter,
                               service::FeedStart start) {
    FF_CO_TRY(Pool::Permit permit, ground.pools.sse.take());
    FF_CO_TRY(hub::FeedSubscription opened,
              co_await ground.feeds.open(std::move(filter), std::move(start)));
    auto subscription = std::make_shared<hub::FeedSubscription>(std::move(opened));
    co_return sse_response(call, std::move(permit), [ground, subscription](SseStream& events) {
        return follow(ground, subscription, events);
    });
}

Task<http::Response> subscribe_families(FeedGround ground, Call& call) {
    FF_CO_TRY(std::vector<hub::FeedFamily> families, parse_families(call.path("families")));
    FF_CO_TRY(hub::FeedFilter filter,
              parse_feed_filter(call, std::move(families), ground.partitions));
    FF_CO_TRY(service::FeedStart start, parse_feed_start(call, ""));
    co_return co_await subscribe(ground, call, std::move(filter), std::move(start));
}

Task<http::Response> poll(FeedGround ground, Call& call) {
    FF_CO_TRY(std::vector<hub::FeedFamily> families, parse_families(call.path("families")));
    FF_CO_TRY(hub::FeedFilter filter,
              parse_feed_filter(call, std::move(families), ground.partitions));
    FF_CO_TRY(const std::int64_t limit, parse_limit(call, 100));
    FF_CO_TRY(const Deadline until, parse_block(call));
    FF_CO_TRY(service::FeedStart start, parse_feed_start(call, ""));
    FF_CO_TRY(const Pool::Permit permit, ground.pools.stream_ops.take());
    FF_CO_TRY(hub::FeedSubscription subscription,
              co_await ground.feeds.open(std::move(filter), std::move(start)));
    auto next = ground.feeds.next(subscription, static_cast<std::size_t>(limit), until);
    FF_CO_TRY(const hub::FeedPage page, co_await until_gone(call.peer(), std::move(next)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("events").begin_array();
        for (const hub::FeedEvent& event : page.events) write_event(out, event);
        out.end_array().key("gaps").begin_array();
        for (const hub::FeedGap& gap : page.gaps) write_gap(out, gap);
        out.end_array().key("cursor").string(page.cursor.to_string());
    });
}

Task<http::Response> follow_execution(FeedGround ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(hub::FeedFilter filter, parse_feed_filter(call, all_families(), ground.partitions));
    filter.execution_id = id;
    FF_CO_TRY(service::FeedStart start, parse_feed_start(call, "earliest"));
    co_return co_await subscribe(ground, call, std::move(filter), std::move(start));
}

Task<http::Response> follow_flow(FeedGround ground, Call& call) {
    FF_CO_TRY(model::FlowId id, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(hub::FeedFilter filter, parse_feed_filter(call, all_families(), ground.partitions));
    filter.flow_id = id;
    FF_CO_TRY(service::FeedStart start, parse_feed_start(call, "earliest"));
    co_return co_await subscribe(ground, call, std::move(filter), std::move(start));
}

std::vector<FieldDoc> filters() {
    return {doc_query("cursor", "Where to go on; earliest, or nothing for now"),
            {.name = "since", .kind = Kind::Integer, .about = "Events of that time and later"},
            doc_query("namespace", "Only of this namespace"),
            doc_query("tag", "<key>:<value>; repeatable"),
            doc_query("execution_id", "Only of this execution"),
            doc_query("flow_id", "Only of this flow"),
            doc_query("lane", "Only of this lane"),
            doc_query("type", "Outcomes, lease events, effect classes or operator events"),
            {.name = "partition", .kind = Kind::Integer, .about = "Only of this partition"}};
}

}  // namespace

void add_feed_routes(Routes& routes, FeedGround ground) {
    std::vector<FieldDoc> polling = filters();
    polling.push_back(doc_limit("1..1000, 100 by default"));
    polling.push_back(doc_block());
    routes.add({.method = "GET",
                .pattern = "/v1/streams/{families}",
                .doc = {.id = "listFeedEvents",
                        .summary = "Events of feed families, waiting for them",
                        .query = std::move(polling),
                        .answer_type = "FeedPage",
                        .errors = {"invalid_cursor", "not_found", "too_many_requests"}},
                .handle = [ground](Call& call) { return poll(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/streams/{families}/subscribe",
                .streams = true,
                .doc = {.id = "followFeed",
                        .summary = "Events of feed families as server-sent events",
                        .query = filters(),
                        .answer_type = "events",
                        .errors = {"invalid_cursor", "not_found", "too_many_requests"}},
                .handle = [ground](Call& call) { return subscribe_families(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/feed",
                .streams = true,
                .doc = {.id = "followExecution",
                        .summary = "What happens to an execution, as server-sent events",
                        .query = filters(),
                        .answer_type = "events",
                        .errors = {"invalid_cursor", "too_many_requests"}},
                .handle = [ground](Call& call) { return follow_execution(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/flows/{id}/feed",
                .streams = true,
                .doc = {.id = "followFlow",
                        .summary = "What happens to a flow, as server-sent events",
                        .query = filters(),
                        .answer_type = "events",
                        .errors = {"invalid_cursor", "too_many_requests"}},
                .handle = [ground](Call& call) { return follow_flow(ground, call); }});
}

}  // namespace ff::api
