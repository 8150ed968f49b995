#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ff::journal {

/// What went wrong with a file, as far as anyone decides by it.
enum class FileError : std::uint8_t {
    None,      // not an error of a file system
    NoSpace,   // ENOSPC, EDQUOT: may pass
    NotFound,  // ENOENT
    Exists,    // EEXIST
    Locked,    // another process holds the lock
    Lost,      // the file is no longer where it was
    Io,        // EIO and everything else
};

/// code "storage_error", kind "io_error", detail {errno name, path}.
Error file_error(std::string_view errno_name, std::string_view path, std::string_view doing);
/// The category of an error made by `file_error`; None for any other error.
FileError category_of(const Error& error);

/// An open file. Used by one thread at a time; closed by its destructor.
class File {
  public:
    virtual ~File() = default;

    /// Writes all of `data` in one call where the system allows it. After a failure any part of it
    /// may have been written.
    virtual Result<Done> write_at(std::uint64_t offset, std::string_view data) = 0;
    /// As `write_at`, with `zeros` zeros behind the data, and past the system's memory where that
    /// is possible: for a write that a sync follows at once. The file must hold nothing but zeros
    /// behind it, and may get some more of them than were asked for.
    virtual Result<Done> write_end(std::uint64_t offset, std::string_view data,
                                   std::uint64_t zeros);
    /// Up to `size` bytes; fewer only at the end of the file.
    virtual Result<std::string> read_at(std::uint64_t offset, std::size_t size) = 0;
    virtual Result<Done> truncate(std::uint64_t size) = 0;
    /// Makes the content durable (fdatasync). After a failure the content is unknown: the system
    /// may have dropped what it could not write.
    virtual Result<Done> sync() = 0;
    /// Whether a sync may have to write anything, and not only to make sure of it.
    virtual bool has_to_write() const { return true; }
    virtual Result<std::uint64_t> size() = 0;
    /// Whether `path` still names this file: somebody may have removed or moved it meanwhile.
    virtual Result<bool> is_at(const std::string& path) = 0;
};

/// Holds an exclusive lock until destroyed.
class FileLock {
  public:
    virtual ~FileLock() = default;
};

enum class OpenMode : std::uint8_t {
    Read,       // must exist
    ReadWrite,  // must exist
    Create,     // made, or emptied if it exists; read and write
};

/// All access to files. Implementations may be called from several threads at once.
class FileSystem {
  public:
    virtual ~FileSystem() = default;

    virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
    /// Replaces `to` if it exists. Durable only after `sync_folder`, as are creation and removal.
    virtual Result<Done> rename(const std::string& from, const std::string& to) = 0;
    virtual Result<Done> remove(const std::string& path) = 0;
    virtual Result<Done> sync_folder(const std::string& folder) = 0;
    /// Makes the folder and its missing parents; a folder that exists is fine.
    virtual Result<Done> make_folder(const std::string& folder) = 0;
    /// Names of the files and folders in `folder`, sorted.
    virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
    virtual Result<bool> exists(const std::string& path) = 0;
    virtual Result<std::uint64_t> free_bytes(const std::string& folder) = 0;
    /// Locks `folder` through the file LOCK in it, which then holds our process id. A folder that
    /// is in use is refused with the category Locked and a message naming folder and process.
    virtual Result<std::unique_ptr<FileLock>> lock_folder(const std::string& folder) = 0;
    /// What the first large write at a file's end would otherwise have to wait for.
    virtual void prepare_large_writes() {}
};

/// The whole file; NotFound if there is none.
Result<std::string> read_file(FileSystem& files, const std::string& path);
/// Writes `path` so that after a crash it is there whole or not at all: a temporary file, synced,
/// renamed, folder synced.
Result<Done> write_file_atomically(FileSystem& files, const std::string& folder,
                                   const std::string& name, std::string_view content);

/// folder + "/" + name.
std::string join_path(std::string_view folder, std::string_view name);

}  // namespace ff::journal
