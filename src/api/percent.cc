#include "api/percent.h"

#include "base/bytes.h"

namespace ff::api {
namespace {

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

std::optional<std::string> decode_form(std::string_view text) {
    std::string spaced(text);
    for (char& c : spaced)
        if (c == '+') c = ' ';
    return percent_decode(spaced);
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        if (text.size() - at < 3) return std::nullopt;
        const auto byte = from_hex(text.substr(at + 1, 2));
        if (!byte) return std::nullopt;
        out += *byte;
        at += 2;
    }
    return out;
}

std::string percent_encode(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        if (is_unreserved(c)) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 15U];
    }
    return out;
}

Result<std::map<std::string, std::string>> parse_query(std::string_view query) {
    std::map<std::string, std::string> out;
    while (!query.empty()) {
        const auto end = query.find('&');
        const std::string_view pair = query.substr(0, end);
        query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
        if (pair.empty()) continue;
        const auto mark = pair.find('=');
        auto name = decode_form(pair.substr(0, mark));
        auto value = mark == std::string_view::npos ? std::optional<std::string>("")
                                                    : decode_form(pair.substr(mark + 1));
        if (!name || !value) return invalid_input("query", "broken percent escape");
        out.emplace(*std::move(name), *std::move(value));
    }
    return out;
}

}  // namespace ff::api
