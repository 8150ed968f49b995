#include "journal/overlay_file_system.h"

#include <algorithm>
#include <utility>

namespace ff::journal {
namespace {

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

}  // namespace

class OverlayFileSystem::MemoryFile final : public File {
  public:
    MemoryFile(OverlayFileSystem& files, std::shared_ptr<Content> content)
        : files_(files), content_(std::move(content)) {}

    Result<Done> write_at(std::uint64_t offset, std::string_view data) override {
        const std::lock_guard lock(content_->mutex);
        std::string& bytes = content_->bytes;
        if (bytes.size() < offset + data.size()) bytes.resize(offset + data.size(), '\0');
        bytes.replace(offset, data.size(), data);
        return Done{};
    }
    Result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
        const std::lock_guard lock(content_->mutex);
        if (offset >= content_->bytes.size()) return std::string();
        return content_->bytes.substr(offset, size);
    }
    Result<Done> truncate(std::uint64_t size) override {
        const std::lock_guard lock(content_->mutex);
        content_->bytes.resize(size, '\0');
        return Done{};
    }
    Result<Done> sync() override { return Done{}; }
    Result<std::uint64_t> size() override {
        const std::lock_guard lock(content_->mutex);
        return std::uint64_t{content_->bytes.size()};
    }
    Result<bool> is_at(const std::string& path) override {
        const std::lock_guard lock(files_.mutex_);
        const std::optional<Entry> entry = files_.entry_of(path);
        return entry && entry->content == content_;
    }

  private:
    OverlayFileSystem& files_;
    std::shared_ptr<Content> content_;
};

class OverlayFileSystem::MemoryLock final : public FileLock {
  public:
    MemoryLock(OverlayFileSystem& files, std::string folder)
        : files_(files), folder_(std::move(folder)) {}
    ~MemoryLock() override {
        const std::lock_guard lock(files_.mutex_);
        files_.locks_.erase(folder_);
    }

  private:
    OverlayFileSystem& files_;
    std::string folder_;
};

std::optional<OverlayFileSystem::Entry> OverlayFileSystem::entry_of(const std::string& path) const {
    const auto at = entries_.find(path);
    if (at == entries_.end()) return std::nullopt;
    return at->second;
}

/// Under the mutex: the content in memory, taken from below if it is not there yet.
Result<std::shared_ptr<OverlayFileSystem::Content>> OverlayFileSystem::load(
    const std::string& path) {
    const std::optional<Entry> entry = entry_of(path);
    if (entry && entry->content) return entry->content;
    if (entry && !entry->is_there()) return file_error("ENOENT", path, "open");
    auto content = std::make_shared<Content>();
    FF_TRY(content->bytes, read_file(below_, entry ? entry->moved_from : path));
    entries_[path] = Entry{.content = content};
    return content;
}

Result<std::unique_ptr<File>> OverlayFileSystem::open(const std::string& path, OpenMode mode) {
    const std::lock_guard lock(mutex_);
    if (mode == OpenMode::Create) {
        auto content = std::make_shared<Content>();
        entries_[path] = Entry{.content = content};
        return std::unique_ptr<File>(std::make_unique<MemoryFile>(*this, std::move(content)));
    }
    const std::optional<Entry> entry = entry_of(path);
    const bool in_memory = entry && !entry->moved_from.empty() ? false : entry.has_value();
    if (mode == OpenMode::Read && !in_memory) {
        return below_.open(entry ? entry->moved_from : path, mode);
    }
    FF_TRY(std::shared_ptr<Content> content, load(path));
    return std::unique_ptr<File>(std::make_unique<MemoryFile>(*this, std::move(content)));
}

/// Under the mutex.
Result<bool> OverlayFileSystem::is_file(const std::string& path) {
    if (const std::optional<Entry> entry = entry_of(path)) return entry->is_there();
    return below_.exists(path);
}

Result<Done> OverlayFileSystem::rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock(mutex_);
    FF_TRY(const bool there, is_file(from));
    if (!there) return file_error("ENOENT", from, "rename");
    Entry entry = entry_of(from).value_or(Entry{.moved_from = from});
    entries_[from] = Entry{};
    entries_[to] = std::move(entry);
    return Done{};
}

Result<Done> OverlayFileSystem::remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    FF_TRY(const bool there, is_file(path));
    if (!there) return file_error("ENOENT", path, "remove");
    entries_[path] = Entry{};
    return Done{};
}

Result<Done> OverlayFileSystem::sync_folder(const std::string& /*folder*/) {
    return Done{};
}

Result<Done> OverlayFileSystem::make_folder(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    for (std::size_t end = folder.find('/', 1); end != std::string::npos;
         end = folder.find('/', end + 1)) {
        folders_.insert(folder.substr(0, end));
    }
    folders_.insert(folder);
    return Done{};
}

Result<std::vector<std::string>> OverlayFileSystem::list(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    Result<std::vector<std::string>> below = below_.list(folder);
    if (!below && !folders_.contains(folder)) return std::move(below).error();
    std::vector<std::string> names;
    if (below) {
        std::erase_if(*below, [&](const std::string& name) {
            return entries_.contains(join_path(folder, name));
        });
        names = *std::move(below);
    }
    for (const auto& [path, entry] : entries_)
        if (entry.is_there() && folder_of(path) == folder)
            names.push_back(path.substr(folder.size() + 1));
    for (const std::string& made : folders_)
        if (folder_of(made) == folder) names.push_back(made.substr(folder.size() + 1));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Result<bool> OverlayFileSystem::exists(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (folders_.contains(path)) return true;
    return is_file(path);
}

Result<std::uint64_t> OverlayFileSystem::free_bytes(const std::string& folder) {
    return below_.free_bytes(folder);
}

Result<std::unique_ptr<FileLock>> OverlayFileSystem::lock_folder(const std::string& folder) {
    FF_TRY(const bool used, below_.exists(join_path(folder, "LOCK")));
    if (used) return below_.lock_folder(folder);
    const std::lock_guard lock(mutex_);
    if (!locks_.insert(folder).second) {
        Error error = file_error("EWOULDBLOCK", folder, "lock");
        error.message = "the folder " + folder + " is in use by this process";
        return error;
    }
    return std::unique_ptr<FileLock>(std::make_unique<MemoryLock>(*this, folder));
}

}  // namespace ff::journal
