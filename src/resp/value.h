#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ff::resp {

/// The order is the order of the alternatives inside Value.
enum class Type : std::uint8_t {
    Null,
    Boolean,
    Integer,
    Double,
    SimpleString,
    BulkString,
    Error,
    VerbatimString,
    BigNumber,
    Array,
    Map,
    Set,
    Push,
};

std::string_view to_string(Type type);

/// One RESP2 or RESP3 value. A null bulk, a null array and the RESP3 null are all Null; a simple
/// and a bulk error are both Error: the two protocols spell the same fact differently, and no
/// caller may depend on the spelling. Attributes are not part of a value.
class Value {
  public:
    using Items = std::vector<Value>;

    /// Null.
    Value() = default;

    static Value null() { return Value(); }
    static Value boolean(bool truth) { return make<Type::Boolean>(truth); }
    static Value integer(std::int64_t number) { return make<Type::Integer>(number); }
    static Value real(double number) { return make<Type::Double>(number); }
    static Value simple(std::string text) { return make<Type::SimpleString>(std::move(text)); }
    static Value bulk(std::string bytes) { return make<Type::BulkString>(std::move(bytes)); }
    static Value bulk(std::string_view bytes) { return bulk(std::string(bytes)); }
    static Value bulk(const char* text) { return bulk(std::string(text)); }
    /// The whole error line without the `-`: "ERR what happened".
    static Value error(std::string text) { return make<Type::Error>(std::move(text)); }
    /// `format` is exactly three bytes ("txt", "mkd").
    static Value verbatim(std::string_view format, std::string_view text);
    /// The decimal digits, with a sign if negative.
    static Value big_number(std::string digits) { return make<Type::BigNumber>(std::move(digits)); }
    static Value array(Items items) { return make<Type::Array>(std::move(items)); }
    /// Keys and values in turn: {k1, v1, k2, v2}. The number of items is even.
    static Value map(Items flat);
    static Value set(Items items) { return make<Type::Set>(std::move(items)); }
    static Value push(Items items) { return make<Type::Push>(std::move(items)); }

    Type type() const { return static_cast<Type>(state_.index()); }
    bool is_null() const { return type() == Type::Null; }
    bool is_error() const { return type() == Type::Error; }
    /// Array, Map, Set or Push.
    bool is_aggregate() const { return type() >= Type::Array; }

    std::optional<bool> as_boolean() const;
    /// Only of an Integer; a bulk "12" is not one. See `to_integer`.
    std::optional<std::int64_t> as_integer() const;
    /// Only of a Double.
    std::optional<double> as_double() const;
    /// An Integer, or a text that spells one exactly: stored counters come back as text.
    std::optional<std::int64_t> to_integer() const;
    /// The bytes of a simple, bulk or verbatim string or a big number; not of an error.
    std::optional<std::string_view> text() const;
    /// "txt" of a verbatim string, else empty.
    std::string_view verbatim_format() const;
    /// The whole error line, or empty if this is no error.
    std::string_view error_text() const;
    /// The first word of the error line ("MOVED", "ERR"), or empty if this is no error.
    std::string_view error_code() const;

    /// The elements of an aggregate (of a map: keys and values in turn), else nothing.
    std::span<const Value> items() const;
    /// The same, to take parts out of them.
    std::span<Value> mutable_items();
    /// The number of key-value pairs of a Map, or of an even Array as RESP2 sends maps.
    std::size_t pair_count() const;
    /// The value under a text key of a Map, or of an even Array as RESP2 sends maps; else null.
    const Value* find(std::string_view key) const;

    /// Moves the bytes out without a copy where there are any (as `text`), leaving Null.
    std::optional<std::string> take_text() &&;
    /// Moves the elements out, leaving Null; nothing if this is no aggregate.
    Items take_items() &&;

    /// Same type and same content; two NaN are equal here, for they are the same reply.
    friend bool operator==(const Value& a, const Value& b);

    /// One line for tests and debugging: `[1, "a", (error) "ERR x", {"k": null}]`.
    std::string to_debug_text() const;

  private:
    friend class Parser;

    /// A verbatim string is kept as on the wire, "txt:content", so that all texts are one string.
    using State = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::string,
                               std::string, std::string, std::string, Items, Items, Items, Items>;

    template <Type type, class Content>
    static Value make(Content&& content) {
        Value value;
        value.state_.emplace<static_cast<std::size_t>(type)>(std::forward<Content>(content));
        return value;
    }
    /// `type` is one of the five kept as a string, or one of the four aggregates.
    static Value of_text(Type type, std::string bytes);
    static Value of_items(Type type, Items items);

    const std::string* raw_text() const;
    const Items* raw_items() const;

    State state_;
};

}  // namespace ff::resp
