#include "journal/mark.h"

#include <algorithm>
#include <utility>

#include "journal/crc32c.h"
#include "journal/format.h"
#include "journal/little_endian.h"

namespace ff::journal {
namespace {

constexpr std::string_view kMagic("FFMARK\r\n", 8);
constexpr std::size_t kMarkBytes = 60;
constexpr std::size_t kTimedBytes = 72;
constexpr std::size_t kCopies = 2;

struct Copy {
    Mark mark{};
    std::uint64_t written = 0;
};

std::string encode(const Copy& copy, std::uint32_t shard) {
    std::string bytes(kTimedBytes, '\0');
    kMagic.copy(bytes.data(), kMagic.size());
    put(&bytes[8], kFormatVersion);
    put(&bytes[12], shard);
    put(&bytes[16], copy.written);
    put(&bytes[24], copy.mark.segment);
    put(&bytes[32], copy.mark.next_record);
    put(&bytes[40], copy.mark.end);
    put(&bytes[48], copy.mark.snapshot);
    put(&bytes[56], crc32c(std::string_view(bytes).substr(0, 56)));
    put(&bytes[60], static_cast<std::uint64_t>(copy.mark.time.count()));
    put(&bytes[68], crc32c(std::string_view(bytes).substr(0, 68)));
    return bytes;
}

/// Of a mark that has one.
std::chrono::microseconds time_in(std::string_view bytes) {
    if (bytes.size() < kTimedBytes) return {};
    if (get<std::uint32_t>(bytes, 68) != crc32c(bytes.substr(0, 68))) return {};
    return std::chrono::microseconds(get<std::uint64_t>(bytes, 60));
}

std::optional<Copy> decode(std::string_view bytes, std::uint32_t shard) {
    if (bytes.size() < kMarkBytes || !bytes.starts_with(kMagic)) return std::nullopt;
    if (get<std::uint32_t>(bytes, 56) != crc32c(bytes.substr(0, 56))) return std::nullopt;
    if (get<std::uint32_t>(bytes, 8) != kFormatVersion) return std::nullopt;
    if (get<std::uint32_t>(bytes, 12) != shard) return std::nullopt;
    return Copy{.mark = {.segment = get<std::uint64_t>(bytes, 24),
                         .next_record = get<std::uint64_t>(bytes, 32),
                         .end = get<std::uint64_t>(bytes, 40),
                         .snapshot = get<std::uint64_t>(bytes, 48),
                         .time = time_in(bytes)},
                .written = get<std::uint64_t>(bytes, 16)};
}

std::pair<std::string, std::string> folder_and_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

std::string mark_name(std::uint32_t shard) {
    return "mark-" + std::to_string(shard);
}

std::string encode_mark_file(const Mark& mark, std::uint32_t shard) {
    std::string content;
    for (std::uint64_t i = 0; i < kCopies; ++i) {
        content += encode({.mark = mark, .written = i}, shard);
        content.resize((i + 1) * kSectorBytes, '\0');
    }
    return content;
}

Result<std::optional<Mark>> read_mark(FileSystem& files, const std::string& path,
                                      std::uint32_t shard) {
    Result<std::string> content = read_file(files, path);
    if (!content) {
        if (category_of(content.error()) != FileError::NotFound) return std::move(content).error();
        return std::optional<Mark>();
    }
    std::optional<Copy> best;
    // The newer one may have been torn behind its first checksum.
    std::chrono::microseconds time{0};
    for (std::size_t i = 0; i < kCopies && i * kSectorBytes < content->size(); ++i) {
        const std::string_view bytes = *content;
        const std::optional<Copy> copy = decode(bytes.substr(i * kSectorBytes), shard);
        if (!copy) continue;
        time = std::max(time, copy->mark.time);
        if (!best || copy->written > best->written) best = copy;
    }
    if (!best) return corruption(path, 0, "no copy of the mark is good");
    best->mark.time = time;
    return std::optional(best->mark);
}

MarkFile::MarkFile(std::unique_ptr<File> writing, std::unique_ptr<File> syncing,
                   std::uint32_t shard, const Mark& mark)
    : mark_(mark),
      shard_(shard),
      written_(kCopies - 1),
      writing_(std::move(writing)),
      syncing_(std::move(syncing)),
      synced_(written_) {}

Result<std::unique_ptr<MarkFile>> MarkFile::open(FileSystem& files, const std::string& path,
                                                 std::uint32_t shard, const Mark& mark) {
    const auto [folder, name] = folder_and_name(path);
    FF_CHECK(write_file_atomically(files, folder, name, encode_mark_file(mark, shard)));
    FF_TRY(std::unique_ptr<File> writing, files.open(path, OpenMode::ReadWrite));
    FF_TRY(std::unique_ptr<File> syncing, files.open(path, OpenMode::ReadWrite));
    return std::unique_ptr<MarkFile>(
        new MarkFile(std::move(writing), std::move(syncing), shard, mark));
}

Result<Done> MarkFile::advance(std::uint64_t segment, std::uint64_t next_record, std::uint64_t end,
                               std::chrono::microseconds time) {
    const std::lock_guard lock(mutex_);
    return write({.segment = segment,
                  .next_record = next_record,
                  .end = end,
                  .snapshot = mark_.snapshot,
                  .time = std::max(time, mark_.time)});
}

Result<Done> MarkFile::note_snapshot(std::uint64_t snapshot) {
    const std::lock_guard lock(mutex_);
    Mark mark = mark_;
    mark.snapshot = snapshot;
    return write(mark);
}

/// Under the mutex.
Result<Done> MarkFile::write(const Mark& mark) {
    if (mark == mark_) return Done{};
    const std::uint64_t number = written_ + 1;
    const std::string bytes = encode({.mark = mark, .written = number}, shard_);
    FF_CHECK(writing_->write_at(number % kCopies * kSectorBytes, bytes));
    mark_ = mark;
    written_ = number;
    return Done{};
}

Result<Done> MarkFile::sync() {
    const std::lock_guard one_at_a_time(sync_mutex_);
    std::uint64_t written = 0;
    {
        const std::lock_guard lock(mutex_);
        written = written_;
    }
    if (written == synced_) return Done{};
    FF_CHECK(syncing_->sync());
    synced_ = written;
    return Done{};
}

Mark MarkFile::mark() const {
    const std::lock_guard lock(mutex_);
    return mark_;
}

}  // namespace ff::journal
