#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ff::model {

/// A due time or deadline as callers give it: a point in time, or a span from the store's own now,
/// which spares the caller knowing that clock.
class DueTime {
  public:
    static DueTime at(Timestamp when) { return {false, to_ms(when)}; }
    static DueTime after(Millis span) { return {true, span.count()}; }
    /// `<ms>` or `+<ms>` within 2^53 - 1, else `invalid_input` with `<field>:not_integer`.
    static Result<DueTime> parse(std::string_view text, std::string_view field);

    bool is_relative() const { return relative_; }
    /// The point in time, seen from a store whose clock shows `now`.
    Timestamp resolve(Timestamp now) const {
        return relative_ ? now + Millis(ms_) : timestamp_from_ms(ms_);
    }
    /// As functions take it.
    std::string to_string() const { return (relative_ ? "+" : "") + std::to_string(ms_); }

    bool operator==(const DueTime&) const = default;

  private:
    DueTime(bool relative, std::int64_t ms) : relative_(relative), ms_(ms) {}
    bool relative_;
    std::int64_t ms_;
};

}  // namespace ff::model
