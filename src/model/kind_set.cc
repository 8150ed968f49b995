#include "model/kind_set.h"

#include <algorithm>

#include "base/error.h"
#include "model/characters.h"

namespace ff::model {
namespace {

std::string place(std::string_view field, std::size_t at) {
    return std::string(field) + "[" + std::to_string(at) + "]";
}

}  // namespace

Result<KindSet> KindSet::parse(std::span<const std::string> names, std::string_view field) {
    if (names.empty()) return invalid_input(field, "empty");
    if (names.size() > kKindsMax) return invalid_input(field, "too_long");
    KindSet set;
    for (std::size_t at = 0; at < names.size(); ++at) {
        const std::string& name = names[at];
        if (name.empty()) return invalid_input(place(field, at), "empty");
        if (name.size() > kKindBytesMax) return invalid_input(place(field, at), "too_long");
        if (characters_of(name).control) return invalid_input(place(field, at), "bad_character");
        if (std::ranges::find(set.names_, name) != set.names_.end())
            return invalid_input(place(field, at), "repeated");
        set.names_.push_back(name);
    }
    std::ranges::sort(set.names_);
    return set;
}

KindSet KindSet::from_lines(std::string_view lines) {
    KindSet set;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        if (end != 0) set.names_.emplace_back(lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    std::ranges::sort(set.names_);
    return set;
}

bool KindSet::takes(std::string_view kind) const {
    return any() || std::ranges::binary_search(names_, kind);
}

std::string KindSet::lines() const {
    std::string text;
    for (const std::string& name : names_) {
        if (!text.empty()) text += '\n';
        text += name;
    }
    return text;
}

}  // namespace ff::model
