#include "journal/recovery.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/steady_clock.h"
#include "journal/read_ahead.h"

namespace ff::journal {
namespace {

constexpr std::size_t kCopyBytes = 1U << 20;
/// After so many replayed bytes a word about it is due.
constexpr std::uint64_t kTellBytes = 64U << 10;

}  // namespace

Result<Opened> Journal::open(FileSystem& files, const std::string& folder, JournalOptions options,
                             RecordVisitor& visitor) {
    return Recovery(files, folder, options, visitor).run();
}

Recovery::Recovery(FileSystem& files, const std::string& folder, JournalOptions options,
                   RecordVisitor& visitor)
    : files_(files),
      folder_(folder),
      options_(options),
      visitor_(visitor),
      journal_(new Journal(files, folder, options)) {}

Result<Opened> Recovery::run() {
    FF_CHECK(files_.make_folder(folder_));
    // A process that was killed may have left names that are not durable yet; nothing may be
    // built on them, and above all nothing removed because of them, before they are.
    FF_CHECK(files_.sync_folder(folder_));
    FF_CHECK(look_at_mark());
    FF_CHECK(look_around());
    if (const std::optional<Damage> missing = missing_files()) {
        if (!options_.repair) return refuse(*missing);
        report_.repaired.push_back(Cut{.file = path(missing->name), .what = missing->what});
        mark_ = Mark{};
    }
    FF_CHECK(expect_files());
    FF_CHECK(replay_snapshot());
    const SteadyClock::time_point begun = SteadyClock::now();
    FF_CHECK(replay_segments());
    report_.log_time = SteadyClock::now() - begun;
    report_.log_bytes = replay_bytes_;
    report_.lost_records = stored_ > next_record_ ? stored_ - next_record_ : 0;
    FF_CHECK(open_last());
    FF_CHECK(remove_replaced());
    return Opened{.journal = std::move(journal_), .report = std::move(report_)};
}

Result<Done> Recovery::look_at_mark() {
    if (options_.mark_path.empty()) return Done{};
    Result<std::optional<Mark>> mark = read_mark(files_, options_.mark_path, options_.shard);
    if (mark) {
        mark_ = mark->value_or(Mark{});
        stored_ = mark_.next_record;
        return Done{};
    }
    if (!options_.repair || mark.error().code != "corruption") return std::move(mark).error();
    report_.repaired.push_back(Cut{.file = options_.mark_path, .what = mark.error().detail[2]});
    return Done{};
}

Result<Done> Recovery::look_around() {
    FF_TRY(const std::vector<std::string> names, files_.list(folder_));
    std::vector<std::uint64_t> segments;
    for (const std::string& name : names) {
        if (const auto segment = parse_segment_name(name)) segments.push_back(*segment);
        if (const auto snapshot = parse_snapshot_name(name)) older_snapshots_.push_back(*snapshot);
        if (name.ends_with(".tmp")) FF_CHECK(files_.remove(path(name)));
    }
    // Names have a fixed width, so they were listed in the order of their numbers.
    if (!older_snapshots_.empty()) {
        first_segment_ = older_snapshots_.back();
        report_.snapshot = first_segment_;
        older_snapshots_.pop_back();
    }
    for (const std::uint64_t segment : segments) {
        (segment < first_segment_ ? older_segments_ : segments_).push_back(segment);
    }
    return Done{};
}

Result<Done> Recovery::expect_files() {
    if (options_.loading == nullptr) return Done{};
    std::vector<std::string> names;
    if (report_.snapshot) names.push_back(snapshot_name(*report_.snapshot));
    for (const std::uint64_t segment : segments_) names.push_back(segment_name(segment));
    for (const std::string& name : names) {
        FF_TRY(const std::unique_ptr<File> file, files_.open(path(name), OpenMode::Read));
        FF_TRY(const std::uint64_t size, file->size());
        options_.loading->expect(size);
    }
    return Done{};
}

Result<Done> Recovery::advance(std::uint64_t bytes) {
    untold_bytes_ += bytes;
    if (options_.loading == nullptr || untold_bytes_ < kTellBytes) return Done{};
    options_.loading->advance(std::exchange(untold_bytes_, 0));
    if (!options_.loading->stopped()) return Done{};
    return Error{.code = "shutting_down",
                 .cls = ErrorClass::Retryable,
                 .message = "the start was given up before the data was loaded"};
}

/// Files that the mark knows of. The log may have lost more of them; the first is enough to say.
std::optional<Recovery::Damage> Recovery::missing_files() const {
    const std::string held = "it held records up to " + std::to_string(mark_.next_record - 1);
    if (mark_.snapshot > 0 && report_.snapshot.value_or(0) < mark_.snapshot) {
        return Damage{.name = snapshot_name(mark_.snapshot),
                      .what = "the file is missing; the store began with it",
                      .missing = true};
    }
    const std::uint64_t newest = segments_.empty() ? 0 : segments_.back();
    if (newest >= mark_.segment) return std::nullopt;
    return Damage{.name = segment_name(mark_.segment),
                  .what = "the file is missing; " + held,
                  .missing = true};
}

Result<Done> Recovery::replay_segments() {
    // Segments are large: one is read and checked while the one before it is applied.
    using Segments = ReadAhead<Result<ReadSegment>>;
    Segments::Make read =
        [this, next = segments_.begin()]() mutable -> std::optional<Result<ReadSegment>> {
        if (next == segments_.end()) return std::nullopt;
        return read_segment(files_, path(segment_name(*next++)), options_.shard);
    };
    const bool ahead = options_.reads_ahead && segments_.size() > 1;
    std::optional<Segments> segments(std::in_place, ahead ? 1 : 0, std::move(read));
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const std::uint64_t expected = first_segment_ + i;
        std::optional<Damage> damage;
        if (segments_[i] == expected) {
            std::optional<Result<ReadSegment>> next = segments->take();
            FF_ASSERT(next.has_value());
            FF_TRY(const ReadSegment segment, *std::move(next));
            FF_TRY(damage, replay_segment(segments_[i], segment));
        } else {
            damage = Damage{
                .name = segment_name(expected), .what = "the file is missing", .missing = true};
        }
        if (!damage) continue;
        if (!options_.repair) return refuse(*damage);
        segments.reset();  // nobody may read what is about to change
        return repair_segments(*damage, i);
    }
    if (segments_.empty() && report_.snapshot) {
        const Damage damage{
            .name = segment_name(first_segment_), .what = "the file is missing", .missing = true};
        if (!options_.repair) return refuse(damage);
        report_.repaired.push_back(Cut{.file = path(damage.name), .what = damage.what});
    }
    return Done{};
}

Result<std::optional<Recovery::Damage>> Recovery::replay_segment(std::uint64_t number,
                                                                 const ReadSegment& segment) {
    const std::string name = segment_name(number);
    const Result<SegmentHead>& head = segment.head;
    if (!head && head.error().code != "corruption") return head.error();
    if (!head) return std::optional(Damage{name, 0, head.error().detail[2]});
    if (head->segment != number) {
        return std::optional(Damage{name, 16, "says that it is " + segment_name(head->segment)});
    }
    if (head->first_record != next_record_) {
        return std::optional(Damage{name, 24,
                                    "begins with record " + std::to_string(head->first_record) +
                                        ", but record " + std::to_string(next_record_) +
                                        " is due"});
    }
    last_ = *head;
    last_end_ = kFileHeadBytes;
    ++report_.segments;
    return replay_records(name, segment);
}

Result<std::optional<Recovery::Damage>> Recovery::replay_records(const std::string& name,
                                                                 const ReadSegment& segment) {
    const std::string_view content = segment.content;
    const bool last = last_->segment == segments_.back();
    std::uint32_t next_position = 0;
    std::uint64_t durable_before = next_record_;
    for (const RecordHead& record : segment.records) {
        if (record.number != next_record_ ||
            (record.position != next_position && record.position != 0)) {
            return std::optional(Damage{name, last_end_, "a record is out of order"});
        }
        const std::string_view frame = content.substr(last_end_, record.length);
        FF_CHECK(visitor_.record(frame.substr(kRecordHeadBytes)));
        ++report_.records;
        ++next_record_;
        next_position = record.position + 1;
        last_end_ += record.length;
        replay_bytes_ += record.length;
        FF_CHECK(advance(record.length));
        durable_before = record.durable_before();
    }
    if (last && next_record_ < mark_.next_record) {
        return std::optional(Damage{name, last_end_, what_is_gone(content.substr(last_end_))});
    }
    if (last) remember_unsure(*last_, content, durable_before);
    switch (judge_tail(content, last_end_, next_record_, last_->seed)) {
        case TailKind::Clean:
            return std::optional<Damage>();
        case TailKind::Torn:
            if (!last) break;
            FF_CHECK(cut_torn(name, content.size()));
            return std::optional<Damage>();
        case TailKind::Damaged:
            break;
    }
    return std::optional(Damage{name, last_end_, "the checksum of a record is wrong"});
}

/// The mark says that more was stored than the last segment holds.
std::string Recovery::what_is_gone(std::string_view rest) const {
    const std::string last_stored = std::to_string(mark_.next_record - 1);
    const std::string first_gone = std::to_string(next_record_);
    if (rest.find_first_not_of('\0') != std::string_view::npos)
        return "record " + first_gone + " was stored here and cannot be read; the log went up to " +
               last_stored;
    return "the log was cut: records " + first_gone + " to " + last_stored + " were stored here";
}

/// What the last process wrote but did not live to know durable may be in the system's memory only,
/// and a sync that failed then may have left it there as clean, so that no later sync writes it.
void Recovery::remember_unsure(const SegmentHead& head, std::string_view content,
                               std::uint64_t durable_before) {
    unsure_from_ = kFileHeadBytes;
    while (unsure_from_ < last_end_) {
        const std::optional<RecordHead> record = valid_record(content, unsure_from_, head.seed);
        if (!record || record->number >= durable_before) break;
        unsure_from_ += record->length;
    }
    unsure_ = content.substr(unsure_from_, last_end_ - unsure_from_);
}

Result<Done> Recovery::cut_torn(const std::string& name, std::uint64_t size) {
    report_.torn = Cut{.file = path(name),
                       .offset = last_end_,
                       .bytes = size - last_end_,
                       .what = "a write that a crash cut short"};
    FF_TRY(const std::unique_ptr<File> file, files_.open(path(name), OpenMode::ReadWrite));
    return file->truncate(last_end_);
}

/// Everything from the damage on is set aside: what follows it cannot be applied without it.
Result<Done> Recovery::repair_segments(const Damage& damage, std::size_t at) {
    const std::uint64_t broken = segments_[at];
    const bool cut_within =
        last_ && last_->segment == broken && damage.name == segment_name(broken);
    // The last one first, so that a crash in between leaves no gap.
    for (std::size_t i = segments_.size(); i-- > at + (cut_within ? 1 : 0);) {
        FF_CHECK(set_aside(segment_name(segments_[i])));
    }
    if (cut_within) {
        FF_TRY(const std::string kept, free_copy_name(damage.name));
        FF_TRY(const std::unique_ptr<File> file,
               files_.open(path(damage.name), OpenMode::ReadWrite));
        FF_TRY(const std::uint64_t size, file->size());
        FF_CHECK(copy(damage.name, kept, size, {}));
        FF_CHECK(files_.sync_folder(folder_));
        FF_CHECK(file->truncate(damage.offset));
        report_.repaired.push_back(Cut{.file = path(damage.name),
                                       .offset = damage.offset,
                                       .bytes = size - damage.offset,
                                       .what = damage.what,
                                       .copy = path(kept)});
    }
    // Said of the file that was at fault, also where it was set aside whole or is missing.
    for (Cut& cut : report_.repaired) {
        if (cut.file == path(damage.name)) cut.what = damage.what;
    }
    return files_.sync_folder(folder_);
}

Result<Done> Recovery::open_last() {
    Journal& journal = *journal_;
    if (!last_) {
        SegmentHead head{
            .shard = options_.shard, .segment = first_segment_, .first_record = next_record_};
        FF_TRY(journal.file_, Journal::create_segment(files_, folder_, head, options_.grow_bytes));
        FF_CHECK(files_.sync_folder(folder_));
        last_ = head;
        last_end_ = kFileHeadBytes;
    } else {
        const std::string name = path(segment_name(last_->segment));
        FF_TRY(journal.file_, files_.open(name, OpenMode::ReadWrite));
    }
    if (!unsure_.empty()) FF_CHECK(journal.file_->write_at(unsure_from_, unsure_));
    FF_CHECK(journal.file_->sync());
    FF_TRY(journal.allocated_, journal.file_->size());
    journal.head_ = *last_;
    journal.end_ = last_end_;
    journal.next_record_ = next_record_;
    journal.synced_record_ = next_record_;
    journal.replay_bytes_->store(replay_bytes_);
    if (options_.mark_path.empty()) return Done{};
    // A new store is in use from now on, also if the power fails before a later mark is stored.
    const bool is_new = mark_.time.count() == 0 && options_.clock != nullptr;
    const Mark mark{.segment = last_->segment,
                    .next_record = next_record_,
                    .end = last_end_,
                    .snapshot = report_.snapshot.value_or(0),
                    .time = is_new ? options_.clock->now_us() : mark_.time};
    report_.time = mark_.time;
    FF_TRY(journal.mark_, MarkFile::open(files_, options_.mark_path, options_.shard, mark));
    return Done{};
}

Error Recovery::refuse(const Damage& damage) const {
    Error error = corruption(path(damage.name), damage.offset, damage.what);
    if (damage.missing) error.message = path(damage.name) + ": " + damage.what;
    return error;
}

Result<std::string> Recovery::free_copy_name(const std::string& name) const {
    for (std::uint64_t n = 1;; ++n) {
        std::string candidate = name + ".damaged-" + std::to_string(n);
        FF_TRY(const bool taken, files_.exists(path(candidate)));
        if (!taken) return candidate;
    }
}

/// The first `bytes` bytes of a file and `more`, durable under another name.
Result<Done> Recovery::copy(const std::string& from, const std::string& to, std::uint64_t bytes,
                            std::string_view more) {
    FF_TRY(const std::unique_ptr<File> source, files_.open(path(from), OpenMode::Read));
    FF_TRY(const std::unique_ptr<File> target, files_.open(path(to), OpenMode::Create));
    for (std::uint64_t at = 0; at < bytes;) {
        FF_TRY(const std::string part,
               source->read_at(at, std::min<std::uint64_t>(kCopyBytes, bytes - at)));
        if (part.empty()) break;
        FF_CHECK(target->write_at(at, part));
        at += part.size();
    }
    if (!more.empty()) FF_CHECK(target->write_at(bytes, more));
    return target->sync();
}

Result<Done> Recovery::set_aside(const std::string& name) {
    FF_TRY(const std::string kept, free_copy_name(name));
    FF_TRY(const std::unique_ptr<File> file, files_.open(path(name), OpenMode::Read));
    FF_TRY(const std::uint64_t size, file->size());
    FF_CHECK(files_.rename(path(name), path(kept)));
    report_.repaired.push_back(
        Cut{.file = path(name), .bytes = size, .what = "follows damage", .copy = path(kept)});
    return Done{};
}

Result<Done> Recovery::remove_replaced() {
    for (const std::uint64_t segment : older_segments_) {
        FF_CHECK(files_.remove(path(segment_name(segment))));
    }
    for (const std::uint64_t snapshot : older_snapshots_) {
        FF_CHECK(files_.remove(path(snapshot_name(snapshot))));
    }
    return Done{};
}

}  // namespace ff::journal
