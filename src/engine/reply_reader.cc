#include "engine/reply_reader.h"

#include <utility>
#include <vector>

#include "model/error_catalogue.h"

namespace ff::engine {
namespace {

Error parse_fault(std::string_view function, std::string_view name) {
    Error error = model::make_error("parse_error", {std::string(function), std::string(name)});
    error.kind = "parse_error";
    return error;
}

Error refusal(std::string_view function, std::span<const store::Reply> items) {
    const auto code = items.size() < 2 ? std::nullopt : items[1].text();
    if (!code) return parse_fault(function, "code");
    std::vector<std::string> details;
    for (const store::Reply& item : items.subspan(2)) {
        const auto detail = item.text();
        if (!detail) return parse_fault(function, "detail");
        details.emplace_back(*detail);
    }
    return model::make_error(*code, std::move(details));
}

}  // namespace

Result<ReplyReader> ReplyReader::open(std::string_view function,
                                      std::span<const store::Reply> items) {
    if (items.size() < 2) return parse_fault(function, "reply");
    const auto flag = items[0].as_integer();
    if (flag == 0) return refusal(function, items);
    if (flag != 1 || !items[1].text()) return parse_fault(function, "reply");
    return ReplyReader(function, items);
}

std::string_view ReplyReader::word() const {
    return text_or_empty(2);
}

Result<std::string_view> ReplyReader::text(std::size_t position, std::string_view name) const {
    if (position == 0 || position > items_.size()) return fault(name);
    const auto found = items_[position - 1].text();
    if (!found) return fault(name);
    return *found;
}

std::string_view ReplyReader::text_or_empty(std::size_t position) const {
    if (position == 0 || position > items_.size()) return {};
    return items_[position - 1].text().value_or(std::string_view());
}

Result<std::int64_t> ReplyReader::integer(std::size_t position, std::string_view name) const {
    if (position == 0 || position > items_.size()) return fault(name);
    const auto found = items_[position - 1].to_integer();
    if (!found) return fault(name);
    return *found;
}

Result<Timestamp> ReplyReader::time(std::size_t position, std::string_view name) const {
    FF_TRY(const std::int64_t ms, integer(position, name));
    return timestamp_from_ms(ms);
}

Result<std::span<const store::Reply>> ReplyReader::items(std::size_t position,
                                                         std::string_view name) const {
    if (position == 0 || position > items_.size()) return fault(name);
    const store::Reply& found = items_[position - 1];
    if (!found.is_aggregate()) return fault(name);
    return found.items();
}

Error ReplyReader::fault(std::string_view name) const {
    return parse_fault(function_, name);
}

}  // namespace ff::engine
