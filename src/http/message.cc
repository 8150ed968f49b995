#include "http/message.h"

#include <algorithm>

namespace ff::http {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::optional<std::string_view> Request::header(std::string_view name) const {
    for (const Header& header : headers)
        if (same_name(header.name, name)) return header.value;
    return std::nullopt;
}

}  // namespace ff::http
