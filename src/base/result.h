#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/error.h"

namespace ff {

/// The value of an operation that has nothing to tell but its success.
struct Done {
    bool operator==(const Done&) const = default;
};

/// A value or an Error. Takes the names of std::expected, which the standard library of Debian 12
/// has only under C++23.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& value() & {
        FF_ASSERT(has_value());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        FF_ASSERT(has_value());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        FF_ASSERT(has_value());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Error& error() & {
        FF_ASSERT(!has_value());
        return *std::get_if<1>(&state_);
    }
    const Error& error() const& {
        FF_ASSERT(!has_value());
        return *std::get_if<1>(&state_);
    }
    Error&& error() && {
        FF_ASSERT(!has_value());
        return std::move(*std::get_if<1>(&state_));
    }

  private:
    std::variant<T, Error> state_;
};

}  // namespace ff

#define FF_CONCAT_INNER(a, b) a##b
#define FF_CONCAT(a, b) FF_CONCAT_INNER(a, b)
#define FF_TRY_INNER(result, declaration, expression, leave)  \
    auto result = (expression);                               \
    if (!result.has_value()) leave std::move(result).error(); \
    declaration = *std::move(result)

/// FF_TRY(const LaneId lane, LaneId::parse(text)); leaves the function with the error, if any.
#define FF_TRY(declaration, ...) \
    FF_TRY_INNER(FF_CONCAT(ff_result_, __LINE__), declaration, __VA_ARGS__, return)
/// The same inside a coroutine; the expression may be one `co_await`.
#define FF_CO_TRY(declaration, ...) \
    FF_TRY_INNER(FF_CONCAT(ff_result_, __LINE__), declaration, __VA_ARGS__, co_return)
/// For a Result<Done> whose value says nothing.
#define FF_CHECK(...)                                                      \
    do {                                                                   \
        auto ff_checked = (__VA_ARGS__);                                   \
        if (!ff_checked.has_value()) return std::move(ff_checked).error(); \
    } while (false)
#define FF_CO_CHECK(...)                                                      \
    do {                                                                      \
        auto ff_checked = (__VA_ARGS__);                                      \
        if (!ff_checked.has_value()) co_return std::move(ff_checked).error(); \
    } while (false)
