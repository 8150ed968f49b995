#include "app/partition_record.h"

#include <array>
#include <string>
#include <utility>

#include "model/error_catalogue.h"
#include "model/global_keys.h"

namespace ff::app {
namespace {

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
    error.message = "the store was made with " + std::string(field) + " " + stored +
                    ", and this server is configured for " + configured;
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

/// The counts of a foreign layout, where its record was torn before they were written.
Error foreign_layout(const store::Reply& record, const model::PartitionConfig& partitions) {
    const Result<Done> compared = compare(record, partitions);
    if (!compared.has_value()) return compared.error();
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

}  // namespace ff::app
