#include "service/quotas.h"

#include <algorithm>

#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/quota_keys.h"
#include "sched/attachments.h"
#include "sched/claimer.h"
#include "service/hash_record.h"
#include "service/policy_scope.h"

namespace ff::service {
namespace {

constexpr std::string_view kBadScope = "invalid_input";

/// The reply of TIME in milliseconds.
std::int64_t store_time_ms(const store::Reply& reply) {
    const auto parts = reply.items();
    if (parts.size() != 2) return 0;
    return (parts[0].to_integer().value_or(0) * 1'000) +
           (parts[1].to_integer().value_or(0) / 1'000);
}

/// The score of the first pair of a range WITHSCORES.
std::optional<std::int64_t> first_score(const store::Reply& reply) {
    auto items = reply.items();
    if (items.empty()) return std::nullopt;
    if (items.front().is_aggregate()) items = items.front().items();
    if (items.size() < 2) return std::nullopt;
    if (const auto number = items[1].as_double()) return static_cast<std::int64_t>(*number);
    return items[1].to_integer();
}

}  // namespace

Task<CreatedQuota> Quotas::create(NewQuota quota) {
    if (quota.attach) {
        const auto checked = attachable_scope(quota.scope, kBadScope);
        if (!checked) co_return checked.error();
    }
    const model::QuotaPolicyId id =
        quota.id ? *quota.id : model::QuotaPolicyId::mint(context_.random);
    engine::CreateQuotaPolicy create{.quota = {.id = id, .partitions = context_.rules.partitions},
                                     .window_seconds = quota.window_seconds,
                                     .requests_per_window_max = quota.requests_per_window_max,
                                     .concurrent_max = quota.concurrent_max,
                                     .jitter_ms = quota.jitter_ms,
                                     .scope_type = quota.scope.type,
                                     .scope_id = quota.scope.id,
                                     .name = quota.name};
    FF_CO_TRY(const auto created, co_await engine::run(context_.store, std::move(create)));
    if (quota.attach) FF_CO_CHECK(co_await attach(id, quota.scope));
    co_return CreatedQuota{.id = id, .already_satisfied = created.already_satisfied};
}

Task<QuotaStatus> Quotas::definition(model::QuotaPolicyId id) {
    const std::string key = model::QuotaKeys(id, context_.rules.partitions).definition();
    store::Call read = store::plain({"HGETALL", key}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(read)));
    HashRecord record("quota", reply);
    if (record.text("quota_policy_id").empty()) {
        co_return model::make_error("quota_policy_not_found", {id.to_string()});
    }
    QuotaStatus status{.id = id,
                       .name = record.text("name"),
                       .scope = {.type = record.text("scope_type"), .id = record.text("scope_id")},
                       .window_seconds = record.number("requests_per_window_seconds"),
                       .requests_per_window_max = record.number("max_requests_per_window"),
                       .concurrent_max = record.number("active_concurrency_cap"),
                       .jitter_ms = record.number("jitter_ms"),
                       .created_at = record.time("created_at")};
    FF_CO_CHECK(record.finish());
    co_return status;
}

Task<Done> Quotas::count_use(QuotaStatus& status) {
    const model::QuotaKeys keys(status.id, context_.rules.partitions);
    const std::string window = keys.window();
    const std::string concurrency = keys.concurrency();
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"TIME"}, true));
    reads.push_back(store::plain({"GET", concurrency}, true));
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
    }
    status.held_slots = replies[1]->to_integer().value_or(0);
    const std::int64_t now = store_time_ms(*replies[0]);
    const std::int64_t window_ms = status.window_seconds * 1'000;
    const std::string from = "(" + std::to_string(now - window_ms);
    std::vector<store::Call> more;
    more.push_back(store::plain({"ZCOUNT", window, from, "+inf"}, true));
    more.push_back(store::plain(
        {"ZRANGEBYSCORE", window, from, "+inf", "WITHSCORES", "LIMIT", "0", "1"}, true));
    const auto counted = co_await context_.store.pipeline(std::move(more));
    for (const auto& reply : counted) {
        if (!reply) co_return reply.error();
    }
    status.window_entries = counted[0]->to_integer().value_or(0);
    const auto oldest = first_score(*counted[1]);
    const bool is_full = status.requests_per_window_max > 0 &&
                         status.window_entries >= status.requests_per_window_max;
    if (is_full && oldest) {
        status.next_slot_in = Millis(std::max<std::int64_t>(*oldest + window_ms - now, 0));
    }
    co_return Done{};
}

Task<QuotaStatus> Quotas::get(model::QuotaPolicyId id) {
    FF_CO_TRY(QuotaStatus status, co_await definition(id));
    FF_CO_CHECK(co_await count_use(status));
    co_return status;
}

Task<QuotaPage> Quotas::list(std::string cursor, std::size_t limit) {
    const std::uint16_t partitions = context_.rules.partitions.num_quota_partitions();
    std::vector<store::Call> reads;
    for (std::uint16_t i = 0; i < partitions; ++i) {
        const std::string key =
            model::quota_policies_key(model::PartitionKey(model::PartitionFamily::Quota, i));
        reads.push_back(store::plain({"SMEMBERS", key}, true));
    }
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    std::vector<std::string> ids;
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
        for (std::string& id : texts_of(*reply)) {
            if (id > cursor) ids.push_back(std::move(id));
        }
    }
    std::ranges::sort(ids);
    QuotaPage page;
    if (ids.size() > limit) {
        ids.resize(limit);
        page.next_cursor = ids.back();
    }
    for (const std::string& text : ids) {
        const auto id = model::QuotaPolicyId::parse(text);
        if (!id) continue;
        auto status = co_await get(*id);
        if (status) {
            page.quotas.push_back(*std::move(status));
        } else if (status.error().code != "quota_policy_not_found") {
            co_return status.error();
        }
    }
    co_return page;
}

Task<std::int64_t> Quotas::update(QuotaChange change) {
    engine::UpdateQuotaPolicy update{
        .quota = {.id = change.id, .partitions = context_.rules.partitions},
        .actor = change.actor,
        .reason = change.reason,
        .window_seconds = change.window_seconds,
        .requests_per_window_max = change.requests_per_window_max,
        .concurrent_max = change.concurrent_max,
        .jitter_ms = change.jitter_ms,
        .name = change.name};
    FF_CO_TRY(const auto updated, co_await engine::run(context_.store, std::move(update)));
    co_return updated.revision;
}

Task<Done> Quotas::attach(model::QuotaPolicyId id, model::PolicyScope scope) {
    FF_CO_TRY(model::PolicyScope wanted, attachable_scope(std::move(scope), kBadScope));
    engine::AttachQuotaPolicy take{.quota = {.id = id, .partitions = context_.rules.partitions},
                                   .scope_type = wanted.type,
                                   .scope_id = wanted.id};
    FF_CO_CHECK(co_await engine::run(context_.store, std::move(take)));
    co_return co_await context_.claimer.attachments().attach(sched::PolicyFamily::Quota,
                                                             std::move(wanted), id.to_string());
}

Task<Done> Quotas::detach(model::QuotaPolicyId id, model::PolicyScope scope) {
    FF_CO_TRY(model::PolicyScope wanted, attachable_scope(std::move(scope), kBadScope));
    co_return co_await context_.claimer.attachments().detach(sched::PolicyFamily::Quota,
                                                             std::move(wanted), id.to_string());
}

}  // namespace ff::service
