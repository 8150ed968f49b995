#pragma once

#include <cstdint>
#include <string>

namespace ff::host {

/// What a backup holds.
struct BackupReport {
    std::uint64_t shards = 0;
    /// Records ever committed, over all shards, up to the moment of the backup.
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
};

}  // namespace ff::host
