#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/file_system.h"
#include "journal/format.h"

namespace ff::journal {

/// A segment as it is on the disk, and the heads of its records up to the first that is not whole.
struct ReadSegment {
    std::string content{};
    Result<SegmentHead> head;
    std::vector<RecordHead> records{};
};

Result<ReadSegment> read_segment(FileSystem& files, const std::string& path, std::uint32_t shard);

/// A chunk of a snapshot at its place, or the end, or what cannot be either.
struct ReadChunk {
    std::uint64_t at = 0;
    /// Nothing: what is there is no head, or tells of more than the file has.
    std::optional<ChunkHead> head{};
    std::string payload{};
    bool checksum_is_right = false;
};

/// Makes one chunk of the file after the other, up to the end or to what is none; a failure to read
/// is the last, too. `file` outlives it.
std::function<std::optional<Result<ReadChunk>>()> chunks_of(File& file, SnapshotHead head,
                                                            std::uint64_t size);

}  // namespace ff::journal
