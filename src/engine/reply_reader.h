#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "store/call.h"

namespace ff::engine {

/// Reads the reply of a function by position, counted as in the specification: element 1 is the
/// flag, element 2 the word, the values follow. What is missing or does not parse is `parse_error`
/// with the function and the name of the value; nothing is ever made up. A view: the reply outlives
/// it.
class ReplyReader {
  public:
    /// A refusal `{0,code,detail...}` becomes an Error with the class of its code.
    static Result<ReplyReader> open(std::string_view function, const store::Reply& reply) {
        return open(function, reply.items());
    }
    static Result<ReplyReader> open(std::string_view function, std::span<const store::Reply> items);
    /// For a part of a reply that has no flag and word: its values start at element 1.
    ReplyReader(std::string_view function, std::span<const store::Reply> items)
        : function_(function), items_(items) {}

    std::string_view word() const;
    std::size_t size() const { return items_.size(); }

    Result<std::string_view> text(std::size_t position, std::string_view name) const;
    /// The empty text if the reply ends before it, as replies of older libraries may.
    std::string_view text_or_empty(std::size_t position) const;
    Result<std::int64_t> integer(std::size_t position, std::string_view name) const;
    Result<Timestamp> time(std::size_t position, std::string_view name) const;
    Result<std::span<const store::Reply>> items(std::size_t position, std::string_view name) const;
    /// Any type with a static `parse`.
    template <class Value>
    Result<Value> parsed(std::size_t position, std::string_view name) const {
        FF_TRY(const std::string_view found, text(position, name));
        Result<Value> value = Value::parse(found);
        if (!value) return fault(name);
        return value;
    }

    /// `parse_error` of this function at the value of that name.
    Error fault(std::string_view name) const;

  private:
    std::string_view function_;
    std::span<const store::Reply> items_;
};

}  // namespace ff::engine
