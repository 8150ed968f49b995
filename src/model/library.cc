#include "model/library.h"

#include <charconv>

#include "base/assert.h"
#include "model/library_text.h"

namespace ff::model {

const std::string& library_text() {
    static const std::string text = [] {
        std::string joined;
        for (const std::string_view piece : library::kPieces) joined += piece;
        return joined;
    }();
    return text;
}

std::int64_t library_version() {
    std::int64_t version = 0;
    const std::string_view text = library::kVersion;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), version);
    FF_ASSERT(parsed.ec == std::errc());
    return version;
}

std::string_view library_version_text() {
    return library::kVersion;
}

std::string_view library_digest() {
    return library::kDigest;
}

}  // namespace ff::model
