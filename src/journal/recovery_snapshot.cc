#include "base/assert.h"
#include "journal/read_ahead.h"
#include "journal/recovery.h"

namespace ff::journal {

Result<Done> Recovery::replay_snapshot() {
    if (!report_.snapshot) return Done{};
    const std::string name = snapshot_name(*report_.snapshot);
    FF_TRY(const std::unique_ptr<File> file, files_.open(path(name), OpenMode::Read));
    FF_TRY(const std::string head_bytes, file->read_at(0, kFileHeadBytes));
    Result<SnapshotHead> head = decode_snapshot_head(path(name), head_bytes, options_.shard);
    if (head && head->segment != *report_.snapshot) {
        head = corruption(path(name), 16, "says that it is " + snapshot_name(head->segment));
    }
    if (!head) {
        if (!options_.repair || head.error().code != "corruption") return std::move(head).error();
        FF_TRY(const SnapshotHead rebuilt, rebuilt_snapshot_head());
        next_record_ = rebuilt.first_record;
        return repair_snapshot(Damage{name, 0, head.error().detail[2]}, rebuilt);
    }
    next_record_ = head->first_record;
    FF_TRY(const std::optional<Damage> damage, replay_chunks(*file, *head));
    if (!damage) return Done{};
    if (!options_.repair) return refuse(*damage);
    return repair_snapshot(*damage, *head);
}

Result<std::optional<Recovery::Damage>> Recovery::replay_chunks(File& file,
                                                                const SnapshotHead& head) {
    constexpr std::size_t kChunksAhead = 64;
    constexpr std::uint64_t kSmallBytes = 1U << 20;
    const std::string name = snapshot_name(head.segment);
    FF_TRY(const std::uint64_t size, file.size());
    const bool ahead = options_.reads_ahead && size > kSmallBytes;
    ReadAhead<Result<ReadChunk>> chunks(ahead ? kChunksAhead : 0, chunks_of(file, head, size));
    std::uint64_t chunk_bytes = 0;
    while (true) {
        std::optional<Result<ReadChunk>> next = chunks.take();
        FF_ASSERT(next.has_value());
        FF_TRY(const ReadChunk chunk, *std::move(next));
        if (chunk.head && chunk.head->end) {
            if (chunk.head->number == report_.snapshot_chunks &&
                chunk.head->chunk_bytes == chunk_bytes && chunk.at + kSnapshotEndBytes == size) {
                return std::optional<Damage>();
            }
            return std::optional(Damage{name, chunk.at, "the end does not fit the chunks"});
        }
        if (!chunk.head || chunk.head->number != report_.snapshot_chunks + 1) {
            return std::optional(Damage{name, chunk.at, "the head of a chunk is wrong"});
        }
        if (!chunk.checksum_is_right) {
            return std::optional(Damage{name, chunk.at, "the checksum of a chunk is wrong"});
        }
        FF_CHECK(visitor_.snapshot_chunk(chunk.payload));
        ++report_.snapshot_chunks;
        chunk_bytes += chunk.payload.size();
        FF_CHECK(advance(kChunkHeadBytes + chunk.payload.size()));
    }
}

/// Keeps the file under another name and puts one in its place that ends before the damage.
Result<Done> Recovery::repair_snapshot(const Damage& damage, SnapshotHead head) {
    FF_TRY(const std::string kept, free_copy_name(damage.name));
    FF_TRY(const std::unique_ptr<File> file, files_.open(path(damage.name), OpenMode::Read));
    FF_TRY(const std::uint64_t size, file->size());
    FF_CHECK(copy(damage.name, kept, size, {}));
    const std::uint64_t chunk_bytes =
        damage.offset == 0
            ? 0
            : damage.offset - kFileHeadBytes - report_.snapshot_chunks * kChunkHeadBytes;
    std::string more;
    if (damage.offset == 0) more = encode_head(head);
    more += encode_snapshot_end(head, report_.snapshot_chunks, chunk_bytes);
    const std::string temporary = damage.name + ".tmp";
    FF_CHECK(copy(damage.name, temporary, damage.offset, more));
    FF_CHECK(files_.sync_folder(folder_));
    FF_CHECK(files_.rename(path(temporary), path(damage.name)));
    report_.repaired.push_back(Cut{.file = path(damage.name),
                                   .offset = damage.offset,
                                   .bytes = size - damage.offset,
                                   .what = damage.what,
                                   .copy = path(kept)});
    return files_.sync_folder(folder_);
}

/// The first segment after the snapshot knows which record follows it.
Result<SnapshotHead> Recovery::rebuilt_snapshot_head() const {
    const std::string name = path(segment_name(first_segment_));
    FF_TRY(const std::unique_ptr<File> file, files_.open(name, OpenMode::Read));
    FF_TRY(const std::string bytes, file->read_at(0, kFileHeadBytes));
    FF_TRY(const SegmentHead head, decode_segment_head(name, bytes, options_.shard));
    return SnapshotHead{
        .shard = options_.shard, .segment = first_segment_, .first_record = head.first_record};
}

}  // namespace ff::journal
