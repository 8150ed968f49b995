#include "journal/posix_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "journal/direct_blocks.h"

namespace ff::journal {
namespace {

constexpr std::string_view kLockName = "LOCK";

Error last_error(std::string_view path, std::string_view doing) {
    const int number = errno;
    // glibc has the names, other systems get the number.
#if defined(__GLIBC__)
    const char* name = strerrorname_np(number);
    // EAGAIN and EWOULDBLOCK are one number here; only the lock sees it.
    if (number == EWOULDBLOCK) name = "EWOULDBLOCK";
    const std::string text = name != nullptr ? name : std::to_string(number);
#else
    const std::string text = number == ENOSPC   ? "ENOSPC"
                             : number == EDQUOT ? "EDQUOT"
                             : number == ENOENT ? "ENOENT"
                             : number == EEXIST ? "EEXIST"
                                                : std::to_string(number);
#endif
    return file_error(text, path, doing);
}

/// Repeats a system call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
    auto answer = call();
    while (answer < 0 && errno == EINTR) answer = call();
    return answer;
}

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }

  private:
    int number_;
};

Result<Descriptor> open_descriptor(const std::string& path, int flags) {
    const int number = uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0644); });
    if (number < 0) return last_error(path, "open");
    return Descriptor(number);
}

iovec part(std::string_view bytes) {
    return {const_cast<char*>(bytes.data()), bytes.size()};
}

class PosixFile final : public File {
  public:
    PosixFile(std::string path, Descriptor descriptor, std::shared_ptr<DirectMemory> memory)
        : path_(std::move(path)), descriptor_(std::move(descriptor)), memory_(std::move(memory)) {}

    Result<Done> write_at(std::uint64_t offset, std::string_view data) override {
        if (blocks_) blocks_->forget();
        set_direct(false);
        has_to_write_ = true;
        while (!data.empty()) {
            const ssize_t written = uninterrupted([&] {
                return ::pwrite(fd(), data.data(), data.size(), static_cast<off_t>(offset));
            });
            if (written < 0) return last_error(path_, "write");
            // A write of some bytes that takes none has no error to show and would loop for ever.
            if (written == 0) return file_error("ENOSPC", path_, "write");
            offset += static_cast<std::uint64_t>(written);
            data.remove_prefix(static_cast<std::size_t>(written));
        }
        return Done{};
    }

    Result<Done> write_end(std::uint64_t offset, std::string_view data,
                           std::uint64_t zeros) override {
        while (!direct_refused_) {
            const std::string_view some = data.substr(0, DirectBlocks::room_at(offset));
            const bool last = some.size() == data.size();
            FF_TRY(const bool written, write_direct(offset, some, last ? zeros : 0));
            if (!written) break;
            if (last) return Done{};
            offset += some.size();
            data.remove_prefix(some.size());
        }
        return File::write_end(offset, data, zeros);
    }

    Result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
        set_direct(false);
        std::string data(size, '\0');
        std::size_t filled = 0;
        while (filled < size) {
            const ssize_t got = uninterrupted([&] {
                return ::pread(fd(), data.data() + filled, size - filled,
                               static_cast<off_t>(offset + filled));
            });
            if (got < 0) return last_error(path_, "read");
            if (got == 0) break;
            filled += static_cast<std::size_t>(got);
        }
        data.resize(filled);
        return data;
    }

    Result<Done> truncate(std::uint64_t size) override {
        if (blocks_) blocks_->forget();
        if (uninterrupted([&] { return ::ftruncate(fd(), static_cast<off_t>(size)); }) < 0) {
            return last_error(path_, "truncate");
        }
        return Done{};
    }

    Result<Done> sync() override {
        // Not repeated after EINTR alone: the answer of a second sync says nothing about the first.
        if (::fdatasync(fd()) < 0) return last_error(path_, "fdatasync");
        has_to_write_ = false;
        return Done{};
    }

    bool has_to_write() const override { return has_to_write_; }

    Result<std::uint64_t> size() override {
        struct stat facts{};
        if (::fstat(fd(), &facts) < 0) return last_error(path_, "stat");
        return static_cast<std::uint64_t>(facts.st_size);
    }

    Result<bool> is_at(const std::string& path) override {
        struct stat open_file{};
        struct stat named{};
        if (::fstat(fd(), &open_file) < 0) return last_error(path_, "stat");
        if (::stat(path.c_str(), &named) < 0) {
            if (errno == ENOENT || errno == ENOTDIR) return false;
            return last_error(path, "stat");
        }
        return open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
    }

  private:
    int fd() const { return descriptor_.number(); }

    /// False if the file is as it was.
    bool set_direct(bool wanted) {
        if (wanted == direct_) return true;
#if defined(O_DIRECT)
        if (::fcntl(fd(), F_SETFL, wanted ? O_DIRECT : 0) < 0) return false;
        direct_ = wanted;
        return true;
#else
        return false;
#endif
    }

    /// False if it has to be written through the system's memory.
    Result<bool> write_direct(std::uint64_t offset, std::string_view data, std::uint64_t zeros) {
        if (!blocks_) blocks_ = std::make_unique<DirectBlocks>(memory_);
        if (!blocks_->knows(offset)) {
            const auto before = static_cast<std::size_t>(offset % DirectBlocks::kBlock);
            FF_TRY(std::string bytes, read_at(DirectBlocks::block_of(offset), before));
            bytes.resize(before, '\0');
            blocks_->learn(offset, bytes);
        }
        if (!set_direct(true)) direct_refused_ = true;
        if (direct_refused_) return false;
        const std::string_view blocks = blocks_->lay_out(offset, data);
        const std::uint64_t at = DirectBlocks::block_of(offset);
        const std::uint64_t end = offset + data.size() + zeros;
        std::vector<iovec> parts{part(blocks)};
        std::uint64_t total = blocks.size();
        while (at + total < end) {
            const std::uint64_t left = DirectBlocks::block_of(end - at - total - 1);
            parts.push_back(part(blocks_->zeros().substr(0, left + DirectBlocks::kBlock)));
            total += parts.back().iov_len;
        }
        const ssize_t written = uninterrupted([&] {
            return ::pwritev(fd(), parts.data(), static_cast<int>(parts.size()),
                             static_cast<off_t>(at));
        });
        if (written == static_cast<ssize_t>(total)) return true;
        blocks_->forget();
        // Other blocks than ours, or none at all.
        if (written < 0 && errno == EINVAL) direct_refused_ = true;
        if (written < 0 && !direct_refused_) return last_error(path_, "write");
        return false;
    }

    std::string path_;
    Descriptor descriptor_;
    std::shared_ptr<DirectMemory> memory_;
    /// Of files that are written at their end.
    std::unique_ptr<DirectBlocks> blocks_;
    bool direct_ = false;
    bool direct_refused_ = false;
    bool has_to_write_ = false;
};

class PosixLock final : public FileLock {
  public:
    explicit PosixLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  private:
    Descriptor descriptor_;
};

Error locked(const std::string& folder, const std::string& path, int descriptor) {
    char text[32] = {};
    const ssize_t got = ::pread(descriptor, text, sizeof text - 1, 0);
    std::string holder(text, got > 0 ? static_cast<std::size_t>(got) : 0);
    holder.erase(std::find(holder.begin(), holder.end(), '\n'), holder.end());
    Error error = file_error("EWOULDBLOCK", path, "lock");
    error.cls = ErrorClass::Terminal;
    error.message = "the folder " + folder + " is in use by process " +
                    (holder.empty() ? std::string("unknown") : holder);
    return error;
}

}  // namespace

Result<std::unique_ptr<File>> PosixFileSystem::open(const std::string& path, OpenMode mode) {
    int flags = 0;
    switch (mode) {
        case OpenMode::Read:
            flags = O_RDONLY;
            break;
        case OpenMode::ReadWrite:
            flags = O_RDWR;
            break;
        case OpenMode::Create:
            flags = O_RDWR | O_CREAT | O_TRUNC;
            break;
    }
    FF_TRY(Descriptor descriptor, open_descriptor(path, flags));
    return std::unique_ptr<File>(std::make_unique<PosixFile>(path, std::move(descriptor), memory_));
}

Result<Done> PosixFileSystem::rename(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) < 0) return last_error(from, "rename");
    return Done{};
}

Result<Done> PosixFileSystem::remove(const std::string& path) {
    if (::unlink(path.c_str()) < 0) return last_error(path, "remove");
    return Done{};
}

Result<Done> PosixFileSystem::sync_folder(const std::string& folder) {
    FF_TRY(const Descriptor descriptor, open_descriptor(folder, O_RDONLY | O_DIRECTORY));
    if (::fsync(descriptor.number()) < 0) return last_error(folder, "fsync");
    return Done{};
}

Result<Done> PosixFileSystem::make_folder(const std::string& folder) {
    for (std::size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
        const std::string part = folder.substr(0, end);
        if (::mkdir(part.c_str(), 0755) == 0) {
            const std::size_t slash = part.rfind('/');
            const std::string parent = slash == std::string::npos ? std::string(".")
                                       : slash == 0               ? std::string("/")
                                                                  : part.substr(0, slash);
            FF_CHECK(sync_folder(parent));
        } else if (errno != EEXIST) {
            return last_error(part, "make folder");
        }
        if (end == std::string::npos) return Done{};
    }
}

Result<std::vector<std::string>> PosixFileSystem::list(const std::string& folder) {
    DIR* stream = ::opendir(folder.c_str());
    if (stream == nullptr) return last_error(folder, "list");
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
        errno = 0;
    }
    const int problem = errno;
    ::closedir(stream);
    if (problem != 0) {
        errno = problem;
        return last_error(folder, "list");
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<bool> PosixFileSystem::exists(const std::string& path) {
    struct stat facts{};
    if (::stat(path.c_str(), &facts) == 0) return true;
    if (errno == ENOENT) return false;
    return last_error(path, "stat");
}

Result<std::uint64_t> PosixFileSystem::free_bytes(const std::string& folder) {
    struct statvfs facts{};
    if (::statvfs(folder.c_str(), &facts) < 0) return last_error(folder, "statvfs");
    return std::uint64_t{facts.f_bavail} * facts.f_frsize;
}

Result<std::unique_ptr<FileLock>> PosixFileSystem::lock_folder(const std::string& folder) {
    const std::string path = join_path(folder, kLockName);
    FF_TRY(Descriptor descriptor, open_descriptor(path, O_RDWR | O_CREAT));
    const int number = descriptor.number();
    if (uninterrupted([&] { return ::flock(number, LOCK_EX | LOCK_NB); }) < 0) {
        if (errno == EWOULDBLOCK) return locked(folder, path, number);
        return last_error(path, "lock");
    }
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(number, 0) < 0) return last_error(path, "truncate");
    if (::pwrite(number, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
        return last_error(path, "write");
    }
    return std::unique_ptr<FileLock>(std::make_unique<PosixLock>(std::move(descriptor)));
}

}  // namespace ff::journal
