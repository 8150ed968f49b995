#include "service/indexes.h"

#include <algorithm>
#include <map>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/steady_clock.h"
#include "model/budget_keys.h"
#include "model/global_keys.h"

namespace ff::service {
namespace {

/// Writes of one pipeline.
constexpr std::size_t kFlushMost = 4096;
/// Members of one command.
constexpr std::size_t kMembersMost = 512;

}  // namespace

Indexes::Indexes(const Context& context)
    : store_(context.store),
      clock_(context.clock),
      rules_(context.rules),
      flushed_(context.loop, SteadyClock::time_point::max()),
      group_(context.loop, "indexes") {}

Indexes::~Indexes() = default;

Task<Done> Indexes::know(model::LaneId lane, model::Namespace ns) {
    FF_CO_CHECK(co_await know_namespace(std::move(ns)));
    if (known_lanes_.contains(lane.text())) co_return Done{};
    // The configuration comes first, so that a lane in the index always has one.
    const std::string config = model::lane_config_key(lane);
    const std::string now = to_string(clock_.now());
    std::vector<store::Call> defaults;
    defaults.push_back(store::plain({"HSETNX", config, "lane_id", lane.text()}, true));
    defaults.push_back(store::plain({"HSETNX", config, "created_at", now}, true));
    const auto written = co_await store_.pipeline(std::move(defaults));
    for (const Result<store::Reply>& one : written) {
        if (!one) co_return one.error();
    }
    store::Call enter = store::plain({"SADD", model::kLanesKey, lane.text()}, true);
    FF_CO_TRY(const store::Reply entered, co_await store_.call(std::move(enter)));
    if (known_lanes_.size() >= kNamesMax) known_lanes_.clear();
    known_lanes_.insert(lane.text());
    co_return Done{};
}

Task<Done> Indexes::know_namespace(model::Namespace ns) {
    if (known_namespaces_.contains(ns.text())) co_return Done{};
    store::Call enter = store::plain({"SADD", model::kNamespacesKey, ns.text()}, true);
    FF_CO_TRY(const store::Reply entered, co_await store_.call(std::move(enter)));
    if (known_namespaces_.size() >= kNamesMax) known_namespaces_.clear();
    known_namespaces_.insert(ns.text());
    co_return Done{};
}

void Indexes::add(Entry entry) {
    const std::string id = entry.execution_id.to_string();
    for (const model::BudgetId& budget : entry.budgets) {
        enqueue({.kind = Write::Kind::Member,
                 .key = model::BudgetKeys(budget, rules_.partitions).executions(),
                 .member = id});
    }
    if (!rules_.secondary_indexes) return;
    enqueue({.kind = Write::Kind::Score,
             .key = model::namespace_executions_key(entry.ns),
             .member = id,
             .score = to_ms(entry.created_at)});
    for (const auto& [name, value] : entry.tags) {
        enqueue({.kind = Write::Kind::Member,
                 .key = model::tag_key(entry.ns, name, value),
                 .member = id});
    }
}

void Indexes::retag(const model::ExecutionId& id, const model::Namespace& ns, const Tags& before,
                    const Tags& after) {
    if (!rules_.secondary_indexes) return;
    for (const auto& [name, value] : before) {
        enqueue({.kind = Write::Kind::Remove,
                 .key = model::tag_key(ns, name, value),
                 .member = id.to_string()});
    }
    for (const auto& [name, value] : after) {
        enqueue({.kind = Write::Kind::Member,
                 .key = model::tag_key(ns, name, value),
                 .member = id.to_string()});
    }
}

void Indexes::enqueue(Write write) {
    if (pending_.size() >= kPendingMax) {
        if (!dropping_) log::warn("service", "index_writes_dropped", {{"pending", kPendingMax}});
        dropping_ = true;
        return;
    }
    pending_.push_back(std::move(write));
    ++added_;
    if (flushing_) return;
    flushing_ = true;
    group_.spawn(flush());
}

std::vector<store::Call> Indexes::calls_for(const std::vector<Write>& writes) {
    std::vector<store::Call> calls;
    // The command each key is collected in, while it is of the same kind and not too long.
    struct Open {
        Write::Kind kind = Write::Kind::Member;
        std::size_t call = 0;
        std::size_t members = 0;
    };
    std::map<std::string_view, Open> open;
    for (const Write& write : writes) {
        auto found = open.find(write.key);
        if (found == open.end() || found->second.kind != write.kind ||
            found->second.members >= kMembersMost) {
            const std::string_view word = write.kind == Write::Kind::Score    ? "ZADD"
                                          : write.kind == Write::Kind::Member ? "SADD"
                                                                              : "SREM";
            calls.push_back(store::plain({word, write.key}, true));
            found =
                open.insert_or_assign(write.key, Open{.kind = write.kind, .call = calls.size() - 1})
                    .first;
        }
        resp::Command& command = calls[found->second.call].command;
        if (write.kind == Write::Kind::Score) command.arg(write.score);
        command.arg(write.member);
        ++found->second.members;
    }
    return calls;
}

boost::asio::awaitable<void> Indexes::flush() {
    while (!pending_.empty()) {
        const std::size_t count = std::min(pending_.size(), kFlushMost);
        const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<Write> writes(std::make_move_iterator(pending_.begin()),
                                  std::make_move_iterator(end));
        pending_.erase(pending_.begin(), end);
        dropping_ = false;
        std::vector<store::Call> calls = calls_for(writes);
        const auto replies = co_await store_.pipeline(std::move(calls));
        const auto failed = std::ranges::find_if(replies, [](const auto& one) { return !one; });
        if (failed != replies.end()) {
            log::warn("service", "index_write_failed", {{"error", failed->error().text()}});
        }
        written_ += count;
        flushed_.cancel();
    }
    flushing_ = false;
    flushed_.cancel();
}

boost::asio::awaitable<void> Indexes::settled() {
    const std::uint64_t target = added_;
    while (written_ < target && flushing_) {
        auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
        co_await flushed_.async_wait(token);
    }
}

boost::asio::awaitable<void> Indexes::stop() {
    co_await group_.join();
}

}  // namespace ff::service
