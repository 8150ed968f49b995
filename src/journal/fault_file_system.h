#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "journal/file_system.h"

namespace ff::journal {

/// What an operation of FaultyFileSystem does to the disk. Reads are not counted.
enum class Operation : std::uint8_t { Create, Write, Truncate, Sync, Rename, Remove, SyncFolder };

enum class Fault : std::uint8_t {
    NoSpace,     // ENOSPC, nothing done
    ShortWrite,  // half of the write is done, then ENOSPC; as NoSpace for anything but a write
    Io,          // EIO, nothing done; a failed sync also drops what it should have written
    Lie,         // answered as done, nothing done; only of writes and syncs
    Crash,       // the process dies in the operation: it may be half done, and all later ones fail
};

/// A file system in memory that knows what a power cut would leave behind. What was written but
/// not synced, and names that were made, changed or removed without `sync_folder`, may be lost, in
/// whole or in part and in any order. Any thread may call anything. Open files keep it alive no
/// longer than it lives: close them first.
class FaultyFileSystem final : public FileSystem {
  public:
    FaultyFileSystem();
    ~FaultyFileSystem() override;

    /// Operation number `index` (counted from 0 since construction) fails so. May be set for many.
    void fail_at(std::uint64_t index, Fault fault);
    /// The next operation of this kind fails so; once.
    void fail_next(Operation operation, Fault fault);
    /// While on, every write, creation and rename fails with ENOSPC.
    void set_full(bool full);
    /// While on, every open file believes that its path still names it.
    void overlook_names(bool overlook);
    /// Called before each operation, outside all locks; may wait, so that tests can hold a sync.
    void set_hook(std::function<void(Operation, const std::string& path)> hook);
    std::uint64_t operations() const;
    std::uint64_t count(Operation operation) const;

    /// What a machine finds that lost power now: everything synced, and of the rest what `seed`
    /// chooses. Seed 0 loses all of it.
    std::unique_ptr<FaultyFileSystem> crash(std::uint64_t seed) const;
    /// What a process finds that was killed and started again: all that was written.
    std::unique_ptr<FaultyFileSystem> restart() const;

    /// Direct access to the durable bytes, for damage and for inspection; not counted.
    void flip(const std::string& path, std::uint64_t offset, std::uint8_t mask);
    void overwrite(const std::string& path, std::string content);
    std::string content(const std::string& path) const;
    bool has(const std::string& path) const;
    std::vector<std::string> paths() const;

    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
    Result<Done> rename(const std::string& from, const std::string& to) override;
    Result<Done> remove(const std::string& path) override;
    Result<Done> sync_folder(const std::string& folder) override;
    Result<Done> make_folder(const std::string& folder) override;
    Result<std::vector<std::string>> list(const std::string& folder) override;
    Result<bool> exists(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& folder) override;
    Result<std::unique_ptr<FileLock>> lock_folder(const std::string& folder) override;

  private:
    struct State;
    class OpenFile;
    class Lock;
    std::unique_ptr<State> state_;
};

}  // namespace ff::journal
