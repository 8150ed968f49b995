#include "app/partition_record.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/log.h"
#include "model/error_catalogue.h"
#include "model/global_keys.h"

namespace ff::app {
namespace {

constexpr std::int64_t kCountMost = 65'535;

struct Count {
    std::string_view field{};
    std::uint16_t value = 0;
};

std::array<Count, 3> counts_of(const model::PartitionConfig& partitions) {
    return {Count{.field = "num_flow_partitions", .value = partitions.num_flow_partitions()},
            Count{.field = "num_budget_partitions", .value = partitions.num_budget_partitions()},
            Count{.field = "num_quota_partitions", .value = partitions.num_quota_partitions()}};
}

std::int64_t stored_count(const store::Reply& record, std::string_view field) {
    const store::Reply* value = record.find(field);
    return value == nullptr ? 0 : value->to_integer().value_or(0);
}

Error mismatch(std::string_view field, const std::string& stored, const std::string& configured) {
    Error error = model::make_error("partition_mismatch", {std::string(field), stored, configured});
    error.message = "partition_mismatch: the store was made with " + std::string(field) + " " +
                    stored + ", and this server is configured for " + configured;
    return error;
}

/// The first count that the record has otherwise.
Result<Done> compare(const store::Reply& record, const model::PartitionConfig& partitions) {
    for (const Count& count : counts_of(partitions)) {
        const std::int64_t stored = stored_count(record, count.field);
        if (stored != count.value)
            return mismatch(count.field, std::to_string(stored), std::to_string(count.value));
    }
    return Done{};
}

std::string_view layout_of(const store::Reply& record) {
    const store::Reply* layout = record.find("layout");
    return layout == nullptr ? std::string_view() : layout->text().value_or("");
}

/// Names the first count in which a foreign layout differs. The counts themselves may be missing:
/// the layout was written first.
Error foreign_layout(const store::Reply& record, const model::PartitionConfig& partitions) {
    std::string_view rest = layout_of(record);
    for (const Count& count : counts_of(partitions)) {
        const std::string_view stored = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), stored.size() + 1));
        const std::string configured = std::to_string(count.value);
        if (stored != configured) return mismatch(count.field, std::string(stored), configured);
    }
    return mismatch("layout", std::string(layout_of(record)), partitions.layout());
}

}  // namespace

Task<Done> agree_on_partitions(store::Store& store, model::PartitionConfig partitions) {
    const std::string_view key = model::kPartitionConfigKey;
    const std::string layout = partitions.layout();
    store::Call claim = store::plain({"HSETNX", key, "layout", layout}, true);
    FF_CO_TRY(const store::Reply claimed, co_await store.call(std::move(claim)));
    store::Call read = store::plain({"HGETALL", key}, true);
    FF_CO_TRY(const store::Reply record, co_await store.call(std::move(read)));
    const bool was_absent = claimed.to_integer() == 1;
    const bool has_counts = record.pair_count() > 1;
    if (was_absent && has_counts) {
        const Result<Done> compared = compare(record, partitions);
        if (!compared.has_value()) {
            store::Call undo = store::plain({"HDEL", key, "layout"}, true);
            FF_CO_CHECK(co_await store.call(std::move(undo)));
            co_return compared.error();
        }
    }
    if (layout_of(record) != layout) co_return foreign_layout(record, partitions);
    store::Call write = store::plain({"HSET", key}, true);
    for (const Count& count : counts_of(partitions))
        write.command.arg(count.field).arg(count.value);
    FF_CO_CHECK(co_await store.call(std::move(write)));
    co_return Done{};
}

Task<model::PartitionConfig> stored_partitions(store::Store& store) {
    store::Call read = store::plain({"HGETALL", model::kPartitionConfigKey}, true);
    FF_CO_TRY(const store::Reply record, co_await store.call(std::move(read)));
    const model::PartitionConfig defaults;
    if (record.pair_count() == 0) {
        log::warn("app", "partition_counts_not_stored", {{"assumed", defaults.layout()}});
        co_return defaults;
    }
    std::array<Count, 3> counts = counts_of(defaults);
    for (Count& count : counts) {
        const store::Reply* const stored = record.find(count.field);
        if (stored == nullptr) continue;
        const auto number = stored->to_integer();
        if (!number || *number < 1 || *number > kCountMost) {
            const std::string text(stored->text().value_or(""));
            co_return model::make_error("config", {std::string(count.field), text});
        }
        count.value = static_cast<std::uint16_t>(*number);
    }
    co_return model::PartitionConfig::create(
        {.flow = counts[0].value, .budget = counts[1].value, .quota = counts[2].value});
}

}  // namespace ff::app
