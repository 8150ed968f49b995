#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "journal/fault_file_system.h"
#include "journal/journal.h"

namespace ff::fault {

/// The payload of item `number`, so that a journal's content can be checked without remembering it.
std::string payload_of(std::uint64_t number);

/// What an opened journal holds: items 1, 2, 3... from the snapshot and the log.
class Content final : public journal::RecordVisitor {
  public:
    Result<Done> snapshot_chunk(std::string_view chunk) override;
    Result<Done> record(std::string_view payload) override;

    /// True while everything seen was the next item.
    testing::AssertionResult is_sequence() const;
    std::uint64_t items() const { return items_; }
    std::uint64_t from_snapshot() const { return from_snapshot_; }

  private:
    Result<Done> take(std::string_view payload);

    std::uint64_t items_ = 0;
    std::uint64_t from_snapshot_ = 0;
    std::uint64_t first_wrong_ = 0;
};

struct HistoryOptions {
    std::uint64_t seed = 1;
    std::uint32_t steps = 24;
    bool snapshots = true;
};

/// Drives one journal through a seeded history of commits, late syncs and snapshots, and keeps
/// account of what it was promised.
class History {
  public:
    explicit History(HistoryOptions options) : options_(options), random_(options.seed) {}

    /// Opens the journal in `files` and runs until the steps are done or the journal has failed.
    /// What it holds must be a beginning of what was handed over, no shorter than what was
    /// acknowledged.
    void run(journal::FileSystem& files);

    std::uint64_t acknowledged() const { return acknowledged_; }
    /// Opens the journal and compares it with what was promised.
    testing::AssertionResult check(journal::FileSystem& files) const;

    static std::string folder() { return "store/shard-0"; }
    static journal::JournalOptions journal_options();

  private:
    bool step(journal::Journal& journal);
    bool commit(journal::Journal& journal, journal::Sync sync);
    bool snapshot(journal::Journal& journal);

    HistoryOptions options_;
    SeededRandom random_;
    std::uint64_t handed_over_ = 0;
    std::uint64_t acknowledged_ = 0;
};

}  // namespace ff::fault
