#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ff {

/// What a caller should do about a failure. The catalogue in `model` assigns one to every code.
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

/// A failure as a value. `code`, `cls` and `kind` are for programs and stable; `message` is for
/// people and nobody parses it.
struct Error {
    std::string code;
    ErrorClass cls = ErrorClass::Terminal;
    /// The transport kind of a storage failure; empty means "same as code".
    std::string kind{};
    std::vector<std::string> detail{};
    std::string message{};

    /// The same error with the place it passed through in front of its message.
    Error within(std::string_view place) &&;
    /// One line for people: the message, or the code and its details.
    std::string text() const;

    bool operator==(const Error&) const = default;
};

/// An `invalid_input` whose first detail names the field, as every refusal of bad input does.
Error invalid_input(std::string_view field, std::string_view why);

}  // namespace ff
