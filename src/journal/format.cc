#include "journal/format.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "journal/crc32c.h"
#include "journal/little_endian.h"

namespace ff::journal {
namespace {

constexpr std::string_view kSegmentMagic("FFLOG\r\n\x1a", 8);
constexpr std::string_view kSnapshotMagic("FFSNAP\r\n", 8);
constexpr std::string_view kSegmentPrefix = "log-";
constexpr std::string_view kSegmentSuffix = ".ffj";
constexpr std::string_view kSnapshotPrefix = "snapshot-";
constexpr std::string_view kSnapshotSuffix = ".ffs";
constexpr std::size_t kNameDigits = 16;

std::string name_of(std::string_view prefix, std::uint64_t number, std::string_view suffix) {
    std::string name(prefix);
    for (std::size_t digit = kNameDigits; digit-- > 0;) {
        name += "0123456789abcdef"[(number >> (4 * digit)) & 0xfU];
    }
    name += suffix;
    return name;
}

std::optional<std::uint64_t> number_of(std::string_view name, std::string_view prefix,
                                       std::string_view suffix) {
    if (name.size() != prefix.size() + kNameDigits + suffix.size()) return std::nullopt;
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : name.substr(prefix.size(), kNameDigits)) {
        const std::size_t digit = std::string_view("0123456789abcdef").find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        number = (number << 4) | digit;
    }
    return number;
}

template <class Head>
std::string encode(std::string_view magic, Head& head) {
    std::string bytes(kFileHeadBytes, '\0');
    std::copy(magic.begin(), magic.end(), bytes.begin());
    put(&bytes[8], kFormatVersion);
    put(&bytes[12], head.shard);
    put(&bytes[16], head.segment);
    put(&bytes[24], head.first_record);
    head.seed = crc32c(std::string_view(bytes).substr(0, 32));
    put(&bytes[32], head.seed);
    return bytes;
}

template <class Head>
Result<Head> decode(std::string_view magic, std::string_view file, std::string_view bytes,
                    std::uint32_t shard) {
    if (bytes.size() < kFileHeadBytes) return corruption(file, 0, "the head of the file is cut");
    if (!bytes.starts_with(magic)) return corruption(file, 0, "not a file of this kind");
    const auto checksum = get<std::uint32_t>(bytes, 32);
    if (checksum != crc32c(bytes.substr(0, 32)) || get<std::uint32_t>(bytes, 36) != 0) {
        return corruption(file, 0, "the checksum of the head is wrong");
    }
    const auto version = get<std::uint32_t>(bytes, 8);
    if (version > kFormatVersion) return newer_format(file, version);
    if (version != kFormatVersion) {
        return corruption(file, 8, "format version " + std::to_string(version) + " is not known");
    }
    Head head{.shard = get<std::uint32_t>(bytes, 12),
              .segment = get<std::uint64_t>(bytes, 16),
              .first_record = get<std::uint64_t>(bytes, 24),
              .seed = checksum};
    if (head.shard != shard) {
        return corruption(file, 12, "belongs to shard " + std::to_string(head.shard));
    }
    return head;
}

std::uint32_t frame_checksum(std::string_view frame, std::uint32_t seed) {
    return crc32c(frame.substr(8), crc32c(frame.substr(0, 4), seed));
}

bool all_zero(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

/// Whether some sector that reaches into [from, to) holds nothing from `from` on, as one that a
/// power cut kept from the disk does: the log is written over zeros.
bool misses_a_sector(std::string_view bytes, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t at = from; at < to;) {
        const std::uint64_t next = (at / kSectorBytes + 1) * kSectorBytes;
        if (all_zero(bytes.substr(at, next - at))) return true;
        at = next;
    }
    return false;
}

}  // namespace

Error corruption(std::string_view file, std::uint64_t offset, std::string_view what) {
    Error error{.code = "corruption", .cls = ErrorClass::Terminal};
    error.detail = {std::string(file), std::to_string(offset), std::string(what)};
    error.message = std::string(file) + " is damaged at byte " + std::to_string(offset) + ": " +
                    std::string(what);
    return error;
}

Error newer_format(std::string_view file, std::uint32_t version) {
    Error error{.code = "newer_format", .cls = ErrorClass::Terminal};
    error.detail = {std::string(file), std::to_string(version), std::to_string(kFormatVersion)};
    error.message = std::string(file) + " has format " + std::to_string(version) +
                    ", written by a newer flowfabric; this one knows format " +
                    std::to_string(kFormatVersion) +
                    " and has changed nothing: start the newer program on this folder";
    return error;
}

std::string segment_name(std::uint64_t segment) {
    return name_of(kSegmentPrefix, segment, kSegmentSuffix);
}
std::string snapshot_name(std::uint64_t segment) {
    return name_of(kSnapshotPrefix, segment, kSnapshotSuffix);
}
std::optional<std::uint64_t> parse_segment_name(std::string_view name) {
    return number_of(name, kSegmentPrefix, kSegmentSuffix);
}
std::optional<std::uint64_t> parse_snapshot_name(std::string_view name) {
    return number_of(name, kSnapshotPrefix, kSnapshotSuffix);
}

std::string encode_head(SegmentHead& head) {
    return encode(kSegmentMagic, head);
}
std::string encode_head(SnapshotHead& head) {
    return encode(kSnapshotMagic, head);
}

Result<SegmentHead> decode_segment_head(std::string_view file, std::string_view bytes,
                                        std::uint32_t shard) {
    return decode<SegmentHead>(kSegmentMagic, file, bytes, shard);
}
Result<SnapshotHead> decode_snapshot_head(std::string_view file, std::string_view bytes,
                                          std::uint32_t shard) {
    return decode<SnapshotHead>(kSnapshotMagic, file, bytes, shard);
}

void set_record_length(char* head, std::uint32_t length) {
    put(head, length);
}

void stamp_group(std::span<char> frames, std::uint32_t seed, std::uint64_t first_number,
                 std::uint32_t not_durable) {
    const std::string_view view(frames.data(), frames.size());
    std::uint32_t position = 0;
    for (std::uint64_t at = 0; at < frames.size(); ++position) {
        const auto length = get<std::uint32_t>(view, at);
        FF_ASSERT(length >= kRecordHeadBytes && at + length <= frames.size());
        put(&frames[at + 8], first_number + position);
        put(&frames[at + 16], position);
        put(&frames[at + 20], not_durable);
        put(&frames[at + 4], frame_checksum(view.substr(at, length), seed));
        at += length;
    }
}

std::optional<RecordHead> valid_record(std::string_view segment, std::uint64_t offset,
                                       std::uint32_t seed) {
    if (offset + kRecordHeadBytes > segment.size()) return std::nullopt;
    const auto length = get<std::uint32_t>(segment, offset);
    if (length < kRecordHeadBytes || length > segment.size() - offset) return std::nullopt;
    const std::string_view frame = segment.substr(offset, length);
    if (get<std::uint32_t>(frame, 4) != frame_checksum(frame, seed)) return std::nullopt;
    return RecordHead{.length = length,
                      .number = get<std::uint64_t>(frame, 8),
                      .position = get<std::uint32_t>(frame, 16),
                      .not_durable = get<std::uint32_t>(frame, 20)};
}

TailKind judge_tail(std::string_view segment, std::uint64_t offset, std::uint64_t expected,
                    std::uint32_t seed) {
    if (all_zero(segment.substr(offset))) return TailKind::Clean;
    std::optional<std::uint64_t> first_valid;
    for (std::uint64_t at = offset; at + kRecordHeadBytes <= segment.size(); ++at) {
        // A number outside the window cannot follow; it spares the checksum at most places.
        const auto number = get<std::uint64_t>(segment, at + 8);
        if (number < expected || number - expected > segment.size() / kRecordHeadBytes) continue;
        const std::optional<RecordHead> record = valid_record(segment, at, seed);
        if (!record) continue;
        if (record->durable_before() > expected || at == offset) return TailKind::Damaged;
        if (!first_valid) first_valid = at;
        at += record->length - 1;
    }
    if (!first_valid) return TailKind::Torn;
    return misses_a_sector(segment, offset, *first_valid) ? TailKind::Torn : TailKind::Damaged;
}

std::optional<ChunkHead> decode_chunk_head(const SnapshotHead& head, std::string_view bytes) {
    if (bytes.size() < kChunkHeadBytes) return std::nullopt;
    ChunkHead chunk{.end = false,
                    .length = get<std::uint32_t>(bytes, 0),
                    .number = get<std::uint64_t>(bytes, 8)};
    if (chunk.length == kSnapshotEndMark) {
        if (bytes.size() != kSnapshotEndBytes) return std::nullopt;
        if (get<std::uint32_t>(bytes, 4) != frame_checksum(bytes, head.seed)) return std::nullopt;
        chunk.end = true;
        chunk.chunk_bytes = get<std::uint64_t>(bytes, 16);
        return chunk;
    }
    if (chunk.length > kPayloadBytesMax) return std::nullopt;
    return chunk;
}

bool chunk_is_valid(const SnapshotHead& head, std::string_view chunk_head,
                    std::string_view payload) {
    const std::uint32_t checksum = frame_checksum(chunk_head.substr(0, kChunkHeadBytes), head.seed);
    return get<std::uint32_t>(chunk_head, 4) == crc32c(payload, checksum);
}

std::string encode_chunk_head(const SnapshotHead& head, std::uint64_t number,
                              std::string_view payload) {
    std::string bytes(kChunkHeadBytes, '\0');
    put(bytes.data(), static_cast<std::uint32_t>(payload.size()));
    put(&bytes[8], number);
    const std::uint32_t checksum = frame_checksum(bytes, head.seed);
    put(&bytes[4], crc32c(payload, checksum));
    return bytes;
}

std::string encode_snapshot_end(const SnapshotHead& head, std::uint64_t chunks,
                                std::uint64_t chunk_bytes) {
    std::string bytes(kSnapshotEndBytes, '\0');
    put(bytes.data(), kSnapshotEndMark);
    put(&bytes[8], chunks);
    put(&bytes[16], chunk_bytes);
    put(&bytes[4], frame_checksum(bytes, head.seed));
    return bytes;
}

}  // namespace ff::journal
