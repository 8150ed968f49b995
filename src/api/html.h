#pragma once

#include <string>
#include <string_view>

namespace ff::api {

/// Appends HTML to a string. Text goes in escaped, so that it stays text wherever it is put:
/// between tags and inside quoted attributes.
class HtmlWriter {
  public:
    explicit HtmlWriter(std::string& out) : out_(out) {}

    /// Markup of our own, as it stands.
    HtmlWriter& raw(std::string_view markup) {
        out_ += markup;
        return *this;
    }
    HtmlWriter& text(std::string_view text);
    /// ` name="value"`.
    HtmlWriter& attribute(std::string_view name, std::string_view value);
    /// `<tag>text</tag>`; `tag` may have attributes of our own.
    HtmlWriter& element(std::string_view tag, std::string_view content);

  private:
    std::string& out_;
};

}  // namespace ff::api
