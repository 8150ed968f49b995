#include "flowfabric/json.h"

#include <cmath>

#include "base/json.h"
#include "sdk/public_error.h"

namespace flowfabric {
namespace {

const Json& null_json() {
    static const Json null;
    return null;
}

Json convert(ff::json::Value value) {
    switch (value.kind()) {
        case ff::json::Kind::Null:
            return {};
        case ff::json::Kind::Bool:
            return *value.as_bool();
        case ff::json::Kind::String:
            return *value.as_string();
        case ff::json::Kind::Number: {
            const auto whole = value.as_integer();
            if (whole) return *whole;
            return value.as_number().value_or(0);
        }
        case ff::json::Kind::Array: {
            Json::Array items;
            items.reserve(value.size());
            for (std::size_t i = 0; i < value.size(); ++i)
                items.push_back(convert(value.element(i)));
            return items;
        }
        case ff::json::Kind::Object: {
            Json::Object members;
            members.reserve(value.size());
            for (std::size_t i = 0; i < value.size(); ++i) {
                const auto [name, member] = value.member(i);
                members.emplace_back(std::string(name), convert(member));
            }
            return Json::object(std::move(members));
        }
    }
    return {};
}

struct Dumper {
    ff::json::Writer& out;

    void operator()(std::monostate) { out.null(); }
    void operator()(bool value) { out.boolean(value); }
    void operator()(std::int64_t value) { out.integer(value); }
    void operator()(double value) { out.number(value); }
    void operator()(const std::string& text) { out.string(text); }
    void operator()(const Json::Array& items) {
        out.begin_array();
        for (const Json& item : items) out.raw(item.dump());
        out.end_array();
    }
    void operator()(const Json::Object& members) {
        out.begin_object();
        for (const auto& [name, value] : members) out.key(name).raw(value.dump());
        out.end_object();
    }
};

}  // namespace

Json::Json(std::uint64_t value) : value_(static_cast<std::int64_t>(value)) {}

Json Json::object(Object members) {
    Json made;
    made.value_ = std::move(members);
    return made;
}

Json Json::texts(const std::vector<std::string>& items) {
    Array array;
    for (const std::string& item : items) array.emplace_back(item);
    return array;
}

Result<Json> Json::parse(std::string_view text) {
    const auto document = ff::json::Document::parse(text);
    if (!document.has_value()) return ff::sdk::to_public(document.error());
    return convert(document->root());
}

std::string Json::dump() const {
    std::string out;
    ff::json::Writer writer(out);
    std::visit(Dumper{writer}, value_);
    return out;
}

bool Json::is_number() const {
    return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<double>(value_);
}

const std::string& Json::text() const {
    static const std::string empty;
    const auto* found = std::get_if<std::string>(&value_);
    return found == nullptr ? empty : *found;
}

std::int64_t Json::integer(std::int64_t otherwise) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value_)) return *whole;
    if (const auto* real = std::get_if<double>(&value_)) return std::llround(*real);
    return otherwise;
}

double Json::number(double otherwise) const {
    if (const auto* real = std::get_if<double>(&value_)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
    return otherwise;
}

bool Json::boolean(bool otherwise) const {
    const auto* found = std::get_if<bool>(&value_);
    return found == nullptr ? otherwise : *found;
}

const Json::Array& Json::items() const {
    static const Array none;
    const auto* found = std::get_if<Array>(&value_);
    return found == nullptr ? none : *found;
}

const Json::Object& Json::members() const {
    static const Object none;
    const auto* found = std::get_if<Object>(&value_);
    return found == nullptr ? none : *found;
}

const Json& Json::operator[](std::string_view name) const {
    for (const auto& [key, value] : members()) {
        if (key == name) return value;
    }
    return null_json();
}

std::vector<std::string> Json::text_items() const {
    std::vector<std::string> texts;
    for (const Json& item : items()) texts.push_back(item.text());
    return texts;
}

Json& Json::set(std::string name, Json value) {
    if (!is_object()) value_ = Object{};
    auto& members = std::get<Object>(value_);
    for (auto& [key, held] : members) {
        if (key != name) continue;
        held = std::move(value);
        return *this;
    }
    members.emplace_back(std::move(name), std::move(value));
    return *this;
}

Json& Json::set_text(std::string name, const std::string& text) {
    if (text.empty()) return *this;
    return set(std::move(name), Json(text));
}

Json& Json::push(Json value) {
    if (!is_array()) value_ = Array{};
    std::get<Array>(value_).push_back(std::move(value));
    return *this;
}

}  // namespace flowfabric
