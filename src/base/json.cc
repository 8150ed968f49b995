#include "base/json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <boost/json/serialize.hpp>
#include <boost/json/src.hpp>

#include "base/numbers.h"

namespace ff::json {
namespace {

bool needs_escape(char c) {
    const bool control = static_cast<unsigned char>(c) < 0x20;
    const bool marks = c == '"';
    const bool escapes = c == '\\';
    return control | marks | escapes;
}

/// True if any of eight bytes does. Payloads are long and seldom hold one.
bool any_needs_escape(const char* eight) {
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHighs = kOnes * 0x80;
    std::uint64_t word = 0;
    std::memcpy(&word, eight, sizeof word);
    const auto below = [](std::uint64_t bytes, std::uint64_t bound) {
        return (bytes - kOnes * bound) & ~bytes & kHighs;
    };
    return (below(word, 0x20) | below(word ^ (kOnes * '"'), 1) | below(word ^ (kOnes * '\\'), 1)) !=
           0;
}

constexpr std::size_t kBlockBytes = 64;

/// The same of a block. No branch inside: the compiler makes vectors of it.
bool block_needs_escape(const char* block) {
    unsigned char found = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i)
        found =
            static_cast<unsigned char>(found | static_cast<unsigned char>(needs_escape(block[i])));
    return found != 0;
}

/// How many bytes at the start can be taken as they are.
std::size_t plain_length(std::string_view text) {
    std::size_t at = 0;
    while (at + kBlockBytes <= text.size() && !block_needs_escape(text.data() + at))
        at += kBlockBytes;
    while (at + 8 <= text.size() && !any_needs_escape(text.data() + at)) at += 8;
    while (at < text.size() && !needs_escape(text[at])) ++at;
    return at;
}

void append_escaped(std::string& out, std::string_view text) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t plain = plain_length(text);
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) break;
        const char c = text.front();
        const auto byte = static_cast<unsigned char>(c);
        text.remove_prefix(1);
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (c == '\n') {
            out += "\\n";
        } else {
            out += "\\u00";
            out.push_back(kDigits[byte >> 4]);
            out.push_back(kDigits[byte & 0xf]);
        }
    }
    out.push_back('"');
}

}  // namespace

Kind Value::kind() const {
    switch (value_->kind()) {
        case boost::json::kind::null:
            return Kind::Null;
        case boost::json::kind::bool_:
            return Kind::Bool;
        case boost::json::kind::int64:
        case boost::json::kind::uint64:
        case boost::json::kind::double_:
            return Kind::Number;
        case boost::json::kind::string:
            return Kind::String;
        case boost::json::kind::array:
            return Kind::Array;
        case boost::json::kind::object:
            return Kind::Object;
    }
    return Kind::Null;
}

std::optional<bool> Value::as_bool() const {
    if (const bool* value = value_->if_bool()) return *value;
    return std::nullopt;
}

std::optional<std::int64_t> Value::as_integer() const {
    const std::optional<double> number = as_number();
    if (!number || std::trunc(*number) != *number) return std::nullopt;
    if (std::abs(*number) > static_cast<double>(kSafeIntegerMax)) return std::nullopt;
    if (const std::int64_t* value = value_->if_int64()) return *value;
    return static_cast<std::int64_t>(*number);
}

std::optional<double> Value::as_number() const {
    if (const std::int64_t* value = value_->if_int64()) return static_cast<double>(*value);
    if (const std::uint64_t* value = value_->if_uint64()) return static_cast<double>(*value);
    if (const double* value = value_->if_double()) return *value;
    return std::nullopt;
}

std::optional<std::string_view> Value::as_string() const {
    if (const boost::json::string* value = value_->if_string())
        return std::string_view(value->data(), value->size());
    return std::nullopt;
}

std::size_t Value::size() const {
    if (const boost::json::array* array = value_->if_array()) return array->size();
    if (const boost::json::object* object = value_->if_object()) return object->size();
    return 0;
}

Value Value::element(std::size_t index) const {
    const boost::json::array* array = value_->if_array();
    FF_ASSERT(array != nullptr && index < array->size());
    return Value((*array)[index]);
}

std::pair<std::string_view, Value> Value::member(std::size_t index) const {
    const boost::json::object* object = value_->if_object();
    FF_ASSERT(object != nullptr && index < object->size());
    const boost::json::key_value_pair& pair =
        *(object->begin() + static_cast<std::ptrdiff_t>(index));
    return {std::string_view(pair.key().data(), pair.key().size()), Value(pair.value())};
}

std::optional<Value> Value::find(std::string_view name) const {
    const boost::json::object* object = value_->if_object();
    if (object == nullptr) return std::nullopt;
    const boost::json::value* found =
        object->if_contains(boost::json::string_view(name.data(), name.size()));
    if (found == nullptr || found->is_null()) return std::nullopt;
    return Value(*found);
}

std::string Value::to_text() const {
    return boost::json::serialize(*value_);
}

void Writer::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (has_items_.empty()) return;
    if (has_items_.back()) out_.push_back(',');
    has_items_.back() = true;
}

Writer& Writer::begin_object() {
    separate();
    has_items_.push_back(false);
    out_.push_back('{');
    return *this;
}

Writer& Writer::end_object() {
    has_items_.pop_back();
    out_.push_back('}');
    return *this;
}

Writer& Writer::begin_array() {
    separate();
    has_items_.push_back(false);
    out_.push_back('[');
    return *this;
}

Writer& Writer::end_array() {
    has_items_.pop_back();
    out_.push_back(']');
    return *this;
}

Writer& Writer::key(std::string_view name) {
    separate();
    append_escaped(out_, name);
    out_.push_back(':');
    after_key_ = true;
    return *this;
}

Writer& Writer::string(std::string_view text) {
    separate();
    append_escaped(out_, text);
    return *this;
}

Writer& Writer::integer(std::int64_t value) {
    separate();
    out_ += std::to_string(value);
    return *this;
}

Writer& Writer::unsigned_integer(std::uint64_t value) {
    separate();
    out_ += std::to_string(value);
    return *this;
}

Writer& Writer::number(double value) {
    if (!std::isfinite(value)) return null();
    separate();
    std::array<char, 32> buffer{};
    const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    FF_ASSERT(failure == std::errc{});
    out_.append(buffer.data(), end);
    return *this;
}

Writer& Writer::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    return *this;
}

Writer& Writer::null() {
    separate();
    out_ += "null";
    return *this;
}

Writer& Writer::raw(std::string_view json_text) {
    separate();
    out_ += json_text;
    return *this;
}

}  // namespace ff::json
