#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "journal/file_system.h"
#include "journal/format.h"

namespace ff::journal {

/// Writes one snapshot, from any one thread at a time, independent of the journal that made it.
/// Until `finish` has answered, a crash or an error leaves the journal as if there were no
/// snapshot; destroying it unfinished removes what it wrote.
class SnapshotWriter {
  public:
    /// `finished` is called when the snapshot has replaced what came before it.
    SnapshotWriter(FileSystem& files, std::string folder, SnapshotHead head,
                   std::function<void()> finished = {});
    ~SnapshotWriter();

    /// At most kPayloadBytesMax bytes. After an error only destruction is left.
    Result<Done> write(std::string_view chunk);
    /// Makes the snapshot the one to start from, durably, then removes the segments and snapshots
    /// it replaces. An error while removing is not reported: opening removes the rest.
    Result<Done> finish();

    std::uint64_t bytes() const { return end_; }
    /// The segment from which records follow on this snapshot.
    std::uint64_t segment() const { return head_.segment; }

  private:
    Result<Done> flush();
    Result<Done> publish();
    void remove_replaced();

    FileSystem& files_;
    std::string folder_;
    SnapshotHead head_;
    std::function<void()> finished_call_;
    std::string temporary_;
    std::unique_ptr<File> file_;
    std::string buffer_;
    std::uint64_t end_ = 0;
    std::uint64_t synced_ = 0;
    std::uint64_t chunks_ = 0;
    std::uint64_t chunk_bytes_ = 0;
    bool finished_ = false;
    bool broken_ = false;
};

}  // namespace ff::journal
