#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/file_system.h"
#include "journal/mark.h"

namespace ff::journal {

/// The files that hold a journal as it was at one moment. They are complete, durable and never
/// change again, and stay readable while this lives, although a snapshot may remove their names.
/// Used by one thread at a time, any one, independent of the journal.
class JournalCopy {
  public:
    explicit JournalCopy(const Mark& mark) : mark_(mark) {}

    void add(std::string name, std::unique_ptr<File> file);
    /// Copies them into `folder`, which is made and should be empty; durable when it returns.
    /// Answers how many bytes there were.
    Result<std::uint64_t> write_to(FileSystem& files, const std::string& folder);

    /// Records ever committed to the journal up to that moment.
    std::uint64_t records() const { return mark_.next_record - 1; }
    /// What they hold, for the high-water mark of the copy.
    const Mark& mark() const { return mark_; }

  private:
    struct Entry {
        std::string name{};
        std::unique_ptr<File> file{};
    };
    std::vector<Entry> entries_;
    Mark mark_;
};

}  // namespace ff::journal
