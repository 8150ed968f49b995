#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "journal/file_system.h"

// The high-water mark of a log, in a file outside the log's folder, so that a log that has lost
// records or whole files is known to have lost them. Two copies, a sector each, written in turn:
//     0   8  magic "FFMARK\r\n"
//     8   4  format version
//    12   4  shard
//    16   8  how often the mark was written; the higher of two good copies counts
//    24   8  newest segment that is there; 0 for none yet
//    32   8  number of the first record that is not known to be durable
//    40   8  bytes of that segment that are durable
//    48   8  newest snapshot; 0 for none
//    56   4  checksum of the 56 bytes before
//    60   8  time of the store then, in microseconds; absent from older marks
//    68   4  checksum of the 68 bytes before

namespace ff::journal {

/// What a log holds at least.
struct Mark {
    std::uint64_t segment = 0;
    std::uint64_t next_record = 1;
    std::uint64_t end = 0;
    std::uint64_t snapshot = 0;
    /// What the store's clock said when the mark was moved; zero if that is not known.
    std::chrono::microseconds time{0};

    bool operator==(const Mark&) const = default;
};

/// Of the shard's journal in a data folder.
std::string mark_name(std::uint32_t shard);

/// Nothing if there is no such file; `corruption` if none of its copies is good.
Result<std::optional<Mark>> read_mark(FileSystem& files, const std::string& path,
                                      std::uint32_t shard);
/// The whole file, for one that does not exist yet.
std::string encode_mark_file(const Mark& mark, std::uint32_t shard);

/// Keeps a mark. It is written when the log is durable and never before, so that the mark a power
/// cut leaves is never ahead of the log; a mark that lags behind only notices less. Any thread.
class MarkFile {
  public:
    /// Makes the file, durably, or replaces its mark.
    static Result<std::unique_ptr<MarkFile>> open(FileSystem& files, const std::string& path,
                                                  std::uint32_t shard, const Mark& mark);

    /// The log is durable up to there. Given to the system without waiting for the disk: a process
    /// that is killed leaves it exact.
    Result<Done> advance(std::uint64_t segment, std::uint64_t next_record, std::uint64_t end,
                         std::chrono::microseconds time);
    Result<Done> note_snapshot(std::uint64_t snapshot);
    /// Makes durable what was given, if that is new.
    Result<Done> sync();
    Mark mark() const;

  private:
    MarkFile(std::unique_ptr<File> writing, std::unique_ptr<File> syncing, std::uint32_t shard,
             const Mark& mark);
    Result<Done> write(const Mark& mark);

    mutable std::mutex mutex_{};
    Mark mark_;
    std::uint32_t shard_;
    std::uint64_t written_ = 0;
    std::unique_ptr<File> writing_;
    // Another handle, so that writing does not wait for it.
    std::mutex sync_mutex_{};
    std::unique_ptr<File> syncing_;
    std::uint64_t synced_ = 0;
};

}  // namespace ff::journal
