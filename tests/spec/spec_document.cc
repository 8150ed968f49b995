#include "spec/spec_document.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ff::testing {
namespace {

std::size_t heading_level(std::string_view line) {
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    return level < line.size() && line[level] == ' ' ? level : 0;
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// `| a | b \\| c |` has the cells `a` and `b | c`.
SpecRow cells_of(std::string_view line) {
    SpecRow cells;
    std::string cell;
    for (std::size_t at = 1; at < line.size(); ++at) {
        if (line[at] == '\\' && at + 1 < line.size() && line[at + 1] == '|') {
            cell += '|';
            ++at;
        } else if (line[at] == '|') {
            cells.push_back(trimmed(cell));
            cell.clear();
        } else {
            cell += line[at];
        }
    }
    return cells;
}

bool is_rule(std::string_view line) {
    return line.starts_with("|--") || line.starts_with("| --");
}

}  // namespace

SpecSection::SpecSection(std::string_view chapter_file, std::string_view heading) {
    const std::string path = std::string(FF_SOURCE_DIR "/docs/spec/") + std::string(chapter_file);
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    const std::size_t own_level = heading_level(heading);
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        const std::size_t level = heading_level(line);
        if (inside && level != 0 && level <= own_level) return;
        inside = inside || line.starts_with(heading);
        if (inside) text_ += line + "\n";
    }
    if (!inside) throw std::runtime_error("no section '" + std::string(heading) + "' in " + path);
}

std::vector<SpecRow> SpecSection::rows() const {
    std::vector<SpecRow> rows;
    std::istringstream lines(text_);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|')) continue;
        if (is_rule(line)) {
            // The line before the rule was the header.
            if (!rows.empty()) rows.pop_back();
            continue;
        }
        rows.push_back(cells_of(line));
    }
    if (rows.empty()) throw std::runtime_error("no table in: " + text_.substr(0, 80));
    return rows;
}

std::vector<std::string> code_spans(std::string_view cell) {
    std::vector<std::string> spans;
    for (;;) {
        const std::size_t open = cell.find('`');
        if (open == std::string_view::npos) return spans;
        const std::size_t close = cell.find('`', open + 1);
        if (close == std::string_view::npos) return spans;
        spans.emplace_back(cell.substr(open + 1, close - open - 1));
        cell.remove_prefix(close + 1);
    }
}

}  // namespace ff::testing
