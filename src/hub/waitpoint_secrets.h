#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/random.h"
#include "base/task.h"
#include "base/time.h"
#include "engine/waitpoint.h"
#include "model/partition.h"
#include "store/store.h"

namespace ff::hub {

/// What a boot found on the partitions.
struct SecretInstallation {
    std::uint16_t installed = 0;
    std::uint16_t matched = 0;
    /// The kid was there without its secret.
    std::uint16_t repaired = 0;
    /// Another secret was there, and stays.
    std::uint16_t mismatched = 0;
};

struct SecretRotation {
    std::string new_kid{};
    std::string new_secret_hex{};
    Millis grace{86'400'000};
    Deadline until = Deadline::after(Millis(120'000));
};

struct RotationReport {
    std::string new_kid{};
    std::uint16_t rotated = 0;
    std::vector<std::uint16_t> failed{};
    /// Those that another server rotates at this moment.
    std::vector<std::uint16_t> in_progress{};
    /// How many failed because the kid stands for another secret.
    std::uint16_t conflicts = 0;
    /// How many failed for a reason that may pass.
    std::uint16_t retryable = 0;
    /// The time was up before all partitions were reached.
    bool timed_out = false;

    enum class Verdict : std::uint8_t { Done, Conflict, Failed, TimedOut };
    Verdict verdict() const;
};

struct PartitionKids {
    std::uint16_t partition = 0;
    engine::ListWaitpointKids::Outcome kids{};
};

/// The secrets that sign waitpoint tokens, kept alike on all partitions. Lives on one loop. No log
/// line of it contains a secret.
class WaitpointSecrets {
  public:
    WaitpointSecrets(Random& random, store::Store& store, model::PartitionConfig partitions);

    /// What every boot does. Ends with the first error; what is there stays.
    Task<SecretInstallation> install(std::string kid, std::string secret_hex);
    /// Goes on past partitions that fail. One at a time: `concurrency_limit_exceeded` otherwise.
    /// Repeating it with the same kid and secret is safe and converges.
    Task<RotationReport> rotate(SecretRotation rotation);
    Task<std::vector<PartitionKids>> kids();

  private:
    /// Up to kInFlight partitions from `first` on.
    Task<Done> install_some(std::uint16_t first, const engine::InitWaitpointSecret& secret,
                            SecretInstallation& report);
    boost::asio::awaitable<void> rotate_some(std::uint16_t first, const SecretRotation& rotation,
                                             RotationReport& report);
    boost::asio::awaitable<std::vector<std::uint16_t>> lock_some(std::uint16_t first,
                                                                 std::string lock_token,
                                                                 RotationReport& report);
    std::uint16_t end_of(std::uint16_t first) const;

    Random& random_;
    store::Store& store_;
    model::PartitionConfig partitions_;
    bool rotating_ = false;
};

}  // namespace ff::hub
