#include "service/graph_fields.h"

#include <algorithm>

#include "base/near_name.h"

namespace ff::service {

GraphFields::GraphFields(json::Value value, std::string path, GraphProblems& problems)
    : path_(std::move(path)), problems_(problems) {
    if (value.is_object()) {
        object_ = value;
    } else {
        problems_.add({.code = "invalid_input", .path = path_, .message = "not an object"});
    }
}

std::string GraphFields::path_of(std::string_view name) const {
    if (path_.empty()) return std::string(name);
    return path_ + "." + std::string(name);
}

std::optional<json::Value> GraphFields::take(std::string_view name) {
    asked_.emplace(name);
    return object_ ? object_->find(name) : std::nullopt;
}

bool GraphFields::has(std::string_view name) {
    return take(name).has_value();
}

std::optional<std::string> GraphFields::text(std::string_view name, std::size_t bytes_max) {
    const auto value = take(name);
    if (!value) return std::nullopt;
    const auto text = value->as_string();
    if (!text) {
        refuse(name, "not a string");
        return std::nullopt;
    }
    if (text->size() > bytes_max) {
        refuse(name, "longer than " + std::to_string(bytes_max) + " bytes");
        return std::nullopt;
    }
    return std::string(*text);
}

std::optional<std::int64_t> GraphFields::integer(std::string_view name, std::int64_t least,
                                                 std::int64_t most) {
    const auto value = take(name);
    if (!value) return std::nullopt;
    const auto number = value->as_integer();
    if (!number) {
        refuse(name, "not an integer");
        return std::nullopt;
    }
    if (*number < least || *number > most) {
        refuse(name, "not in " + std::to_string(least) + ".." + std::to_string(most));
        return std::nullopt;
    }
    return number;
}

std::optional<bool> GraphFields::flag(std::string_view name) {
    const auto value = take(name);
    if (!value) return std::nullopt;
    const auto truth = value->as_bool();
    if (!truth) refuse(name, "not a boolean");
    return truth;
}

std::optional<json::Value> GraphFields::object(std::string_view name) {
    const auto value = take(name);
    if (!value || value->is_object()) return value;
    refuse(name, "not an object");
    return std::nullopt;
}

std::optional<json::Value> GraphFields::array(std::string_view name) {
    const auto value = take(name);
    if (!value || value->is_array()) return value;
    refuse(name, "not an array");
    return std::nullopt;
}

std::optional<Bytes> GraphFields::bytes(std::string_view name) {
    const std::string encoded_name = std::string(name) + "_base64";
    const auto plain = take(name);
    const auto encoded = take(encoded_name);
    if (plain && encoded) {
        refuse(name, "given together with " + encoded_name);
        return std::nullopt;
    }
    if (plain) {
        const auto text = plain->as_string();
        if (!text) refuse(name, "not a string");
        return text ? std::optional<Bytes>(*text) : std::nullopt;
    }
    if (!encoded) return std::nullopt;
    const auto text = encoded->as_string();
    auto decoded = text ? from_base64(*text) : std::nullopt;
    if (!decoded) refuse(encoded_name, "not base64");
    return decoded;
}

std::optional<model::DueTime> GraphFields::due_time(std::string_view name) {
    const auto value = take(name);
    if (!value) return std::nullopt;
    const auto number = value->as_integer();
    if (number && *number >= 0) return model::DueTime::at(timestamp_from_ms(*number));
    const auto text = value->as_string();
    if (text && text->starts_with('+')) {
        auto due = model::DueTime::parse(*text, name);
        if (due) return *due;
    }
    refuse(name, "neither milliseconds nor \"+<ms>\"");
    return std::nullopt;
}

TextMap GraphFields::texts(std::string_view name) {
    TextMap map;
    const auto value = object(name);
    if (!value) return map;
    for (std::size_t i = 0; i < value->size(); ++i) {
        const auto [key, item] = value->member(i);
        const auto text = item.as_string();
        if (text) {
            map.emplace_back(key, *text);
        } else {
            refuse(std::string(name) + "." + std::string(key), "not a string");
        }
    }
    return map;
}

void GraphFields::refuse(std::string_view name, std::string_view code, std::string message) {
    problems_.add(
        {.code = std::string(code), .path = path_of(name), .message = std::move(message)});
}

void GraphFields::finish() {
    if (!object_) return;
    for (std::size_t i = 0; i < object_->size(); ++i) {
        const auto [name, value] = object_->member(i);
        if (asked_.contains(name)) continue;
        const std::vector<std::string_view> known(asked_.begin(), asked_.end());
        refuse(name, unknown_name_text("field", name, known));
    }
}

}  // namespace ff::service
