#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "keyspace/sorted_set.h"
#include "keyspace/stream_value.h"

namespace ff::keyspace {

/// Texts as Valkey reads them. Where it is lenient so are these: callers send what it accepts.

/// One spelling per number: no `+`, no blanks, no leading zeros, no `-0`.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// A score of ZADD: everything strtod reads whole, without a blank in front; no NaN, no overflow.
std::optional<double> parse_score(std::string_view text);
/// `-inf`, `1.5`, `(1.5`.
std::optional<ScoreBound> parse_score_bound(std::string_view text);
/// A cursor or half of a stream id: unsigned 64 bit.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// `<ms>` or `<ms>-<seq>`; `missing_seq` completes the former.
std::optional<StreamId> parse_stream_id(std::string_view text, std::uint64_t missing_seq);

/// Letter case does not matter; `lower` is in lower case.
bool same_word(std::string_view text, std::string_view lower);

/// The decimal text of an integer, in place.
class IntegerText {
  public:
    explicit IntegerText(std::int64_t value);
    std::string_view view() const { return {text_, size_}; }

  private:
    char text_[24];
    std::size_t size_;
};

}  // namespace ff::keyspace
