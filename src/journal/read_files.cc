#include "journal/read_files.h"

#include <utility>

namespace ff::journal {
namespace {

Result<ReadChunk> read_chunk(File& file, const SnapshotHead& head, std::uint64_t at,
                             std::uint64_t size) {
    FF_TRY(const std::string bytes, file.read_at(at, kSnapshotEndBytes));
    ReadChunk chunk{.at = at, .head = decode_chunk_head(head, bytes)};
    if (!chunk.head || chunk.head->end) return chunk;
    if (chunk.head->length > size - at - kChunkHeadBytes) {
        chunk.head.reset();
        return chunk;
    }
    FF_TRY(chunk.payload, file.read_at(at + kChunkHeadBytes, chunk.head->length));
    chunk.checksum_is_right = chunk_is_valid(head, bytes, chunk.payload);
    return chunk;
}

}  // namespace

Result<ReadSegment> read_segment(FileSystem& files, const std::string& path, std::uint32_t shard) {
    FF_TRY(std::string content, read_file(files, path));
    Result<SegmentHead> head = decode_segment_head(path, content, shard);
    ReadSegment read{.content = std::move(content), .head = std::move(head)};
    if (!read.head) return read;
    for (std::uint64_t at = kFileHeadBytes;;) {
        const std::optional<RecordHead> record = valid_record(read.content, at, read.head->seed);
        if (!record) return read;
        read.records.push_back(*record);
        at += record->length;
    }
}

std::function<std::optional<Result<ReadChunk>>()> chunks_of(File& file, SnapshotHead head,
                                                            std::uint64_t size) {
    std::uint64_t at = kFileHeadBytes;
    bool ended = false;
    return [&file, head, size, at, ended]() mutable -> std::optional<Result<ReadChunk>> {
        if (ended) return std::nullopt;
        Result<ReadChunk> chunk = read_chunk(file, head, at, size);
        ended = !chunk || !chunk->checksum_is_right;
        if (chunk) at += kChunkHeadBytes + chunk->payload.size();
        return chunk;
    };
}

}  // namespace ff::journal
