#pragma once

#include <string>

#include "base/time.h"

namespace ff::engine {

/// A due time or deadline as functions take it: a point in time, or a span from the time of the
/// store, whose clock need not be ours.
class DueTime {
  public:
    static DueTime at(Timestamp when) { return DueTime(to_string(when)); }
    static DueTime after(Millis span) { return DueTime("+" + std::to_string(span.count())); }

    /// `<ms>` or `+<ms>`.
    const std::string& text() const { return text_; }
    bool operator==(const DueTime&) const = default;

  private:
    explicit DueTime(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

}  // namespace ff::engine
