#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ff::model {

/// The kinds of executions that a worker takes, in bytewise order; empty: any kind.
class KindSet {
  public:
    static constexpr std::size_t kKindsMax = 64;
    static constexpr std::size_t kKindBytesMax = 256;

    /// Takes executions of every kind.
    KindSet() = default;

    /// 1 to kKindsMax names, each once, of 1 to kKindBytesMax bytes without control characters.
    /// Refuses with `invalid_input` and `field`, or the place in it.
    static Result<KindSet> parse(std::span<const std::string> names,
                                 std::string_view field = "kinds");
    /// From lines; no text is any kind.
    static KindSet from_lines(std::string_view lines);

    bool any() const { return names_.empty(); }
    const std::vector<std::string>& names() const { return names_; }
    bool takes(std::string_view kind) const;
    /// One name a line, as functions take them and records hold them.
    std::string lines() const;

    bool operator==(const KindSet&) const = default;

  private:
    std::vector<std::string> names_{};
};

}  // namespace ff::model
