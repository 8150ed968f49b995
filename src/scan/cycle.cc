#include "scan/cycle.h"

#include "base/log.h"
#include "model/exec_keys.h"

namespace ff::scan {

void Cycle::succeeded(std::string_view item) {
    ++items_;
    setbacks_.succeeded(item);
}

bool Cycle::failed(std::string_view item, const Error& error) {
    if (error.cls == ErrorClass::Informational) {
        succeeded(item);
        return false;
    }
    ++errors_;
    if (setbacks_.failed(item)) {
        log::error("scan", "item_left_out",
                   {{"scanner", facts_of(kind_).name}, {"item", item}, {"error", error.text()}});
    }
    return true;
}

void Cycle::malformed(std::string_view item, const Error& error) {
    if (!skips(item)) failed(item, error);
}

void Cycle::unread(const Error& error) {
    ++errors_;
    log::warn("scan", "unread", {{"scanner", facts_of(kind_).name}, {"error", error.text()}});
}

boost::asio::awaitable<std::vector<model::ExecutionId>> Cycle::matching(
    std::vector<model::ExecutionId> ids) {
    const Filter& filter = options().filter;
    if (!filter.any() || ids.empty()) co_return ids;
    std::vector<store::Call> reads;
    for (const model::ExecutionId& id : ids) {
        const model::ExecKeys keys(id);
        reads.push_back(store::plain({"HGET", keys.core(), "namespace"}, true));
        const std::string tag = filter.tag ? filter.tag->key : "";
        reads.push_back(store::plain({"HGET", keys.tags(), tag}, true));
    }
    const std::vector<Result<store::Reply>> found = co_await store().pipeline(std::move(reads));
    std::vector<model::ExecutionId> matching;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Result<store::Reply>& ns = found[2 * i];
        const Result<store::Reply>& tag = found[2 * i + 1];
        const bool ns_fits = !filter.ns || (ns && ns->text() == filter.ns->text());
        const bool tag_fits = !filter.tag || (tag && tag->text() == filter.tag->value);
        if (ns_fits && tag_fits) matching.push_back(ids[i]);
    }
    co_return matching;
}

}  // namespace ff::scan
