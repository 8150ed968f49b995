#include "journal/snapshot_writer.h"

#include "base/assert.h"

namespace ff::journal {
namespace {

/// Small chunks are gathered into writes of about this size.
constexpr std::size_t kWriteBytes = 512U << 10;
/// What the system keeps in memory is synced in steps, so that the last sync is short: commits of
/// the log wait for it.
constexpr std::uint64_t kSyncBytes = 1U << 20;

}  // namespace

SnapshotWriter::SnapshotWriter(FileSystem& files, std::string folder, SnapshotHead head,
                               std::function<void()> finished)
    : files_(files),
      folder_(std::move(folder)),
      head_(head),
      finished_call_(std::move(finished)),
      temporary_(join_path(folder_, snapshot_name(head.segment)) + ".tmp"),
      buffer_(encode_head(head_)) {}

SnapshotWriter::~SnapshotWriter() {
    if (finished_ || !file_) return;
    file_.reset();
    // Opening removes it if this fails.
    static_cast<void>(files_.remove(temporary_).has_value());
}

Result<Done> SnapshotWriter::write(std::string_view chunk) {
    FF_ASSERT(!finished_ && !broken_);
    FF_ASSERT(chunk.size() <= kPayloadBytesMax);
    ++chunks_;
    chunk_bytes_ += chunk.size();
    buffer_ += encode_chunk_head(head_, chunks_, chunk);
    buffer_ += chunk;
    if (buffer_.size() < kWriteBytes) return Done{};
    return flush();
}

Result<Done> SnapshotWriter::flush() {
    broken_ = true;
    if (!file_) {
        FF_TRY(file_, files_.open(temporary_, OpenMode::Create));
    }
    FF_CHECK(file_->write_end(end_, buffer_, 0));
    end_ += buffer_.size();
    buffer_.clear();
    if (end_ - synced_ >= kSyncBytes && file_->has_to_write()) {
        FF_CHECK(file_->sync());
        synced_ = end_;
    }
    broken_ = false;
    return Done{};
}

Result<Done> SnapshotWriter::finish() {
    FF_ASSERT(!finished_ && !broken_);
    buffer_ += encode_snapshot_end(head_, chunks_, chunk_bytes_);
    FF_CHECK(flush());
    Result<Done> published = publish();
    if (!published) {
        broken_ = true;
        return published;
    }
    finished_ = true;
    remove_replaced();
    if (finished_call_) finished_call_();
    return Done{};
}

/// The name is durable before anything it replaces is removed.
Result<Done> SnapshotWriter::publish() {
    // Zeros may follow what was written at the end.
    FF_CHECK(file_->truncate(end_));
    FF_CHECK(file_->sync());
    FF_CHECK(files_.rename(temporary_, join_path(folder_, snapshot_name(head_.segment))));
    return files_.sync_folder(folder_);
}

void SnapshotWriter::remove_replaced() {
    Result<std::vector<std::string>> names = files_.list(folder_);
    if (!names) return;
    for (const std::string& name : *names) {
        const std::optional<std::uint64_t> segment = parse_segment_name(name);
        const std::optional<std::uint64_t> snapshot = parse_snapshot_name(name);
        if (segment.value_or(head_.segment) >= head_.segment &&
            snapshot.value_or(head_.segment) >= head_.segment) {
            continue;
        }
        if (!files_.remove(join_path(folder_, name))) return;
    }
}

}  // namespace ff::journal
