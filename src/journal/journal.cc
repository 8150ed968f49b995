#include "journal/journal.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.h"

namespace ff::journal {
namespace {

/// How old the time in the mark of a log may be that nobody writes to.
constexpr std::chrono::minutes kMarkTimeStep{1};

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

Journal::Journal(FileSystem& files, std::string folder, JournalOptions options)
    : files_(files),
      folder_(std::move(folder)),
      options_(options),
      replay_bytes_(std::make_shared<std::atomic<std::uint64_t>>(0)) {
    FF_ASSERT(options_.grow_bytes > 0);
}

Journal::~Journal() = default;

Result<std::unique_ptr<File>> Journal::create_segment(FileSystem& files, const std::string& folder,
                                                      SegmentHead& head, std::uint64_t bytes) {
    std::string content = encode_head(head);
    content.resize(round_up(content.size(), bytes), '\0');
    const std::string path = join_path(folder, segment_name(head.segment));
    const std::string temporary = path + ".tmp";
    FF_TRY(std::unique_ptr<File> file, files.open(temporary, OpenMode::Create));
    FF_CHECK(file->write_at(0, content));
    FF_CHECK(file->sync());
    FF_CHECK(files.rename(temporary, path));
    return file;
}

void Journal::append(std::string_view payload) {
    FF_ASSERT(state_ == JournalState::Open);
    FF_ASSERT(payload.size() <= kPayloadBytesMax);
    const std::size_t at = group_.size();
    group_.append(kRecordHeadBytes, '\0');
    group_.append(payload);
    set_record_length(group_.data() + at, static_cast<std::uint32_t>(group_.size() - at));
    ++group_count_;
}

void Journal::append(const Records& records) {
    FF_ASSERT(state_ == JournalState::Open);
    FF_ASSERT(records.count() <= std::numeric_limits<std::uint32_t>::max() - group_count_);
    records.append_frames_to(group_);
    group_count_ += records.count();
}

void Journal::append(Records&& records) {
    if (!group_.empty()) return append(std::as_const(records));
    FF_ASSERT(state_ == JournalState::Open);
    group_count_ = records.count();
    records.move_frames_to(group_);
}

Result<Done> Journal::commit(Sync sync) {
    if (state_ == JournalState::Failed) return refusal();
    FF_ASSERT(state_ == JournalState::Open);
    return commit_group(sync);
}

Result<Done> Journal::retry_commit(Sync sync) {
    if (state_ == JournalState::Failed) return refusal();
    FF_ASSERT(state_ == JournalState::Stuck);
    return commit_group(sync);
}

Result<Done> Journal::commit_group(Sync sync_mode) {
    if (!group_.empty()) {
        const std::uint64_t bytes = group_.size();
        Result<Done> written = write_group(sync_mode);
        if (!written) {
            if (state_ == JournalState::Failed) return written;
            if (category_of(written.error()) != FileError::NoSpace) return fail(written.error());
            state_ = JournalState::Stuck;
            return written;
        }
        end_ += bytes;
        next_record_ += group_count_;
        replay_bytes_->fetch_add(bytes, std::memory_order_relaxed);
        group_.clear();
        group_count_ = 0;
        state_ = JournalState::Open;
    }
    if (sync_mode == Sync::Yes) return sync();
    return Done{};
}

Result<Done> Journal::write_group(Sync sync_mode) {
    const std::size_t bytes = group_.size();
    if (end_ + bytes > options_.segment_bytes && end_ > kFileHeadBytes) FF_CHECK(start_segment());

    const std::uint64_t not_durable = next_record_ - synced_record_;
    // Saying that more is durable than is would turn a torn tail into damage, so too many
    // records to count are made durable first.
    if (not_durable > std::numeric_limits<std::uint32_t>::max()) FF_CHECK(sync());
    stamp_group({group_.data(), bytes}, head_.seed, next_record_,
                static_cast<std::uint32_t>(next_record_ - synced_record_));

    const std::uint64_t needed = end_ + bytes;
    const bool grows = needed > allocated_;
    // Zeros spare a sync its metadata. Where no sync follows they would only be written twice.
    const bool synced = sync_mode == Sync::Yes;
    const std::uint64_t size = grows && synced ? round_up(needed, options_.grow_bytes) : needed;
    Result<Done> written = synced ? file_->write_end(end_, group_.view(), size - needed)
                                  : file_->write_at(end_, group_.view());
    if (!written) {
        // What was written of the group must be gone before it is written again: the second try
        // may differ in its heads, and a power cut could leave a mixture that looks like damage.
        Result<Done> cut = file_->truncate(end_);
        if (!cut) return fail(std::move(cut).error());
        allocated_ = end_;
        FF_CHECK(sync());
        return written;
    }
    if (grows) allocated_ = size;
    return Done{};
}

Result<Done> Journal::start_segment() {
    // The segment before the last one never has a torn tail: whatever the mode, it is durable
    // and in its place before its successor exists.
    FF_CHECK(synced_record_ < next_record_ ? sync() : check_place());
    SegmentHead head{
        .shard = options_.shard, .segment = head_.segment + 1, .first_record = next_record_};
    Result<std::unique_ptr<File>> file = create_segment(files_, folder_, head, options_.grow_bytes);
    if (!file) {
        if (category_of(file.error()) == FileError::NoSpace) return std::move(file).error();
        return fail(std::move(file).error());
    }
    Result<Done> named = files_.sync_folder(folder_);
    if (!named) return fail(std::move(named).error());
    file_ = *std::move(file);
    head_ = head;
    end_ = kFileHeadBytes;
    allocated_ = round_up(kFileHeadBytes, options_.grow_bytes);
    FF_CHECK(move_mark());
    return look_after();
}

Result<Done> Journal::look_after() {
    FF_CHECK(check_place());
    if (!mark_) return Done{};
    if (options_.clock != nullptr && synced_record_ == next_record_ &&
        options_.clock->now_us() - mark_->mark().time >= kMarkTimeStep)
        FF_CHECK(move_mark());
    Result<Done> synced = mark_->sync();
    // A mark that lags behind is still true.
    if (synced || category_of(synced.error()) == FileError::NoSpace) return Done{};
    return fail(std::move(synced).error());
}

/// Records in a file that has no name, or another one, are lost with the process.
Result<Done> Journal::check_place() {
    const std::string path = join_path(folder_, segment_name(head_.segment));
    Result<bool> there = file_->is_at(path);
    if (!there) return fail(std::move(there).error());
    if (*there) return Done{};
    Error error = file_error("ESTALE", path, "store into");
    error.message = path + " is gone: it was removed or moved away while the store was using it";
    return fail(std::move(error));
}

Result<Done> Journal::move_mark() {
    if (!mark_) return Done{};
    const auto now =
        options_.clock == nullptr ? std::chrono::microseconds(0) : options_.clock->now_us();
    Result<Done> moved = mark_->advance(head_.segment, next_record_, end_, now);
    if (moved || category_of(moved.error()) == FileError::NoSpace) return Done{};
    return fail(std::move(moved).error());
}

Result<Done> Journal::sync() {
    if (state_ == JournalState::Failed) return refusal();
    Result<Done> synced = file_->sync();
    if (!synced) return fail(std::move(synced).error());
    synced_record_ = next_record_;
    FF_CHECK(check_place());
    return move_mark();
}

Result<std::unique_ptr<SnapshotWriter>> Journal::begin_snapshot() {
    if (state_ == JournalState::Failed) return refusal();
    FF_ASSERT(state_ == JournalState::Open);
    FF_ASSERT(group_.empty());
    FF_CHECK(start_segment());
    const SnapshotHead head{
        .shard = options_.shard, .segment = head_.segment, .first_record = head_.first_record};
    auto replaced = [counter = replay_bytes_, bytes = replay_bytes(), mark = mark_,
                     snapshot = head_.segment] {
        counter->fetch_sub(bytes, std::memory_order_relaxed);
        // Only says which file should be there; the next sync of the log tells of a broken disk.
        if (mark) static_cast<void>(mark->note_snapshot(snapshot).has_value());
    };
    return std::make_unique<SnapshotWriter>(files_, folder_, head, std::move(replaced));
}

Result<JournalCopy> Journal::begin_copy() {
    if (state_ == JournalState::Failed) return refusal();
    FF_ASSERT(state_ == JournalState::Open);
    FF_ASSERT(group_.empty());
    FF_TRY(const std::vector<std::string> names, files_.list(folder_));
    std::uint64_t first_segment = 1;
    for (const std::string& name : names) {
        first_segment = std::max(first_segment, parse_snapshot_name(name).value_or(1));
    }
    // A segment without records is left out, but there must be one to go on from.
    Mark copied{.segment = head_.segment - 1, .next_record = next_record_};
    if (first_segment > 1) copied.snapshot = first_segment;
    if (end_ > kFileHeadBytes || head_.segment == first_segment) {
        copied = {head_.segment, next_record_, end_, copied.snapshot};
        FF_CHECK(start_segment());
    }
    JournalCopy copy(copied);
    for (const std::string& name : names) {
        const std::optional<std::uint64_t> segment = parse_segment_name(name);
        const bool older_segment = segment && *segment >= first_segment && *segment < head_.segment;
        if (!older_segment && parse_snapshot_name(name) != first_segment) continue;
        FF_TRY(std::unique_ptr<File> file, files_.open(join_path(folder_, name), OpenMode::Read));
        copy.add(name, std::move(file));
    }
    return copy;
}

Error Journal::fail(Error error) {
    state_ = JournalState::Failed;
    failure_ = error.text();
    return error;
}

Error Journal::refusal() const {
    Error error{.code = "storage_error", .cls = ErrorClass::Terminal, .kind = "io_error"};
    error.message = "the journal has failed: " + failure_;
    return error;
}

}  // namespace ff::journal
