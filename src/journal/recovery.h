#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"
#include "journal/read_files.h"

namespace ff::journal {

/// Opens a journal: one object for one opening. Finds the newest snapshot, replays it and the
/// segments after it, cuts a torn tail, and refuses or repairs anything else.
class Recovery {
  public:
    Recovery(FileSystem& files, const std::string& folder, JournalOptions options,
             RecordVisitor& visitor);
    Result<Opened> run();

  private:
    struct Damage {
        std::string name;
        std::uint64_t offset = 0;
        std::string what;
        bool missing = false;
    };

    Result<Done> look_at_mark();
    Result<Done> look_around();
    Result<Done> expect_files();
    /// So many bytes of them have been replayed. Refused once nobody waits for the rest.
    Result<Done> advance(std::uint64_t bytes);
    std::optional<Damage> missing_files() const;
    Result<Done> replay_snapshot();
    Result<std::optional<Damage>> replay_chunks(File& file, const SnapshotHead& head);
    Result<Done> repair_snapshot(const Damage& damage, SnapshotHead head);
    Result<SnapshotHead> rebuilt_snapshot_head() const;

    Result<Done> replay_segments();
    /// Replays one segment; says what is wrong with it, if anything.
    Result<std::optional<Damage>> replay_segment(std::uint64_t number, const ReadSegment& segment);
    Result<std::optional<Damage>> replay_records(const std::string& name,
                                                 const ReadSegment& segment);
    std::string what_is_gone(std::string_view rest) const;
    void remember_unsure(const SegmentHead& head, std::string_view content,
                         std::uint64_t durable_before);
    Result<Done> cut_torn(const std::string& name, std::uint64_t size);
    Result<Done> repair_segments(const Damage& damage, std::size_t at);
    Result<Done> open_last();

    Error refuse(const Damage& damage) const;
    std::string path(std::string_view name) const { return join_path(folder_, name); }
    Result<std::string> free_copy_name(const std::string& name) const;
    Result<Done> copy(const std::string& from, const std::string& to, std::uint64_t bytes,
                      std::string_view more);
    Result<Done> set_aside(const std::string& name);
    Result<Done> remove_replaced();

    FileSystem& files_;
    std::string folder_;
    JournalOptions options_;
    RecordVisitor& visitor_;
    RecoveryReport report_;
    std::unique_ptr<Journal> journal_;

    Mark mark_{};                          // what the log held at least when it was last used
    std::uint64_t stored_ = 0;             // the same, whatever is found
    std::vector<std::uint64_t> segments_;  // from the snapshot on
    std::vector<std::uint64_t> older_segments_;
    std::vector<std::uint64_t> older_snapshots_;
    std::uint64_t first_segment_ = 1;
    std::uint64_t next_record_ = 1;
    std::uint64_t replay_bytes_ = 0;
    std::uint64_t untold_bytes_ = 0;  // replayed since the last word about it

    // The segment that appends will go to, once it is known.
    std::optional<SegmentHead> last_;
    std::uint64_t last_end_ = 0;
    // Its records that nobody ever knew to be durable.
    std::uint64_t unsure_from_ = 0;
    std::string unsure_;
};

}  // namespace ff::journal
