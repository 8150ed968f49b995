#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ff::testing {

/// A row of a table in the specification, its cells without surrounding blanks.
using SpecRow = std::vector<std::string>;

/// One section of a chapter in docs/spec, from the heading that starts with `heading` (`## 4. Key`)
/// to the next heading of its level or above. Throws when there is no such section, because a test
/// that reads nothing must not pass.
class SpecSection {
  public:
    SpecSection(std::string_view chapter_file, std::string_view heading);

    const std::string& text() const { return text_; }
    /// The rows of all tables in order, without their headers; never empty.
    std::vector<SpecRow> rows() const;

  private:
    std::string text_;
};

/// What stands between backticks, in order.
std::vector<std::string> code_spans(std::string_view cell);

}  // namespace ff::testing
