#include "calendar/when_fields.h"

#include <algorithm>
#include <span>

#include "base/near_name.h"
#include "calendar/refusal.h"

namespace ff::calendar {

std::string WhenFields::name_of(std::string_view member) const {
    return place_ + "." + std::string(member);
}

std::string WhenFields::name_of(std::string_view member, std::size_t index) const {
    return name_of(member) + "[" + std::to_string(index) + "]";
}

Result<Done> WhenFields::only(std::initializer_list<std::string_view> known) const {
    if (!value_.is_object()) return refuse(place_, "an object is needed");
    for (std::size_t i = 0; i < value_.size(); ++i) {
        const std::string_view name = value_.member(i).first;
        if (std::ranges::find(known, name) == known.end())
            return unknown_name("field", place_ + ".", name,
                                std::span(known.begin(), known.size()));
    }
    return Done{};
}

Result<std::vector<json::Value>> WhenFields::list(std::string_view name, std::size_t most) const {
    std::vector<json::Value> items;
    const auto given = value_.find(name);
    if (!given) return items;
    if (!given->is_array()) return refuse(name_of(name), "a list is needed");
    if (given->size() > most)
        return refuse(name_of(name), "more than " + std::to_string(most) + " entries");
    for (std::size_t i = 0; i < given->size(); ++i) items.push_back(given->element(i));
    return items;
}

Result<std::vector<std::string>> WhenFields::texts(std::string_view name, std::size_t most) const {
    const auto given = value_.find(name);
    if (given && given->as_string())
        return std::vector<std::string>{std::string(*given->as_string())};
    FF_TRY(const std::vector<json::Value> items, list(name, most));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto text = items[i].as_string();
        if (!text) return refuse(name_of(name, i), "a text is needed");
        texts.emplace_back(*text);
    }
    return texts;
}

Result<std::optional<std::int64_t>> WhenFields::integer(std::string_view name, std::int64_t least,
                                                        std::int64_t most) const {
    const auto given = value_.find(name);
    if (!given) return std::optional<std::int64_t>();
    const auto number = given->as_integer();
    if (!number || *number < least || *number > most)
        return refuse(name_of(name), "a whole number in " + std::to_string(least) + " to " +
                                         std::to_string(most) + " is needed");
    return number;
}

}  // namespace ff::calendar
