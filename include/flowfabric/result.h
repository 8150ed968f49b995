#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace flowfabric {

using Millis = std::chrono::milliseconds;
/// Raw bytes: never decoded, re-encoded or cut at a NUL.
using Bytes = std::string;

/// What to do about a failure.
enum class ErrorClass : std::uint8_t {
    Terminal,       // stop, do not repeat
    Retryable,      // repeat after a pause
    Cooperative,    // take the named action, then stop
    Informational,  // nothing to do
    Expected,       // a normal empty state
    SoftError,      // log, go on
    Bug,            // alert
};

std::string_view to_string(ErrorClass cls);

/// A failure as a value. `code` is stable: one of docs/errors.md, or one of the library's own:
/// `config` (a mistake in the program), `http` (no answer came) and `malformed_response`.
struct Error {
    std::string code{};
    ErrorClass cls = ErrorClass::Terminal;
    /// What happened on the way, for `http` (connect_failed, timeout, connection_lost, protocol,
    /// tls) and `storage_error`; otherwise the code.
    std::string kind{};
    std::vector<std::string> detail{};
    /// For people.
    std::string message{};
    /// Of a server's refusal: its HTTP status and raw body. 0 where no server was asked.
    unsigned status = 0;
    std::string body{};

    bool retryable() const { return cls == ErrorClass::Retryable; }
    /// Somebody who knows said no. Otherwise what became of the call is not known, and the same
    /// call may be repeated.
    bool answered() const;
    /// One line for people.
    std::string text() const;
};

/// A mistake of the program, not of the world.
Error config_error(std::string message);

/// What Result::value throws when there is none.
class Failure : public std::runtime_error {
  public:
    explicit Failure(Error error) : std::runtime_error(error.text()), error_(std::move(error)) {}
    const Error& error() const { return error_; }

  private:
    Error error_;
};

/// The value of an operation that has nothing to tell but its success.
struct Done {};

/// A value or an Error. Nothing of the library throws, except value() of a Result without one.
template <class T>
class [[nodiscard]] Result {
  public:
    using value_type = T;

    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& value() & {
        require();
        return std::get<0>(state_);
    }
    const T& value() const& {
        require();
        return std::get<0>(state_);
    }
    /// By value, so that a loop over `call().value()` holds what it walks through.
    T value() && {
        require();
        return std::get<0>(std::move(state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// Of a Result without a value.
    const Error& error() const& { return std::get<1>(state_); }
    Error&& error() && { return std::get<1>(std::move(state_)); }

  private:
    void require() const {
        if (!has_value()) throw Failure(std::get<1>(state_));
    }
    std::variant<T, Error> state_;
};

}  // namespace flowfabric
