#include "cli/arguments.h"

#include <charconv>
#include <utility>

namespace ff::cli {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

Error mistake(std::string sentence) {
    return {.code = "invalid_input", .message = std::move(sentence)};
}

std::string Arguments::text(std::string_view name, std::string_view otherwise) const {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view name) const {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<std::int64_t> Arguments::integer(std::string_view name, std::int64_t otherwise,
                                        std::int64_t least, std::int64_t most) const {
    if (!has(name)) return otherwise;
    const auto value = number_of(text(name));
    if (!value || *value < least || *value > most)
        return mistake("--" + std::string(name) + " is a number from " + std::to_string(least) +
                       " to " + std::to_string(most) + ", not `" + text(name) + "`.");
    return *value;
}

Result<std::map<std::string, std::string>> Arguments::pairs(std::string_view name) const {
    std::map<std::string, std::string> out;
    for (const std::string& pair : all(name)) {
        const std::size_t mark = pair.find('=');
        if (mark == std::string::npos || mark == 0)
            return mistake("--" + std::string(name) + " is key=value, not `" + pair + "`.");
        out[pair.substr(0, mark)] = pair.substr(mark + 1);
    }
    return out;
}

Result<std::map<std::string, std::int64_t>> Arguments::amounts(std::string_view name) const {
    FF_TRY(const auto texts, pairs(name));
    std::map<std::string, std::int64_t> out;
    for (const auto& [key, value] : texts) {
        const auto number = number_of(value);
        if (!number)
            return mistake("--" + std::string(name) + " is name=number, and `" + value +
                           "` is none.");
        out[key] = *number;
    }
    return out;
}

}  // namespace ff::cli
