#include "http/message.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/json.h"

namespace ff::http {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// What a client sent may be quoted in an error, and need not be UTF-8: then every byte that is not
/// plain ASCII is spelled out.
std::string readable(const std::string& text) {
    if (is_utf8(text)) return text;
    std::string out;
    for (const char c : text) {
        const bool plain = c >= ' ' && c <= '~';
        out += plain ? std::string(1, c) : "\\x" + to_hex(std::string_view(&c, 1));
    }
    return out;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> Request::header(std::string_view name) const {
    for (const Header& header : headers)
        if (same_name(header.name, name)) return header.value;
    return std::nullopt;
}

std::string_view Request::query() const {
    const auto mark = target.find('?');
    return mark == std::string::npos ? std::string_view()
                                     : std::string_view(target).substr(mark + 1);
}

Response error_response(unsigned status, const Error& error) {
    Response response{.status = status};
    json::Writer writer(response.body);
    writer.begin_object();
    writer.key("error").string(readable(error.text()));
    writer.key("message").string(readable(error.text()));
    writer.key("code").string(error.code);
    writer.key("class").string(to_string(error.cls));
    writer.key("kind").string(error.kind.empty() ? error.code : error.kind);
    writer.key("retryable").boolean(error.cls == ErrorClass::Retryable);
    writer.key("detail").begin_array();
    for (const std::string& detail : error.detail) writer.string(readable(detail));
    writer.end_array();
    writer.end_object();
    return response;
}

}  // namespace ff::http
