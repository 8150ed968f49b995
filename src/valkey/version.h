#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "resp/value.h"

namespace ff::valkey {

enum class ServerProduct : std::uint8_t { Valkey, Redis };

struct ServerVersion {
    ServerProduct product = ServerProduct::Valkey;
    std::uint64_t major = 0;
    /// As the server says it: `8.1.3`.
    std::string text{};
};

/// Reads the body of INFO server (spec 01, section 7). A failure is a `storage_error` of kind
/// `parse_error`.
Result<ServerVersion> parse_version(std::string_view body);

/// The same from the whole reply, which may map the nodes of a cluster to their bodies: the lowest
/// version counts.
Result<ServerVersion> lowest_version(const resp::Value& reply);

/// Whether replicas of that version are known to crash when they drop their data at a full resync
/// while a function library is loaded, unless `replica-lazy-flush` is off.
bool may_crash_at_full_resync(const ServerVersion& version);

/// Decides whether a server is new enough, and whether and when to ask again: a rolling upgrade or
/// a node that still loads may yet come up to it.
class VersionCheck {
  public:
    static constexpr std::chrono::milliseconds kBudget{60'000};
    static constexpr std::chrono::milliseconds kPauseFirst{200};
    static constexpr std::chrono::milliseconds kPauseMax{5'000};

    explicit VersionCheck(bool allow_redis) : allow_redis_(allow_redis) {}

    struct Step {
        enum class Kind : std::uint8_t { Accept, Retry, Fail };
        Kind kind = Kind::Accept;
        Error error{};
        std::chrono::milliseconds pause{0};
    };
    /// `elapsed` is the time since the first question.
    Step on_answer(const Result<ServerVersion>& answer, std::chrono::milliseconds elapsed);

  private:
    bool accepts(const ServerVersion& version) const;
    Error too_low(const ServerVersion& version) const;

    bool allow_redis_;
    std::chrono::milliseconds pause_ = kPauseFirst;
};

}  // namespace ff::valkey
