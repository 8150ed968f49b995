#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "journal/file_system.h"
#include "journal/format.h"
#include "journal/journal_copy.h"
#include "journal/loading.h"
#include "journal/mark.h"
#include "journal/records.h"
#include "journal/snapshot_writer.h"

namespace ff::journal {

struct JournalOptions {
    std::uint32_t shard = 0;
    /// A group that would pass this size goes into a new segment.
    std::uint64_t segment_bytes = 64ULL << 20;
    /// A log that is synced grows by zeros in steps of this size, see docs/internals/journal.md.
    std::uint64_t grow_bytes = 1ULL << 20;
    /// Instead of refusing damage: keep a copy of the damaged file, cut it there, and go on.
    bool repair = false;
    /// Where the high-water mark is kept; empty: nowhere.
    std::string mark_path{};
    /// What is replayed next is read and checked on a thread of its own meanwhile.
    bool reads_ahead = true;
    /// Told how far the opening is, and asked whether to go on; null: nobody cares.
    Loading* loading = nullptr;
    /// Whose time the mark keeps; outlives the journal. Null: nobody's.
    const Clock* clock = nullptr;
};

/// Receives what the journal holds, in order, while it is opened. An error ends the opening.
class RecordVisitor {
  public:
    virtual ~RecordVisitor() = default;
    virtual Result<Done> snapshot_chunk(std::string_view chunk) = 0;
    virtual Result<Done> record(std::string_view payload) = 0;
};

/// Something that was cut off or set aside while opening.
struct Cut {
    std::string file{};
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::string what{};
    /// Where the damaged file was kept; empty for a torn tail, which is not damage.
    std::string copy{};
};

struct RecoveryReport {
    std::optional<std::uint64_t> snapshot{};
    std::uint64_t snapshot_chunks = 0;
    std::uint64_t segments = 0;
    std::uint64_t records = 0;
    /// Of all records, and how long reading and applying them took.
    std::uint64_t log_bytes = 0;
    std::chrono::nanoseconds log_time{0};
    /// It was so late when the log was last known to be durable; zero if that is not known.
    std::chrono::microseconds time{0};
    std::optional<Cut> torn{};
    std::vector<Cut> repaired{};
    /// Records that the mark knows of and that are not there, after a repair.
    std::uint64_t lost_records = 0;
};

/// Whether a commit waits for the disk.
enum class Sync : std::uint8_t { Yes, No };

enum class JournalState : std::uint8_t {
    Open,
    Stuck,   // no space: a group waits for `retry_commit`
    Failed,  // a sync or a write failed: nothing works any more, the process should end
};

struct Opened;

/// The log of one shard: passive, and used by one thread at a time. A snapshot writer it has made
/// may be used by another thread at the same time; the two share nothing but the file system.
class Journal {
  public:
    /// Makes the folder if needed, replays the newest snapshot and all later records through
    /// `visitor`, and is ready for appends. A torn tail is cut and reported. Any other damage is
    /// refused with code "corruption" and detail {file, offset, what}, unless `options.repair`.
    /// The caller holds the lock of the store. `files` must outlive the journal.
    static Result<Opened> open(FileSystem& files, const std::string& folder, JournalOptions options,
                               RecordVisitor& visitor);
    ~Journal();

    /// Adds records to the current group. Only while Open.
    void append(std::string_view payload);
    void append(const Records& records);
    /// The first of a group is taken over without a copy, for the memory of the last group.
    void append(Records&& records);

    /// Writes the group with one call and, with Sync::Yes, makes it and all before it durable.
    /// Without space the group stays, the file is cut back to its last good length, and the state
    /// is Stuck. After any other failure the state is Failed. An empty group only syncs.
    Result<Done> commit(Sync sync);
    /// Tries the group of a Stuck journal again.
    Result<Done> retry_commit(Sync sync);
    /// Makes all committed groups durable. A failure is final.
    Result<Done> sync();

    /// Whether the log is still where it was, which it is asked after every sync as well; also
    /// makes the mark durable. A failure is final.
    Result<Done> look_after();

    /// Starts a new segment; the writer's snapshot must hold the effect of every record committed
    /// so far, and replaces all of them once finished. The current group must be empty. Without
    /// space nothing has changed.
    Result<std::unique_ptr<SnapshotWriter>> begin_snapshot();

    /// Starts a new segment and opens all files that hold the records committed so far: a copy of
    /// them opens to exactly these. The same conditions as for a snapshot.
    Result<JournalCopy> begin_copy();

    JournalState state() const { return state_; }
    /// Records ever committed to this journal, written or not yet synced.
    std::uint64_t committed() const { return next_record_ - 1; }
    std::size_t group_bytes() const { return group_.size(); }
    /// Bytes to replay on top of the newest snapshot; any thread may ask.
    std::uint64_t replay_bytes() const { return replay_bytes_->load(std::memory_order_relaxed); }

  private:
    friend class Recovery;
    Journal(FileSystem& files, std::string folder, JournalOptions options);

    /// A segment appears under its name only with its head and first zeros on disk.
    static Result<std::unique_ptr<File>> create_segment(FileSystem& files,
                                                        const std::string& folder,
                                                        SegmentHead& head, std::uint64_t bytes);
    Result<Done> commit_group(Sync sync);
    Result<Done> write_group(Sync sync_mode);
    Result<Done> start_segment();
    Result<Done> check_place();
    Result<Done> move_mark();
    Error fail(Error error);
    Error refusal() const;

    FileSystem& files_;
    std::string folder_;
    JournalOptions options_;
    JournalState state_ = JournalState::Open;
    std::string failure_;

    std::unique_ptr<File> file_;
    SegmentHead head_;
    std::uint64_t end_ = 0;        // where the next group goes: everything before it is good
    std::uint64_t allocated_ = 0;  // size of the file; zeros from end_ on
    std::uint64_t next_record_ = 1;
    std::uint64_t synced_record_ = 1;  // records below it are durable

    ByteBuffer group_{};
    std::uint32_t group_count_ = 0;
    std::shared_ptr<MarkFile> mark_{};  // shared with the snapshot writers
    // Shared with the snapshot writers, which subtract what they have replaced.
    std::shared_ptr<std::atomic<std::uint64_t>> replay_bytes_;
};

struct Opened {
    std::unique_ptr<Journal> journal;
    RecoveryReport report{};
};

}  // namespace ff::journal
