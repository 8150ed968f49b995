#include "api/html.h"

#include "base/bytes.h"

namespace ff::api {

/// Bytes that are no text stand as the sign for that; a control character, which HTML does not
/// allow, as nothing.
HtmlWriter& HtmlWriter::text(std::string_view text) {
    if (!is_utf8(text)) {
        out_ += "\xEF\xBF\xBD";
        return *this;
    }
    for (const char c : text) {
        switch (c) {
            case '&':
                out_ += "&amp;";
                break;
            case '<':
                out_ += "&lt;";
                break;
            case '>':
                out_ += "&gt;";
                break;
            case '"':
                out_ += "&quot;";
                break;
            case '\'':
                out_ += "&#39;";
                break;
            default: {
                const auto byte = static_cast<unsigned char>(c);
                const bool is_control = byte < 0x20 && c != '\n' && c != '\t' && c != '\r';
                if (!is_control && byte != 0x7f) out_ += c;
            }
        }
    }
    return *this;
}

HtmlWriter& HtmlWriter::attribute(std::string_view name, std::string_view value) {
    raw(" ").raw(name).raw("=\"");
    return text(value).raw("\"");
}

HtmlWriter& HtmlWriter::element(std::string_view tag, std::string_view content) {
    raw("<").raw(tag).raw(">").text(content);
    return raw("</").raw(tag.substr(0, tag.find(' '))).raw(">");
}

}  // namespace ff::api
