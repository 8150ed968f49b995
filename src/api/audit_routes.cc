#include "api/audit_routes.h"

#include <utility>

#include "api/json_response.h"
#include "api/sse.h"
#include "api/stream_json.h"
#include "api/stream_query.h"
#include "api/until_gone.h"
#include "hub/entry_id.h"

namespace ff::api {
namespace asio = boost::asio;
namespace {

using Kind = FieldDoc::Kind;
constexpr std::int64_t kEntriesAtOnce = 64;

void write_entry(json::Writer& out, const engine::StreamEntry& entry) {
    out.begin_object().key("id").string(entry.id);
    write_fields(out, entry.fields);
    out.end_object();
}

asio::awaitable<void> follow(service::Audit& audit, std::string after, SseStream& events) {
    bool connected = true;
    while (connected) {
        std::string from = after;
        const Result<service::AuditPage> page =
            co_await audit.read(std::move(from), kEntriesAtOnce, Deadline::after(kHeartbeat));
        if (!page.has_value()) {
            co_await events.fail(page.error());
            co_return;
        }
        SseText text;
        for (const engine::StreamEntry& entry : page->entries) {
            std::string line;
            json::Writer out(line);
            write_entry(out, entry);
            text.event("audit", entry.id, line);
        }
        after = page->next;
        if (page->stopped) text.event("shutdown", "", "{}");
        if (text.empty()) text.heartbeat();
        const bool last = page->stopped;
        connected = co_await events.send(std::move(text));
        if (last) co_return;
    }
}

Task<http::Response> read(service::Audit& audit, Pools& pools, Call& call) {
    FF_CO_TRY(const std::int64_t limit, parse_limit(call, 100));
    FF_CO_TRY(const Deadline until, parse_block(call));
    std::string after = call.query("after").value_or("0-0");
    if (wants_events(call)) {
        const auto last = call.request().header("Last-Event-ID");
        if (last) after = std::string(*last);
        if (!hub::EntryId::parse(after)) co_return invalid_input("after", "is no entry id");
        FF_CO_TRY(Pool::Permit permit, pools.sse.take());
        co_return sse_response(call, std::move(permit), [&audit, after](SseStream& events) {
            return follow(audit, after, events);
        });
    }
    FF_CO_TRY(const Pool::Permit permit, pools.stream_ops.take());
    auto page_of = audit.read(std::move(after), limit, until);
    FF_CO_TRY(const service::AuditPage page, co_await until_gone(call.peer(), std::move(page_of)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("events").begin_array();
        for (const engine::StreamEntry& entry : page.entries) write_entry(out, entry);
        out.end_array().key("next").string(page.next);
    });
}

}  // namespace

void add_audit_routes(Routes& routes, service::Audit& audit, Pools& pools) {
    routes.add({.method = "GET",
                .pattern = "/v1/admin/audit",
                .streams = true,
                .doc = {.id = "listAuditEvents",
                        .summary = "What operators did, as JSON or server-sent events",
                        .query = {doc_query("after", "The last entry seen", "\"0-0\""),
                                  doc_limit("1..1000, 100 by default"), doc_block()},
                        .answer_type = "AuditPage",
                        .errors = {"too_many_requests"}},
                .handle = [&audit, &pools](Call& call) { return read(audit, pools, call); }});
}

}  // namespace ff::api
