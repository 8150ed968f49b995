#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

// The layout of the files of a journal. All numbers are little endian.
//
// log-<16 hex digits of the segment>.ffj
//     0   8  magic "FFLOG\r\n\x1a"
//     8   4  format version
//    12   4  shard
//    16   8  segment, counted from 1 without gaps
//    24   8  number of its first record
//    32   4  checksum of the 32 bytes before; also the seed of the checksums of its records
//    36   4  zero
//    40      records, then zeros to the end of the file
// record
//     0   4  length of the record with its head; 0 is the end of the log
//     4   4  checksum of the length and of all bytes after this field
//     8   8  number of the record, counted from 1 without gaps across segments
//    16   4  position in its commit group, from 0
//    20   4  how many records before the group were not known to be durable when it was written
//    24      payload
//
// snapshot-<16 hex digits of the first segment that follows it>.ffs
//     0   8  magic "FFSNAP\r\n"
//     8   4  format version
//    12   4  shard
//    16   8  segment
//    24   8  number of the first record that follows it
//    32   4  checksum of the 32 bytes before; also the seed of the other checksums
//    36   4  zero
//    40      chunks, then the end, then nothing
// chunk: 4 length of the payload, 4 checksum, 8 its number from 1, payload
// end:   4 0xffffffff, 4 checksum, 8 number of chunks, 8 sum of the lengths of their payloads

namespace ff::journal {

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::size_t kFileHeadBytes = 40;
inline constexpr std::size_t kRecordHeadBytes = 24;
inline constexpr std::size_t kChunkHeadBytes = 16;
inline constexpr std::size_t kSnapshotEndBytes = 24;
inline constexpr std::uint32_t kSnapshotEndMark = 0xffffffffU;
/// One record or one snapshot chunk. A chunk holds at least one key, so this also bounds a key.
inline constexpr std::size_t kPayloadBytesMax = 2U << 30;
/// What a disk writes whole or not at all.
inline constexpr std::uint64_t kSectorBytes = 512;

/// The head of a segment; `segment` is its own number.
struct SegmentHead {
    std::uint32_t shard = 0;
    std::uint64_t segment = 1;
    std::uint64_t first_record = 1;
    std::uint32_t seed = 0;
};

/// The head of a snapshot; `segment` is the first one that follows.
struct SnapshotHead {
    std::uint32_t shard = 0;
    std::uint64_t segment = 1;
    std::uint64_t first_record = 1;
    std::uint32_t seed = 0;
};

/// Code "corruption", detail {file, offset, what}.
Error corruption(std::string_view file, std::uint64_t offset, std::string_view what);

/// Code "newer_format", detail {file, its format, ours}.
Error newer_format(std::string_view file, std::uint32_t version);

std::string segment_name(std::uint64_t segment);
std::string snapshot_name(std::uint64_t segment);
std::optional<std::uint64_t> parse_segment_name(std::string_view name);
std::optional<std::uint64_t> parse_snapshot_name(std::string_view name);

/// Encodes the head and sets its seed.
std::string encode_head(SegmentHead& head);
std::string encode_head(SnapshotHead& head);
/// Checks magic, version, checksum and shard; errors are `corruption` of `file`.
Result<SegmentHead> decode_segment_head(std::string_view file, std::string_view bytes,
                                        std::uint32_t shard);
Result<SnapshotHead> decode_snapshot_head(std::string_view file, std::string_view bytes,
                                          std::uint32_t shard);

struct RecordHead {
    std::uint32_t length = 0;
    std::uint64_t number = 0;
    std::uint32_t position = 0;
    std::uint32_t not_durable = 0;

    /// Records below this number were durable when this one was written.
    std::uint64_t durable_before() const { return number - position - not_durable; }
};

void set_record_length(char* head, std::uint32_t length);
/// Completes the heads of a group whose frames hold only their lengths.
void stamp_group(std::span<char> frames, std::uint32_t seed, std::uint64_t first_number,
                 std::uint32_t not_durable);
/// The record at `offset` if its length and checksum are right.
std::optional<RecordHead> valid_record(std::string_view segment, std::uint64_t offset,
                                       std::uint32_t seed);

/// Why a segment's records end where they do.
enum class TailKind : std::uint8_t {
    Clean,    // nothing but zeros follows
    Torn,     // what follows was never known to be durable: a write that a crash cut short
    Damaged,  // what follows was durable once, or cannot come from a cut write
};
/// Judges the bytes from `offset` on, where the record `expected` should be but is not valid.
TailKind judge_tail(std::string_view segment, std::uint64_t offset, std::uint64_t expected,
                    std::uint32_t seed);

/// A chunk's head, or the end of the snapshot, as read from a file.
struct ChunkHead {
    bool end = false;
    std::uint32_t length = 0;
    std::uint64_t number = 0;       // of the chunk; at the end, how many there are
    std::uint64_t chunk_bytes = 0;  // at the end only
};
/// `bytes` are the kSnapshotEndBytes from the head on, or as many as the file has. Nothing if they
/// cannot be a head, or are an end with a wrong checksum.
std::optional<ChunkHead> decode_chunk_head(const SnapshotHead& head, std::string_view bytes);
bool chunk_is_valid(const SnapshotHead& head, std::string_view chunk_head,
                    std::string_view payload);

std::string encode_chunk_head(const SnapshotHead& head, std::uint64_t number,
                              std::string_view payload);
std::string encode_snapshot_end(const SnapshotHead& head, std::uint64_t chunks,
                                std::uint64_t chunk_bytes);

}  // namespace ff::journal
