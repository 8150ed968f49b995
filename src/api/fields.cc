#include "api/fields.h"

#include <algorithm>
#include <utility>

#include "base/near_name.h"
#include "model/execution_id.h"

namespace ff::api {
namespace {

/// An execution has two spellings.
bool is_same_id(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const auto first = model::ExecutionId::parse(a);
    const auto second = model::ExecutionId::parse(b);
    return first.has_value() && second.has_value() && *first == *second;
}

}  // namespace

Error within_field(Error error, const std::string& field) {
    if (error.detail.empty()) {
        error.detail.push_back(field);
    } else if (!error.detail.front().starts_with(field + ":")) {
        error.detail.front() = field + ":" + error.detail.front();
    }
    error.message = "invalid input: " + error.detail.front();
    return error;
}

Error Fields::refuse(std::string_view name, std::string_view why) const {
    return invalid_input(full_name(name), why);
}

Result<std::optional<json::Value>> Fields::typed(std::string_view name, json::Kind kind,
                                                 std::string_view why) const {
    const auto found = object_.find(name);
    if (found && found->kind() != kind) return refuse(name, why);
    return found;
}

Result<std::optional<std::string>> Fields::text_if(std::string_view name, TextLimits limits) const {
    FF_TRY(const auto found, typed(name, json::Kind::String, "not_string"));
    if (!found) return std::optional<std::string>();
    const std::string_view text = *found->as_string();
    if (text.size() < limits.least) return refuse(name, "too_short");
    if (text.size() > limits.most) return refuse(name, "too_long");
    return std::optional<std::string>(text);
}

Result<std::string> Fields::text(std::string_view name, TextLimits limits) const {
    FF_TRY(auto found, text_if(name, limits));
    if (!found) return refuse(name, "missing");
    return *std::move(found);
}

Result<std::string> Fields::text_or(std::string_view name, std::string_view otherwise,
                                    TextLimits limits) const {
    FF_TRY(auto found, text_if(name, limits));
    return std::move(found).value_or(std::string(otherwise));
}

Result<std::optional<std::int64_t>> Fields::integer_if(std::string_view name,
                                                       IntegerLimits limits) const {
    const auto found = object_.find(name);
    if (!found) return std::optional<std::int64_t>();
    const auto value = found->as_integer();
    if (!value) return refuse(name, "not_integer");
    if (*value < limits.least || *value > limits.most) return refuse(name, "out_of_range");
    return value;
}

Result<std::int64_t> Fields::integer(std::string_view name, IntegerLimits limits) const {
    FF_TRY(const auto found, integer_if(name, limits));
    if (!found) return refuse(name, "missing");
    return *found;
}

Result<std::int64_t> Fields::integer_or(std::string_view name, std::int64_t otherwise,
                                        IntegerLimits limits) const {
    FF_TRY(const auto found, integer_if(name, limits));
    return found.value_or(otherwise);
}

Result<std::optional<double>> Fields::number_if(std::string_view name) const {
    FF_TRY(const auto found, typed(name, json::Kind::Number, "not_number"));
    if (!found) return std::optional<double>();
    return found->as_number();
}

Result<std::optional<bool>> Fields::flag_if(std::string_view name) const {
    FF_TRY(const auto found, typed(name, json::Kind::Bool, "not_boolean"));
    if (!found) return std::optional<bool>();
    return found->as_bool();
}

Result<bool> Fields::flag_or(std::string_view name, bool otherwise) const {
    FF_TRY(const auto found, flag_if(name));
    return found.value_or(otherwise);
}

Result<std::optional<Fields>> Fields::fields_if(std::string_view name) const {
    FF_TRY(const auto found, typed(name, json::Kind::Object, "not_object"));
    if (!found) return std::optional<Fields>();
    return std::optional<Fields>(Fields(*found, full_name(name) + "."));
}

Result<Fields> Fields::fields(std::string_view name) const {
    FF_TRY(auto found, fields_if(name));
    if (!found) return refuse(name, "missing");
    return *std::move(found);
}

Result<std::optional<std::string>> Fields::object_text_if(std::string_view name) const {
    FF_TRY(const auto found, typed(name, json::Kind::Object, "not_object"));
    if (!found) return std::optional<std::string>();
    return std::optional<std::string>(found->to_text());
}

Result<std::vector<json::Value>> Fields::array(std::string_view name, CountLimits limits) const {
    FF_TRY(const auto found, typed(name, json::Kind::Array, "not_array"));
    std::vector<json::Value> out;
    if (!found && limits.least > 0) return refuse(name, "missing");
    if (!found) return out;
    if (found->size() < limits.least) return refuse(name, "too_short");
    if (found->size() > limits.most) return refuse(name, "too_long");
    out.reserve(found->size());
    for (std::size_t i = 0; i < found->size(); ++i) out.push_back(found->element(i));
    return out;
}

Result<std::vector<Fields>> Fields::objects(std::string_view name, CountLimits limits) const {
    FF_TRY(const auto values, array(name, limits));
    std::vector<Fields> out;
    out.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string place = std::string(name) + "[" + std::to_string(i) + "]";
        if (!values[i].is_object()) return refuse(place, "not_object");
        out.emplace_back(values[i], full_name(place) + ".");
    }
    return out;
}

Result<std::vector<std::string>> Fields::texts(std::string_view name, CountLimits count,
                                               TextLimits each) const {
    FF_TRY(const auto values, array(name, count));
    std::vector<std::string> out;
    out.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string place = std::string(name) + "[" + std::to_string(i) + "]";
        const auto text = values[i].as_string();
        if (!text) return refuse(place, "not_string");
        if (text->size() < each.least) return refuse(place, "too_short");
        if (text->size() > each.most) return refuse(place, "too_long");
        out.emplace_back(*text);
    }
    return out;
}

Result<std::optional<std::map<std::string, std::string>>> Fields::text_map_if(
    std::string_view name) const {
    FF_TRY(const auto found, typed(name, json::Kind::Object, "not_object"));
    if (!found) return std::optional<std::map<std::string, std::string>>();
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto [key, value] = found->member(i);
        const auto text = value.as_string();
        if (!text) return refuse(std::string(name) + "." + std::string(key), "not_string");
        out.emplace(key, *text);
    }
    return std::optional(std::move(out));
}

Result<std::optional<std::map<std::string, std::int64_t>>> Fields::integer_map_if(
    std::string_view name, IntegerLimits each) const {
    FF_TRY(const auto found, typed(name, json::Kind::Object, "not_object"));
    if (!found) return std::optional<std::map<std::string, std::int64_t>>();
    const Fields members(*found, full_name(name) + ".");
    std::map<std::string, std::int64_t> out;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const std::string key(found->member(i).first);
        FF_TRY(const auto value, members.integer(key, each));
        out.emplace(key, value);
    }
    return std::optional(std::move(out));
}

Result<std::optional<Bytes>> Fields::bytes_if(std::string_view name) const {
    const std::string encoded_name = std::string(name) + "_base64";
    FF_TRY(auto plain, text_if(name));
    FF_TRY(const auto encoded, text_if(encoded_name));
    if (plain && encoded) return refuse(name, "given_twice");
    if (!encoded) return plain;
    auto bytes = from_base64(*encoded);
    if (!bytes) return refuse(encoded_name, "not_base64");
    return bytes;
}

Result<std::optional<model::DueTime>> Fields::due_if(std::string_view name) const {
    const auto found = object_.find(name);
    if (!found) return std::optional<model::DueTime>();
    if (const auto ms = found->as_integer())
        return std::optional(model::DueTime::at(timestamp_from_ms(*ms)));
    const auto text = found->as_string();
    if (!text || !text->starts_with('+')) return refuse(name, "not_integer");
    FF_TRY(const model::DueTime due, model::DueTime::parse(*text, full_name(name)));
    return std::optional(due);
}

Result<Done> Fields::only(std::span<const std::string_view> known) const {
    for (std::size_t i = 0; i < object_.size(); ++i) {
        const std::string_view name = object_.member(i).first;
        if (std::ranges::find(known, name) == known.end())
            return unknown_name("field", place_, name, known);
    }
    return Done{};
}

Result<Done> Fields::matches_path(std::string_view name, std::string_view in_path) const {
    FF_TRY(const auto given, text_if(name));
    if (given && !is_same_id(*given, in_path)) return refuse(name, "path_mismatch");
    return Done{};
}

void write_bytes(json::Writer& out, std::string_view name, std::string_view bytes) {
    if (is_utf8(bytes)) {
        out.key(name).string(bytes);
    } else {
        out.key(std::string(name) + "_base64").string(to_base64(bytes));
    }
}

}  // namespace ff::api
