#include "hub/entry_id.h"

#include "base/numbers.h"

namespace ff::hub {

std::optional<EntryId> EntryId::parse(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto ms = parse_u64(text.substr(0, dash));
    if (!ms) return std::nullopt;
    if (dash == std::string_view::npos) return EntryId{.ms = *ms};
    const auto n = parse_u64(text.substr(dash + 1));
    if (!n) return std::nullopt;
    return EntryId{.ms = *ms, .n = *n};
}

std::string EntryId::to_string() const {
    return std::to_string(ms) + "-" + std::to_string(n);
}

}  // namespace ff::hub
