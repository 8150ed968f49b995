#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace ff::model {

/// The pieces in a row, with one allocation.
inline std::string concat(std::initializer_list<std::string_view> pieces) {
    std::size_t size = 0;
    for (const std::string_view piece : pieces) size += piece.size();
    std::string out;
    out.reserve(size);
    for (const std::string_view piece : pieces) out += piece;
    return out;
}

/// `ff:noop:<tag>` fills a KEYS position that a call does not need. No function reads or writes it;
/// `tag` includes its braces.
inline std::string noop_key(std::string_view tag) {
    return concat({"ff:noop:", tag});
}

}  // namespace ff::model
