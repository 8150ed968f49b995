#include "resp/value.h"

#include <cmath>

#include "base/assert.h"
#include "base/numbers.h"
#include "resp/writer.h"

namespace ff::resp {
namespace {

constexpr std::size_t kVerbatimPrefix = 4;  // "txt:"

void append_quoted(std::string& out, std::string_view bytes) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7f) {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

void append_value(std::string& out, const Value& value);

void append_list(std::string& out, std::string_view brackets, const Value& value) {
    const bool pairs = value.type() == Type::Map;
    out += brackets.front();
    std::size_t index = 0;
    for (const Value& item : value.items()) {
        if (index > 0) out += pairs && index % 2 == 1 ? ": " : ", ";
        append_value(out, item);
        ++index;
    }
    out += brackets.back();
}

void append_tagged(std::string& out, std::string_view tag, std::string_view bytes) {
    out.append("(").append(tag).append(") ");
    append_quoted(out, bytes);
}

void append_value(std::string& out, const Value& value) {
    const std::string_view text = value.text().value_or("");
    switch (value.type()) {
        case Type::Null:
            out += "null";
            return;
        case Type::Boolean:
            out += *value.as_boolean() ? "true" : "false";
            return;
        case Type::Integer:
            out += std::to_string(*value.as_integer());
            return;
        case Type::Double: {
            char digits[kDoubleTextMax];
            out.append("(double) ").append(digits, format_double(*value.as_double(), digits));
            return;
        }
        case Type::SimpleString:
            return append_tagged(out, "simple", text);
        case Type::BulkString:
            return append_quoted(out, text);
        case Type::Error:
            return append_tagged(out, "error", value.error_text());
        case Type::VerbatimString:
            return append_tagged(out, value.verbatim_format(), text);
        case Type::BigNumber:
            return append_tagged(out, "big", text);
        case Type::Array:
            return append_list(out, "[]", value);
        case Type::Map:
            return append_list(out, "{}", value);
        case Type::Set:
            out += "(set) ";
            return append_list(out, "[]", value);
        case Type::Push:
            out += "(push) ";
            return append_list(out, "[]", value);
    }
}

}  // namespace

static_assert(sizeof(Value) <= 40, "replies are vectors of these");

std::string_view to_string(Type type) {
    switch (type) {
        case Type::Null:
            return "null";
        case Type::Boolean:
            return "boolean";
        case Type::Integer:
            return "integer";
        case Type::Double:
            return "double";
        case Type::SimpleString:
            return "simple string";
        case Type::BulkString:
            return "bulk string";
        case Type::Error:
            return "error";
        case Type::VerbatimString:
            return "verbatim string";
        case Type::BigNumber:
            return "big number";
        case Type::Array:
            return "array";
        case Type::Map:
            return "map";
        case Type::Set:
            return "set";
        case Type::Push:
            return "push";
    }
    return "";
}

Value Value::verbatim(std::string_view format, std::string_view text) {
    FF_ASSERT(format.size() == kVerbatimPrefix - 1);
    std::string whole;
    whole.reserve(kVerbatimPrefix + text.size());
    whole.append(format).append(":").append(text);
    return make<Type::VerbatimString>(std::move(whole));
}

Value Value::map(Items flat) {
    FF_ASSERT(flat.size() % 2 == 0);
    return make<Type::Map>(std::move(flat));
}

Value Value::of_text(Type type, std::string bytes) {
    if (type == Type::BulkString) return bulk(std::move(bytes));
    if (type == Type::SimpleString) return simple(std::move(bytes));
    if (type == Type::Error) return error(std::move(bytes));
    if (type == Type::BigNumber) return big_number(std::move(bytes));
    FF_ASSERT(type == Type::VerbatimString);
    return make<Type::VerbatimString>(std::move(bytes));
}

Value Value::of_items(Type type, Items items) {
    if (type == Type::Array) return array(std::move(items));
    if (type == Type::Map) return map(std::move(items));
    if (type == Type::Set) return set(std::move(items));
    FF_ASSERT(type == Type::Push);
    return push(std::move(items));
}

const std::string* Value::raw_text() const {
    return std::visit(
        [](const auto& content) -> const std::string* {
            if constexpr (std::is_same_v<decltype(content), const std::string&>) {
                return &content;
            } else {
                return nullptr;
            }
        },
        state_);
}

const Value::Items* Value::raw_items() const {
    return std::visit(
        [](const auto& content) -> const Items* {
            if constexpr (std::is_same_v<decltype(content), const Items&>) {
                return &content;
            } else {
                return nullptr;
            }
        },
        state_);
}

std::optional<bool> Value::as_boolean() const {
    const auto* truth = std::get_if<bool>(&state_);
    return truth != nullptr ? std::optional(*truth) : std::nullopt;
}

std::optional<std::int64_t> Value::as_integer() const {
    const auto* number = std::get_if<std::int64_t>(&state_);
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<double> Value::as_double() const {
    const auto* number = std::get_if<double>(&state_);
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<std::int64_t> Value::to_integer() const {
    if (type() == Type::Integer) return as_integer();
    const std::optional<std::string_view> spelled = text();
    return spelled.has_value() ? parse_i64(*spelled) : std::nullopt;
}

std::optional<std::string_view> Value::text() const {
    const std::string* whole = raw_text();
    if (whole == nullptr || is_error()) return std::nullopt;
    if (type() == Type::VerbatimString) return std::string_view(*whole).substr(kVerbatimPrefix);
    return *whole;
}

std::string_view Value::verbatim_format() const {
    if (type() != Type::VerbatimString) return {};
    return std::string_view(*raw_text()).substr(0, kVerbatimPrefix - 1);
}

std::string_view Value::error_text() const {
    return is_error() ? std::string_view(*raw_text()) : std::string_view();
}

std::string_view Value::error_code() const {
    const std::string_view whole = error_text();
    return whole.substr(0, whole.find(' '));
}

std::span<const Value> Value::items() const {
    const Items* content = raw_items();
    return content != nullptr ? std::span<const Value>(*content) : std::span<const Value>();
}

std::span<Value> Value::mutable_items() {
    const Items* content = raw_items();
    return content != nullptr ? std::span<Value>(*const_cast<Items*>(content)) : std::span<Value>();
}

std::size_t Value::pair_count() const {
    const std::size_t count = items().size();
    const bool paired = type() == Type::Map || (type() == Type::Array && count % 2 == 0);
    return paired ? count / 2 : 0;
}

const Value* Value::find(std::string_view key) const {
    const std::span<const Value> flat = items();
    for (std::size_t pair = 0; pair < pair_count(); ++pair) {
        if (flat[pair * 2].text() == key) return &flat[pair * 2 + 1];
    }
    return nullptr;
}

std::optional<std::string> Value::take_text() && {
    if (!text().has_value()) return std::nullopt;
    const bool prefixed = type() == Type::VerbatimString;
    std::string bytes = std::move(*const_cast<std::string*>(raw_text()));
    if (prefixed) bytes.erase(0, kVerbatimPrefix);
    state_.emplace<std::monostate>();
    return bytes;
}

Value::Items Value::take_items() && {
    if (!is_aggregate()) return {};
    Items content = std::move(*const_cast<Items*>(raw_items()));
    state_.emplace<std::monostate>();
    return content;
}

bool operator==(const Value& a, const Value& b) {
    if (a.type() != b.type()) return false;
    if (a.type() == Type::Double && std::isnan(*a.as_double())) return std::isnan(*b.as_double());
    return a.state_ == b.state_;
}

std::string Value::to_debug_text() const {
    std::string out;
    append_value(out, *this);
    return out;
}

}  // namespace ff::resp
