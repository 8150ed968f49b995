#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"

namespace ff::keyspace {

/// For tests: a seeded sequence of commands over all types, options and refusals, on few enough
/// keys that they meet each other. No answer depends on the clock, but for `*` ids and TIME: what
/// expires does so at once or in a thousand years.
class RandomCommands {
  public:
    using Command = std::vector<std::string>;

    explicit RandomCommands(std::uint64_t seed) : random_(seed) {}

    Command next();

  private:
    enum class Kind : std::uint8_t { String, Hash, Set, List, Sorted, Stream };

    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
    bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
    std::string pick(const std::vector<std::string>& choices) {
        return choices[below(choices.size())];
    }
    /// Mostly a key of this kind, now and then any.
    std::string key(Kind kind);
    std::string any_key() { return key(static_cast<Kind>(below(6))); }
    std::string field();
    std::string member();
    std::string value();
    std::string integer();
    /// In ms: none, or too long to end during a test.
    std::string duration();
    std::string rank();
    std::string score();
    std::string bound();
    std::string stream_id();
    std::string range_id();
    /// Around the ids given so far.
    std::string known_ms();
    std::vector<std::string> some(std::string (RandomCommands::*make)(), std::uint64_t most);

    Command key_command();
    Command string_command();
    Command hash_command();
    Command set_command();
    Command list_command();
    Command sorted_command();
    Command sorted_range_command();
    Command stream_command();
    Command stream_read_command();
    Command malformed_command();

    /// Later than any clock, so that given ids and `*` can follow each other in one stream.
    static constexpr std::uint64_t kFirstStreamMs = 40'000'000'000'000;

    SeededRandom random_;
    std::uint64_t stream_ms_ = kFirstStreamMs;
};

}  // namespace ff::keyspace
