#include "service/hash_record.h"

#include <vector>

#include "base/numbers.h"
#include "model/error_catalogue.h"

namespace ff::service {

std::string HashRecord::text(std::string_view field) const {
    const store::Reply* value = reply_->find(field);
    return value == nullptr ? std::string() : std::string(value->text().value_or(""));
}

std::int64_t HashRecord::number(std::string_view field) {
    const std::string value = text(field);
    if (value.empty()) return 0;
    const auto parsed = parse_i64(value);
    if (!parsed && bad_field_.empty()) bad_field_ = field;
    return parsed.value_or(0);
}

std::optional<Timestamp> HashRecord::time(std::string_view field) {
    const std::int64_t ms = number(field);
    return ms == 0 ? std::nullopt : std::optional(timestamp_from_ms(ms));
}

Result<Done> HashRecord::finish() const {
    if (bad_field_.empty()) return Done{};
    return model::make_error("parse_error", {what_, bad_field_});
}

std::vector<std::string> texts_of(const store::Reply& reply) {
    std::vector<std::string> texts;
    texts.reserve(reply.items().size());
    for (const store::Reply& item : reply.items()) {
        if (const auto text = item.text()) texts.emplace_back(*text);
    }
    return texts;
}

}  // namespace ff::service
