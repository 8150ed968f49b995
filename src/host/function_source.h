#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ff::host {

/// What a library's text says about itself in its first line, `#!lua name=<name>`.
struct FunctionSource {
    std::string name{};
    /// The text behind the first line, which begins with that line's end, so that line numbers in
    /// messages are those of the whole text.
    std::string_view body{};
};

/// The error's message is the reply Valkey would send, without its "ERR ".
Result<FunctionSource> parse_function_source(std::string_view text);

/// Letters, digits and underscores, at least one.
bool is_function_name(std::string_view name);

/// An error whose message is the text of an error reply without its "ERR ".
Error function_error(std::string message);

}  // namespace ff::host
