#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ff::model {

/// What a worker can do, or what an execution asks for: distinct tokens in bytewise order.
class CapabilitySet {
  public:
    static constexpr std::size_t kTokensMax = 256;
    static constexpr std::size_t kCsvBytesMax = 4096;

    /// The empty set: required by work that anybody may do.
    CapabilitySet() = default;

    /// Refuses with `invalid_capabilities` and one of `empty_token`, `comma_in_token`,
    /// `control_or_whitespace` (also beyond ASCII), `too_many_tokens`, `too_many_bytes`. `side`
    /// stands in front of that with a colon, if given: `required`, `worker`.
    static Result<CapabilitySet> parse(std::span<const std::string_view> tokens,
                                       std::string_view side = {});
    /// From text joined by commas; empty pieces are skipped, as every reader of a CSV does.
    static Result<CapabilitySet> parse_csv(std::string_view csv, std::string_view side = {});

    const std::vector<std::string>& tokens() const { return tokens_; }
    bool empty() const { return tokens_.empty(); }
    /// The tokens joined by commas, as stored and compared.
    const std::string& csv() const { return csv_; }
    /// Eight hex digits for logs and `capability_hash`.
    std::string digest() const;
    /// Names the route queue of this requirement: `sha1hex(CSV)`.
    std::string route_hash() const;

    bool covers(const CapabilitySet& required) const;
    /// The tokens of `required` that are not in this set.
    CapabilitySet missing(const CapabilitySet& required) const;

    bool operator==(const CapabilitySet&) const = default;

  private:
    explicit CapabilitySet(std::vector<std::string> sorted_tokens);

    std::vector<std::string> tokens_{};
    std::string csv_{};
};

}  // namespace ff::model
