#include "host/function_source.h"

#include <algorithm>
#include <optional>

namespace ff::host {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view next_word(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        line = {};
        return {};
    }
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

/// A value may stand in double quotes.
std::string_view unquoted(std::string_view value) {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
        return value.substr(1, value.size() - 2);
    return value;
}

}  // namespace

Error function_error(std::string message) {
    return Error{.code = "invalid_input", .message = std::move(message)};
}

bool is_function_name(std::string_view name) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    return !name.empty() && std::ranges::all_of(name, fits);
}

Result<FunctionSource> parse_function_source(std::string_view text) {
    constexpr std::string_view kMark = "#!";
    constexpr std::string_view kNameField = "name=";
    if (!text.starts_with(kMark)) return function_error("Missing library metadata");
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return function_error("Invalid library metadata");
    std::string_view line = text.substr(kMark.size(), end - kMark.size());
    std::string_view engine;
    // Blanks right behind the mark mean an engine without a name.
    if (!line.empty() && kBlanks.find(line.front()) == std::string_view::npos)
        engine = next_word(line);

    std::optional<std::string_view> name;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        if (!equal_in_any_case(word.substr(0, kNameField.size()), kNameField))
            return function_error("Invalid metadata value given: " + std::string(word));
        if (name.has_value())
            return function_error("Invalid metadata value, name argument was given multiple times");
        name = unquoted(word.substr(kNameField.size()));
    }
    if (!name.has_value()) return function_error("Library name was not given");
    if (!is_function_name(*name))
        return function_error(
            "Library names can only contain letters, numbers, or underscores(_) and must be at "
            "least one character long");
    if (!equal_in_any_case(engine, "lua"))
        return function_error("Engine '" + std::string(engine) + "' not found");
    return FunctionSource{.name = std::string(*name), .body = text.substr(end)};
}

}  // namespace ff::host
