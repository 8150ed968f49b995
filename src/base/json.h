#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace ff::json {

enum class Kind : std::uint8_t { Null, Bool, Number, String, Array, Object };

/// A view of one value inside a Document, valid while that lives.
class Value {
  public:
    explicit Value(const boost::json::value& value) : value_(&value) {}

    Kind kind() const;
    bool is_null() const { return kind() == Kind::Null; }
    bool is_object() const { return kind() == Kind::Object; }
    bool is_array() const { return kind() == Kind::Array; }

    std::optional<bool> as_bool() const;
    /// A number without a fraction (also spelled `2.0` or `1e3`) within +-(2^53 - 1).
    std::optional<std::int64_t> as_integer() const;
    std::optional<double> as_number() const;
    std::optional<std::string_view> as_string() const;

    /// Elements of an array or members of an object; 0 for anything else.
    std::size_t size() const;
    Value element(std::size_t index) const;
    std::pair<std::string_view, Value> member(std::size_t index) const;
    /// The member of that name unless it is absent or null, which mean the same everywhere.
    std::optional<Value> find(std::string_view name) const;
    /// The value as compact JSON text.
    std::string to_text() const;

  private:
    const boost::json::value* value_;
};

/// A parsed text. Depth is limited, so no input can exhaust the stack.
class Document {
  public:
    /// `invalid_input` with detail `json:<why>` when the text is not one JSON value.
    static Result<Document> parse(std::string_view text);

    Document(Document&&) noexcept;
    Document& operator=(Document&&) noexcept;
    ~Document();

    Value root() const;

  private:
    struct Tree;
    explicit Document(std::unique_ptr<Tree> tree);
    std::unique_ptr<Tree> tree_;
};

/// Appends JSON text to a string, commas included. The caller opens and closes in pairs.
class Writer {
  public:
    explicit Writer(std::string& out) : out_(out) {}

    Writer& begin_object();
    Writer& end_object();
    Writer& begin_array();
    Writer& end_array();
    Writer& key(std::string_view name);
    /// `text` must be UTF-8; bytes that may not be travel as base64.
    Writer& string(std::string_view text);
    Writer& integer(std::int64_t value);
    Writer& unsigned_integer(std::uint64_t value);
    /// The shortest decimal that reads back equal; null for what JSON cannot say.
    Writer& number(double value);
    Writer& boolean(bool value);
    Writer& null();
    /// Text that is JSON already.
    Writer& raw(std::string_view json_text);

  private:
    void separate();
    std::string& out_;
    std::vector<bool> has_items_{};
    bool after_key_ = false;
};

}  // namespace ff::json
