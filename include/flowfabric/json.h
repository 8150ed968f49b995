#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "flowfabric/result.h"

namespace flowfabric {

/// A JSON value: documents of the API that have no type of their own, and payloads. Members keep
/// their order.
class Json {
  public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    Json() = default;
    Json(std::nullptr_t) {}                                        // NOLINT
    Json(bool value) : value_(value) {}                            // NOLINT
    Json(int value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
    Json(std::int64_t value) : value_(value) {}                    // NOLINT
    Json(std::uint64_t value);                                     // NOLINT
    Json(double value) : value_(value) {}                          // NOLINT
    Json(const char* text) : value_(std::string(text)) {}          // NOLINT
    Json(std::string text) : value_(std::move(text)) {}            // NOLINT
    Json(std::string_view text) : value_(std::string(text)) {}     // NOLINT
    Json(Array items) : value_(std::move(items)) {}                // NOLINT
    static Json object(Object members = {});
    static Json array(Array items = {}) { return Json(std::move(items)); }
    /// An array of texts.
    static Json texts(const std::vector<std::string>& items);

    /// `invalid_input` when the text is not one JSON value.
    static Result<Json> parse(std::string_view text);
    /// Compact.
    std::string dump() const;

    bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
    bool is_string() const { return std::holds_alternative<std::string>(value_); }
    bool is_number() const;
    bool is_object() const { return std::holds_alternative<Object>(value_); }
    bool is_array() const { return std::holds_alternative<Array>(value_); }

    /// The value, or `otherwise` where it is of another kind.
    const std::string& text() const;
    std::int64_t integer(std::int64_t otherwise = 0) const;
    double number(double otherwise = 0) const;
    bool boolean(bool otherwise = false) const;

    /// Elements of an array, none of anything else.
    const Array& items() const;
    /// Members of an object, none of anything else.
    const Object& members() const;
    /// The member of that name, or null.
    const Json& operator[](std::string_view name) const;
    bool has(std::string_view name) const { return !(*this)[name].is_null(); }
    /// Texts of an array of texts.
    std::vector<std::string> text_items() const;

    /// Adds or replaces a member; a value that is no object becomes one.
    Json& set(std::string name, Json value);
    /// As set, unless the text is empty.
    Json& set_text(std::string name, const std::string& text);
    Json& push(Json value);

  private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_{};
};

}  // namespace flowfabric
