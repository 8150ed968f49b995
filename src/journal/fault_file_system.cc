#include "journal/fault_file_system.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/assert.h"
#include "base/random.h"
#include "journal/fault_disk.h"

namespace ff::journal {
namespace {

constexpr std::size_t kOperationKinds = 7;

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

}  // namespace

struct FaultyFileSystem::State {
    mutable std::mutex mutex;
    Names now;
    Names durable;
    std::vector<NameChange> pending;
    std::set<std::string> folders;
    std::set<std::string> locks;

    std::map<std::uint64_t, Fault> faults;
    std::map<Operation, Fault> next_faults;
    std::function<void(Operation, const std::string&)> hook;
    std::array<std::uint64_t, kOperationKinds> counts{};
    std::uint64_t operations = 0;
    bool full = false;
    bool overlooks_names = false;
    bool crashed = false;

    void call_hook(Operation operation, const std::string& path) const {
        std::function<void(Operation, const std::string&)> call;
        {
            const std::lock_guard lock(mutex);
            call = hook;
        }
        if (call) call(operation, path);
    }

    /// Counts the operation and says how it fails, if it does. Called with the mutex held.
    std::optional<Fault> next(Operation operation) {
        const std::uint64_t index = operations++;
        ++counts[static_cast<std::size_t>(operation)];
        if (crashed) return Fault::Io;
        std::optional<Fault> fault;
        if (const auto at = faults.find(index); at != faults.end()) fault = at->second;
        if (const auto at = next_faults.find(operation); at != next_faults.end()) {
            fault = at->second;
            next_faults.erase(at);
        }
        if (!fault && full &&
            (operation == Operation::Write || operation == Operation::Create ||
             operation == Operation::Rename)) {
            fault = Fault::NoSpace;
        }
        if (fault == Fault::Crash) crashed = true;
        return fault;
    }

    void change_names(NameChange change) {
        change_name(now, change);
        pending.push_back(std::move(change));
    }

    std::shared_ptr<Inode> find(const std::string& path) const {
        const auto at = now.find(path);
        return at == now.end() ? nullptr : at->second;
    }

    static Error error(Fault fault, const std::string& path, std::string_view doing) {
        const bool space = fault == Fault::NoSpace || fault == Fault::ShortWrite;
        return file_error(space ? "ENOSPC" : "EIO", path, doing);
    }
};

class FaultyFileSystem::OpenFile final : public File {
  public:
    OpenFile(State& state, std::string path, std::shared_ptr<Inode> inode)
        : state_(state), path_(std::move(path)), inode_(std::move(inode)) {}

    Result<Done> write_at(std::uint64_t offset, std::string_view data) override {
        state_.call_hook(Operation::Write, path_);
        const std::lock_guard lock(state_.mutex);
        const std::optional<Fault> fault = state_.next(Operation::Write);
        if (fault == Fault::Lie) return Done{};
        if (fault == Fault::ShortWrite || fault == Fault::Crash)
            data = data.substr(0, data.size() / 2);
        if (!fault || fault == Fault::ShortWrite || fault == Fault::Crash) {
            inode_->change(Change{.offset = offset, .data = std::string(data)});
        }
        if (fault) return State::error(*fault, path_, "write");
        return Done{};
    }

    Result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
        const std::lock_guard lock(state_.mutex);
        if (state_.crashed) return State::error(Fault::Io, path_, "read");
        if (offset >= inode_->now.size()) return std::string();
        return inode_->now.substr(offset, size);
    }

    Result<Done> truncate(std::uint64_t size) override {
        state_.call_hook(Operation::Truncate, path_);
        const std::lock_guard lock(state_.mutex);
        const std::optional<Fault> fault = state_.next(Operation::Truncate);
        if (!fault || fault == Fault::Crash) inode_->change(Change{.truncate_to = size});
        if (fault) return State::error(*fault, path_, "truncate");
        return Done{};
    }

    Result<Done> sync() override {
        state_.call_hook(Operation::Sync, path_);
        const std::lock_guard lock(state_.mutex);
        const std::optional<Fault> fault = state_.next(Operation::Sync);
        if (fault == Fault::Lie) return Done{};
        if (fault) {
            // The system forgets what it could not write and takes it for clean from then on.
            if (!state_.crashed) inode_->pending.clear();
            return State::error(*fault, path_, "fdatasync");
        }
        inode_->sync();
        return Done{};
    }

    Result<std::uint64_t> size() override {
        const std::lock_guard lock(state_.mutex);
        if (state_.crashed) return State::error(Fault::Io, path_, "stat");
        return std::uint64_t{inode_->now.size()};
    }

    Result<bool> is_at(const std::string& path) override {
        const std::lock_guard lock(state_.mutex);
        return state_.crashed || state_.overlooks_names || state_.find(path) == inode_;
    }

  private:
    State& state_;
    std::string path_;
    std::shared_ptr<Inode> inode_;
};

class FaultyFileSystem::Lock final : public FileLock {
  public:
    Lock(State& state, std::string folder) : state_(state), folder_(std::move(folder)) {}
    ~Lock() override {
        const std::lock_guard lock(state_.mutex);
        state_.locks.erase(folder_);
    }

  private:
    State& state_;
    std::string folder_;
};

FaultyFileSystem::FaultyFileSystem() : state_(std::make_unique<State>()) {}
FaultyFileSystem::~FaultyFileSystem() = default;

void FaultyFileSystem::fail_at(std::uint64_t index, Fault fault) {
    const std::lock_guard lock(state_->mutex);
    state_->faults[index] = fault;
}
void FaultyFileSystem::fail_next(Operation operation, Fault fault) {
    const std::lock_guard lock(state_->mutex);
    state_->next_faults[operation] = fault;
}
void FaultyFileSystem::set_full(bool full) {
    const std::lock_guard lock(state_->mutex);
    state_->full = full;
}

void FaultyFileSystem::overlook_names(bool overlook) {
    const std::lock_guard lock(state_->mutex);
    state_->overlooks_names = overlook;
}

void FaultyFileSystem::set_hook(std::function<void(Operation, const std::string&)> hook) {
    const std::lock_guard lock(state_->mutex);
    state_->hook = std::move(hook);
}
std::uint64_t FaultyFileSystem::operations() const {
    const std::lock_guard lock(state_->mutex);
    return state_->operations;
}
std::uint64_t FaultyFileSystem::count(Operation operation) const {
    const std::lock_guard lock(state_->mutex);
    return state_->counts[static_cast<std::size_t>(operation)];
}

std::unique_ptr<FaultyFileSystem> FaultyFileSystem::crash(std::uint64_t seed) const {
    const std::lock_guard lock(state_->mutex);
    SeededRandom random(seed);
    const auto survival = seed == 0 ? Survival::Nothing : static_cast<Survival>(random.below(4));
    Names names = state_->durable;
    std::uint64_t kept = survival == Survival::Everything ? state_->pending.size() : 0;
    if (survival == Survival::Prefix) kept = random.below(state_->pending.size() + 1);
    for (std::uint64_t i = 0; i < state_->pending.size(); ++i) {
        const bool survives = survival == Survival::Scattered ? random.below(2) == 0 : i < kept;
        if (survives) change_name(names, state_->pending[i]);
    }
    auto found = std::make_unique<FaultyFileSystem>();
    found->state_->folders = state_->folders;
    for (const auto& [path, inode] : names) {
        auto copy = std::make_shared<Inode>();
        copy->durable = survivor(*inode, survival, random);
        copy->now = copy->durable;
        found->state_->durable[path] = std::move(copy);
    }
    found->state_->now = found->state_->durable;
    return found;
}

std::unique_ptr<FaultyFileSystem> FaultyFileSystem::restart() const {
    const std::lock_guard lock(state_->mutex);
    auto found = std::make_unique<FaultyFileSystem>();
    State& target = *found->state_;
    // What is not durable stays so: the names and the files must keep their common inodes.
    std::map<const Inode*, std::shared_ptr<Inode>> copies;
    const auto copied = [&](const std::shared_ptr<Inode>& inode) -> std::shared_ptr<Inode> {
        if (!inode) return nullptr;
        std::shared_ptr<Inode>& copy = copies[inode.get()];
        if (!copy) copy = std::make_shared<Inode>(*inode);
        return copy;
    };
    for (const auto& [path, inode] : state_->now) target.now[path] = copied(inode);
    for (const auto& [path, inode] : state_->durable) target.durable[path] = copied(inode);
    for (NameChange change : state_->pending) {
        change.inode = copied(change.inode);
        target.pending.push_back(std::move(change));
    }
    target.folders = state_->folders;
    return found;
}

void FaultyFileSystem::flip(const std::string& path, std::uint64_t offset, std::uint8_t mask) {
    std::string bytes = content(path);
    FF_ASSERT(offset < bytes.size());
    bytes[offset] = static_cast<char>(static_cast<std::uint8_t>(bytes[offset]) ^ mask);
    overwrite(path, std::move(bytes));
}

void FaultyFileSystem::overwrite(const std::string& path, std::string content) {
    const std::lock_guard lock(state_->mutex);
    const std::shared_ptr<Inode> inode = state_->find(path);
    FF_ASSERT(inode != nullptr);
    inode->pending.clear();
    inode->durable = content;
    inode->now = std::move(content);
}

std::string FaultyFileSystem::content(const std::string& path) const {
    const std::lock_guard lock(state_->mutex);
    const std::shared_ptr<Inode> inode = state_->find(path);
    FF_ASSERT(inode != nullptr);
    return inode->now;
}

bool FaultyFileSystem::has(const std::string& path) const {
    const std::lock_guard lock(state_->mutex);
    return state_->now.contains(path);
}

std::vector<std::string> FaultyFileSystem::paths() const {
    const std::lock_guard lock(state_->mutex);
    std::vector<std::string> paths;
    for (const auto& [path, inode] : state_->now) paths.push_back(path);
    return paths;
}

Result<std::unique_ptr<File>> FaultyFileSystem::open(const std::string& path, OpenMode mode) {
    if (mode == OpenMode::Create) state_->call_hook(Operation::Create, path);
    const std::lock_guard lock(state_->mutex);
    std::shared_ptr<Inode> inode = state_->find(path);
    if (mode == OpenMode::Create) {
        const std::optional<Fault> fault = state_->next(Operation::Create);
        if (!fault || fault == Fault::Crash) {
            if (!inode) {
                inode = std::make_shared<Inode>();
                state_->change_names(
                    NameChange{.operation = Operation::Create, .path = path, .inode = inode});
            }
            inode->change(Change{.truncate_to = 0});
        }
        if (fault) return State::error(*fault, path, "open");
    }
    if (state_->crashed) return State::error(Fault::Io, path, "open");
    if (!inode) return file_error("ENOENT", path, "open");
    return std::unique_ptr<File>(std::make_unique<OpenFile>(*state_, path, std::move(inode)));
}

Result<Done> FaultyFileSystem::rename(const std::string& from, const std::string& to) {
    state_->call_hook(Operation::Rename, from);
    const std::lock_guard lock(state_->mutex);
    const std::optional<Fault> fault = state_->next(Operation::Rename);
    std::shared_ptr<Inode> inode = state_->find(from);
    if (!inode) return file_error("ENOENT", from, "rename");
    if (!fault || fault == Fault::Crash) {
        state_->change_names(NameChange{
            .operation = Operation::Rename, .path = from, .to = to, .inode = std::move(inode)});
    }
    if (fault) return State::error(*fault, from, "rename");
    return Done{};
}

Result<Done> FaultyFileSystem::remove(const std::string& path) {
    state_->call_hook(Operation::Remove, path);
    const std::lock_guard lock(state_->mutex);
    const std::optional<Fault> fault = state_->next(Operation::Remove);
    if (!state_->find(path)) return file_error("ENOENT", path, "remove");
    if (!fault || fault == Fault::Crash) {
        state_->change_names(NameChange{.operation = Operation::Remove, .path = path});
    }
    if (fault) return State::error(*fault, path, "remove");
    return Done{};
}

Result<Done> FaultyFileSystem::sync_folder(const std::string& folder) {
    state_->call_hook(Operation::SyncFolder, folder);
    const std::lock_guard lock(state_->mutex);
    if (const std::optional<Fault> fault = state_->next(Operation::SyncFolder)) {
        if (fault == Fault::Lie) return Done{};
        return State::error(*fault, folder, "fsync");
    }
    std::vector<NameChange> others;
    for (NameChange& change : state_->pending) {
        if (folder_of(change.path) == folder) {
            change_name(state_->durable, change);
        } else {
            others.push_back(std::move(change));
        }
    }
    state_->pending = std::move(others);
    return Done{};
}

Result<Done> FaultyFileSystem::make_folder(const std::string& folder) {
    const std::lock_guard lock(state_->mutex);
    if (state_->crashed) return State::error(Fault::Io, folder, "make folder");
    for (std::size_t end = folder.find('/', 1); end != std::string::npos;
         end = folder.find('/', end + 1)) {
        state_->folders.insert(folder.substr(0, end));
    }
    state_->folders.insert(folder);
    return Done{};
}

Result<std::vector<std::string>> FaultyFileSystem::list(const std::string& folder) {
    const std::lock_guard lock(state_->mutex);
    if (state_->crashed) return State::error(Fault::Io, folder, "list");
    if (!state_->folders.contains(folder)) return file_error("ENOENT", folder, "list");
    std::vector<std::string> names;
    const auto add = [&](const std::string& path) {
        if (path.starts_with(folder + "/") && folder_of(path) == folder) {
            names.push_back(path.substr(folder.size() + 1));
        }
    };
    for (const auto& [path, inode] : state_->now) add(path);
    for (const std::string& path : state_->folders) add(path);
    std::sort(names.begin(), names.end());
    return names;
}

Result<bool> FaultyFileSystem::exists(const std::string& path) {
    const std::lock_guard lock(state_->mutex);
    if (state_->crashed) return State::error(Fault::Io, path, "stat");
    return state_->now.contains(path) || state_->folders.contains(path);
}

Result<std::uint64_t> FaultyFileSystem::free_bytes(const std::string& /*folder*/) {
    const std::lock_guard lock(state_->mutex);
    return state_->full ? std::uint64_t{0} : std::uint64_t{1} << 40;
}

Result<std::unique_ptr<FileLock>> FaultyFileSystem::lock_folder(const std::string& folder) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->locks.insert(folder).second) {
        Error error = file_error("EWOULDBLOCK", folder, "lock");
        error.message = "the folder " + folder + " is in use";
        return error;
    }
    return std::unique_ptr<FileLock>(std::make_unique<Lock>(*state_, folder));
}

}  // namespace ff::journal
