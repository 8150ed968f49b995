#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"

namespace ff {

/// Bytes of its own, or bytes of somebody who keeps them until this is gone. For payloads on their
/// way into a call, so that a caller who waits for the answer need not give a copy away.
class LentBytes {
  public:
    LentBytes() = default;
    LentBytes(Bytes own) : own_(std::move(own)) {}  // NOLINT(google-explicit-constructor)
    LentBytes(const char* text) : own_(text) {}     // NOLINT(google-explicit-constructor)
    static LentBytes lent(std::string_view bytes) {
        LentBytes made;
        made.lent_ = bytes;
        return made;
    }

    std::string_view view() const { return lent_ ? *lent_ : std::string_view(own_); }
    std::size_t size() const { return view().size(); }

  private:
    Bytes own_{};
    std::optional<std::string_view> lent_{};
};

}  // namespace ff
