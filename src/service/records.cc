#include "service/records.h"

#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"

namespace ff::service {
namespace {

std::string text_at(std::span<const store::Reply> items, std::size_t index) {
    return index < items.size() ? std::string(items[index].text().value_or("")) : std::string();
}

std::optional<Timestamp> time_from(std::string_view text) {
    const auto ms = parse_i64(text);
    return ms ? std::optional(timestamp_from_ms(*ms)) : std::nullopt;
}

}  // namespace

RecordFields fields_of(const store::Reply& reply) {
    RecordFields fields;
    const auto items = reply.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        fields.emplace_back(items[i].text().value_or(""), items[i + 1].text().value_or(""));
    }
    return fields;
}

std::string_view field_of(const RecordFields& fields, std::string_view name) {
    for (const auto& [key, value] : fields) {
        if (key == name) return value;
    }
    return {};
}

std::optional<Timestamp> time_of(const RecordFields& fields, std::string_view name) {
    return time_from(field_of(fields, name));
}

Task<Standing> standing_of(store::Store& store, model::ExecutionId execution_id) {
    const model::ExecKeys keys(execution_id);
    store::Call call =
        store::plain({"HMGET", keys.core(), "lifecycle_phase", "purging", "public_state",
                      "terminal_outcome", "completed_at", "total_attempt_count"},
                     true);
    FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(call)));
    const auto items = reply.items();
    if (text_at(items, 0).empty() || !text_at(items, 1).empty())
        co_return model::make_error("execution_not_found");
    co_return Standing{.lifecycle_phase = text_at(items, 0),
                       .public_state = text_at(items, 2),
                       .terminal_outcome = text_at(items, 3),
                       .completed_at = time_from(text_at(items, 4)),
                       .total_attempts = parse_i64(text_at(items, 5)).value_or(0)};
}

Task<Done> require_execution(store::Store& store, model::ExecutionId execution_id) {
    const Result<Standing> standing = co_await standing_of(store, execution_id);
    if (!standing.has_value()) co_return standing.error();
    co_return Done{};
}

}  // namespace ff::service
