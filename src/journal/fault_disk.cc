#include "journal/fault_disk.h"

#include <algorithm>

#include "journal/format.h"

namespace ff::journal {
namespace {

void change_content(std::string& content, const Change& change) {
    if (change.truncate_to) {
        content.resize(*change.truncate_to, '\0');
        return;
    }
    const std::size_t end = change.offset + change.data.size();
    if (content.size() < end) content.resize(end, '\0');
    std::copy(change.data.begin(), change.data.end(),
              content.begin() + static_cast<std::ptrdiff_t>(change.offset));
}

/// What a disk holds that was writing back on its own: each sector as it was at some moment, each
/// at another one. A later state of a sector contains the earlier ones.
class Writeback {
  public:
    Writeback(const Inode& inode, Random& random)
        : changes_(inode.pending), random_(random), content_(inode.durable) {}

    std::string result() {
        std::uint64_t size = content_.size();
        const std::uint64_t size_moment = some_moment();
        for (std::uint64_t i = 0; i < changes_.size(); ++i) {
            const Change& change = changes_[i];
            const std::uint64_t from = change.truncate_to.value_or(change.offset);
            const std::uint64_t to =
                change.truncate_to ? std::max(content_.size(), from) : from + change.data.size();
            if (content_.size() < to) content_.resize(to, '\0');
            for (std::uint64_t at = from; at < to;) {
                const std::uint64_t next = std::min((at / kSectorBytes + 1) * kSectorBytes, to);
                if (i < moment_of(at / kSectorBytes)) copy(change, at, next);
                at = next;
            }
            if (i < size_moment) size = change.truncate_to ? from : std::max(size, to);
        }
        content_.resize(size, '\0');
        return content_;
    }

  private:
    std::uint64_t some_moment() {
        const std::uint64_t choice = random_.below(4);
        if (choice == 0) return 0;
        return choice == 1 ? changes_.size() : random_.below(changes_.size() + 1);
    }
    std::uint64_t moment_of(std::uint64_t sector) {
        const auto at = moments_.find(sector);
        return at != moments_.end() ? at->second : moments_[sector] = some_moment();
    }
    void copy(const Change& change, std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t at = from; at < to; ++at) {
            content_[at] = change.truncate_to ? '\0' : change.data[at - change.offset];
        }
    }

    const std::vector<Change>& changes_;
    Random& random_;
    std::string content_;
    std::map<std::uint64_t, std::uint64_t> moments_;
};

}  // namespace

void Inode::change(Change change) {
    change_content(now, change);
    pending.push_back(std::move(change));
}

void Inode::sync() {
    for (const Change& one : pending) change_content(durable, one);
    pending.clear();
}

void change_name(Names& names, const NameChange& change) {
    if (change.operation == Operation::Create) {
        names[change.path] = change.inode;
        return;
    }
    // Without its source a rename has nothing to show: the creation itself was lost.
    if (change.operation == Operation::Rename && names.contains(change.path)) {
        names[change.to] = change.inode;
    }
    names.erase(change.path);
}

std::string survivor(const Inode& inode, Survival survival, Random& random) {
    if (survival == Survival::Scattered) return Writeback(inode, random).result();
    std::string content = inode.durable;
    std::uint64_t kept = 0;
    if (survival == Survival::Everything) kept = inode.pending.size();
    if (survival == Survival::Prefix) kept = random.below(inode.pending.size() + 1);
    for (std::uint64_t i = 0; i < inode.pending.size(); ++i) {
        const Change& change = inode.pending[i];
        if (i < kept) {
            change_content(content, change);
        } else if (i == kept && survival == Survival::Prefix && !change.truncate_to) {
            const std::uint64_t part = random.below(change.data.size() + 1);
            change_content(content,
                           Change{.offset = change.offset, .data = change.data.substr(0, part)});
        }
    }
    return content;
}

}  // namespace ff::journal
