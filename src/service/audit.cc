#include "service/audit.h"

#include <utility>

#include "base/log.h"
#include "hub/entry_id.h"
#include "model/global_keys.h"
#include "service/records.h"

namespace ff::service {
namespace {

constexpr std::string_view kEntriesMost = "10000";

store::Call entry_of(const AuditEvent& event, Timestamp at) {
    return store::plain({"XADD",       model::kAuditEventsKey,
                         "MAXLEN",     "~",
                         kEntriesMost, "*",
                         "event",      event.event,
                         "actor",      event.actor,
                         "remote",     event.remote,
                         "request_id", event.request_id,
                         "subject",    event.subject,
                         "detail",     event.detail,
                         "outcome",    event.outcome,
                         "ts",         to_string(at)});
}

}  // namespace

Audit::Audit(const Context& context)
    : context_(context), watch_(context.loop, context.store, {.reads_max = 2}) {}

Audit::~Audit() = default;

boost::asio::awaitable<void> Audit::record(AuditEvent event) {
    log::info("audit", "operator_action",
              {{"action", event.event},
               {"subject", event.subject},
               {"actor", event.actor},
               {"remote", event.remote},
               {"request_id", event.request_id},
               {"outcome", event.outcome}});
    store::Call call = entry_of(event, context_.clock.now());
    const Result<store::Reply> added = co_await context_.store.call(std::move(call));
    if (!added.has_value())
        log::error("service", "audit_not_written", {{"error", added.error().text()}});
}

/// From where on the watch waits; without it, it would come upon all old entries one by one.
Task<hub::EntryId> Audit::newest_entry() {
    store::Call call =
        store::plain({"XREVRANGE", model::kAuditEventsKey, "+", "-", "COUNT", "1"}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    if (reply.items().empty() || reply.items().front().items().empty()) co_return hub::EntryId{};
    const auto id = reply.items().front().items().front().text();
    co_return hub::EntryId::parse(id.value_or("")).value_or(hub::EntryId{});
}

Task<AuditPage> Audit::read(std::string after, std::int64_t limit, Deadline until) {
    const auto cursor = hub::EntryId::parse(after);
    if (!cursor) co_return invalid_input("after", "is no entry id");
    const hub::StreamKeys keys{.keys = {std::string(model::kAuditEventsKey)}};
    const auto interest = watch_.enter(keys);
    if (interest->position() == hub::EntryId{}) {
        FF_CO_TRY(const hub::EntryId newest, co_await newest_entry());
        interest->raise(newest);
    }
    AuditPage page{.next = cursor->to_string()};
    while (true) {
        const hub::EntryId seen = interest->position();
        store::Call call = store::plain({"XRANGE", model::kAuditEventsKey, "(" + page.next, "+",
                                         "COUNT", std::to_string(limit)},
                                        true);
        FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
        for (const store::Reply& item : reply.items()) {
            const auto parts = item.items();
            if (parts.size() != 2) continue;
            page.next = std::string(parts[0].text().value_or(""));
            page.entries.push_back({.id = page.next, .fields = fields_of(parts[1])});
        }
        if (!page.entries.empty() || until.passed()) co_return page;
        const hub::WatchEnd end = co_await interest->wait(seen, until);
        page.stopped = end == hub::WatchEnd::Stopped;
        if (end != hub::WatchEnd::Ready) co_return page;
    }
}

boost::asio::awaitable<void> Audit::stop() {
    return watch_.stop();
}

}  // namespace ff::service
