#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "journal/file_system.h"

namespace ff::journal {

/// Another file system as it is, with all changes kept in memory: whoever works on it sees them,
/// and the files below stay as they are. For trying what would happen. A file that is changed is
/// in memory as a whole. `below` outlives it.
class OverlayFileSystem final : public FileSystem {
  public:
    explicit OverlayFileSystem(FileSystem& below) : below_(below) {}

    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
    Result<Done> rename(const std::string& from, const std::string& to) override;
    Result<Done> remove(const std::string& path) override;
    Result<Done> sync_folder(const std::string& folder) override;
    Result<Done> make_folder(const std::string& folder) override;
    Result<std::vector<std::string>> list(const std::string& folder) override;
    Result<bool> exists(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& folder) override;
    /// Of the folder below where somebody may use that; nothing is written there otherwise.
    Result<std::unique_ptr<FileLock>> lock_folder(const std::string& folder) override;

  private:
    class MemoryFile;
    class MemoryLock;
    struct Content {
        std::mutex mutex{};
        std::string bytes{};
    };
    /// What a path is, if not what it is below.
    struct Entry {
        /// Null: there is no such file, unless it is `moved_from`.
        std::shared_ptr<Content> content{};
        /// The path below that has this name here.
        std::string moved_from{};
        bool is_there() const { return content != nullptr || !moved_from.empty(); }
    };

    /// Under the mutex.
    std::optional<Entry> entry_of(const std::string& path) const;
    Result<bool> is_file(const std::string& path);
    Result<std::shared_ptr<Content>> load(const std::string& path);

    FileSystem& below_;
    std::mutex mutex_{};
    std::map<std::string, Entry> entries_{};
    std::set<std::string> folders_{};
    std::set<std::string> locks_{};
};

}  // namespace ff::journal
