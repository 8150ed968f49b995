#include "host/backup.h"

#include <condition_variable>
#include <latch>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "host/embedded_store.h"
#include "host/work.h"
#include "journal/store_file.h"
#include "model/transport_kind.h"

// A backup is a data folder of its own. The shards stop for a moment, all at once, and each starts
// a new segment of its log; whatever lies before it never changes again and is copied while
// service goes on. So the copy holds everything that was executed before that moment on any shard,
// and nothing that came after it on any other.

namespace ff::host {
namespace {

/// Brings the shards to one moment and gathers what their journals open there.
class Moment {
  public:
    explicit Moment(std::size_t shards)
        : together_(static_cast<std::ptrdiff_t>(shards)), copies_(shards), missing_(shards) {}

    void expect_release() {
        const std::lock_guard lock(mutex_);
        ++unreleased_;
    }
    void released() {
        const std::lock_guard lock(mutex_);
        --unreleased_;
        complete_.notify_all();
    }

    /// On each shard's thread: waits for all others.
    bool meet() {
        together_.arrive_and_wait();
        const std::lock_guard lock(mutex_);
        return !broken_;
    }
    /// A shard that will not come; the others must not wait for it.
    void stay_away(std::size_t shard, Error why) {
        {
            const std::lock_guard lock(mutex_);
            broken_ = true;
        }
        together_.count_down();
        put(shard, std::move(why));
    }
    void put(std::size_t shard, Result<journal::JournalCopy> copy) {
        const std::lock_guard lock(mutex_);
        copies_[shard].emplace(std::move(copy));
        --missing_;
        complete_.notify_all();
    }
    /// When every shard has put something and needs its work no more.
    Result<std::vector<journal::JournalCopy>> take() {
        std::unique_lock lock(mutex_);
        complete_.wait(lock, [this] { return missing_ == 0 && unreleased_ == 0; });
        std::vector<journal::JournalCopy> copies;
        for (std::optional<Result<journal::JournalCopy>>& copy : copies_) {
            FF_TRY(journal::JournalCopy taken, *std::move(copy));
            copies.push_back(std::move(taken));
        }
        return copies;
    }

  private:
    std::latch together_;
    std::mutex mutex_{};
    std::condition_variable complete_{};
    bool broken_ = false;
    std::vector<std::optional<Result<journal::JournalCopy>>> copies_;
    std::size_t missing_;
    std::size_t unreleased_ = 0;
};

class CopyWork final : public Work {
  public:
    CopyWork(Moment& moment, std::size_t shard) : moment_(moment), shard_(shard) {}

    Progress run(Shard& shard, Wake /*why*/) override {
        ran_ = true;
        if (moment_.meet()) {
            shard.copy_journal([this](Result<journal::JournalCopy> copy) {
                moment_.put(shard_, std::move(copy));
            });
        } else {
            moment_.put(shard_, model::storage_error(model::TransportKind::TryAgain,
                                                     "TRYAGAIN another shard did not come"));
        }
        return Progress::Done;
    }

    void release(const Result<Done>& outcome, Resumer& /*resumer*/) override {
        if (!ran_) moment_.stay_away(shard_, outcome.error());
        moment_.released();
    }

  private:
    Moment& moment_;
    std::size_t shard_;
    bool ran_ = false;
};

Result<Done> require_empty(journal::FileSystem& files, const std::string& folder) {
    FF_CHECK(files.make_folder(folder));
    FF_TRY(const std::vector<std::string> names, files.list(folder));
    if (names.empty()) return Done{};
    return invalid_input("folder", "is not empty: " + folder);
}

Result<std::uint64_t> copy_file(journal::FileSystem& files, const std::string& from,
                                const std::string& to, const std::string& name) {
    FF_TRY(const std::string content, journal::read_file(files, journal::join_path(from, name)));
    FF_CHECK(journal::write_file_atomically(files, to, name, content));
    return std::uint64_t{content.size()};
}

bool is_library(const std::string& name) {
    return name.starts_with("functions-") && name.ends_with(".lua");
}

}  // namespace

Result<std::vector<journal::JournalCopy>> EmbeddedStore::copy_journals() {
    Moment moment(shards_.size());
    std::vector<std::unique_ptr<CopyWork>> works;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        works.push_back(std::make_unique<CopyWork>(moment, i));
        moment.expect_release();
        Result<Done> submitted = shards_[i]->submit(*works.back());
        if (submitted) continue;
        moment.stay_away(i, std::move(submitted).error());
        moment.released();
    }
    WakeTogether::wake_now();
    return moment.take();
}

Result<BackupReport> EmbeddedStore::backup_and_wait(const std::string& folder) {
    if (options_.folder.empty()) {
        return invalid_input("folder", "a store in memory has nothing to copy");
    }
    // Two at a time would wait for each other on different shards.
    const std::lock_guard one_at_a_time(backup_mutex_);
    journal::FileSystem& files = *options_.files;
    FF_CHECK(require_empty(files, folder));
    FF_CHECK(journal::write_file_atomically(files, folder, journal::kUnfinishedName, ""));
    FF_TRY(std::vector<journal::JournalCopy> copies, copy_journals());
    BackupReport report{.shards = copies.size()};
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const auto shard = static_cast<std::uint32_t>(i);
        const std::string target = journal::shard_folder(folder, shard);
        FF_TRY(const std::uint64_t bytes, copies[i].write_to(files, target));
        report.bytes += bytes;
        report.records += copies[i].records();
        FF_CHECK(journal::write_file_atomically(files, folder, journal::mark_name(shard),
                                                encode_mark_file(copies[i].mark(), shard)));
    }
    FF_TRY(const std::vector<std::string> names, files.list(options_.folder));
    for (const std::string& name : names) {
        if (name != "STORE" && !is_library(name)) continue;
        FF_TRY(const std::uint64_t bytes, copy_file(files, options_.folder, folder, name));
        report.bytes += bytes;
    }
    FF_CHECK(files.remove(journal::join_path(folder, journal::kUnfinishedName)));
    FF_CHECK(files.sync_folder(folder));
    return report;
}

}  // namespace ff::host
