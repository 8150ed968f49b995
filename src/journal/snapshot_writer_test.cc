#include "journal/snapshot_writer.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "journal/fault_file_system.h"
#include "journal/posix_file_system.h"

namespace ff::journal {
namespace {

/// What a snapshot asks of its file, with an answer to whether a sync has anything to write.
struct Watch {
    bool has_to_write = true;
    int syncs = 0;
};

class WatchedFile final : public File {
  public:
    WatchedFile(std::unique_ptr<File> inner, Watch& watch)
        : inner_(std::move(inner)), watch_(watch) {}

    Result<Done> write_at(std::uint64_t offset, std::string_view data) override {
        return inner_->write_at(offset, data);
    }
    Result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
        return inner_->read_at(offset, size);
    }
    Result<Done> truncate(std::uint64_t size) override { return inner_->truncate(size); }
    Result<Done> sync() override {
        ++watch_.syncs;
        return inner_->sync();
    }
    bool has_to_write() const override { return watch_.has_to_write; }
    Result<std::uint64_t> size() override { return inner_->size(); }
    Result<bool> is_at(const std::string& path) override { return inner_->is_at(path); }

  private:
    std::unique_ptr<File> inner_;
    Watch& watch_;
};

class WatchedFiles final : public FileSystem {
  public:
    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
        FF_TRY(std::unique_ptr<File> file, inner_.open(path, mode));
        return std::unique_ptr<File>(std::make_unique<WatchedFile>(std::move(file), watch));
    }
    Result<Done> rename(const std::string& from, const std::string& to) override {
        return inner_.rename(from, to);
    }
    Result<Done> remove(const std::string& path) override { return inner_.remove(path); }
    Result<Done> sync_folder(const std::string& folder) override {
        return inner_.sync_folder(folder);
    }
    Result<Done> make_folder(const std::string& folder) override {
        return inner_.make_folder(folder);
    }
    Result<std::vector<std::string>> list(const std::string& folder) override {
        return inner_.list(folder);
    }
    Result<bool> exists(const std::string& path) override { return inner_.exists(path); }
    Result<std::uint64_t> free_bytes(const std::string& folder) override {
        return inner_.free_bytes(folder);
    }
    Result<std::unique_ptr<FileLock>> lock_folder(const std::string& folder) override {
        return inner_.lock_folder(folder);
    }

    Watch watch{};

  private:
    FaultyFileSystem inner_;
};

constexpr std::size_t kChunks = 40;

void write_snapshot(FileSystem& files, const std::string& folder) {
    SnapshotWriter writer(files, folder, SnapshotHead{.segment = 2});
    const std::string chunk(200'000, 'c');
    for (std::size_t i = 0; i < kChunks; ++i) ASSERT_TRUE(writer.write(chunk));
    ASSERT_TRUE(writer.finish());
    const std::string path = join_path(folder, snapshot_name(2));
    EXPECT_EQ(read_file(files, path)->size(), writer.bytes());
}

TEST(SnapshotWriter, SyncsInStepsWhatTheSystemKeepsInMemory) {
    WatchedFiles files;
    ASSERT_TRUE(files.make_folder("shard"));
    write_snapshot(files, "shard");
    EXPECT_GE(files.watch.syncs, 6);
}

TEST(SnapshotWriter, MakesSureOnlyOnceOfWhatIsOnTheDiskAlready) {
    WatchedFiles files;
    files.watch.has_to_write = false;
    ASSERT_TRUE(files.make_folder("shard"));
    write_snapshot(files, "shard");
    EXPECT_EQ(files.watch.syncs, 1);
}

/// Writes of whole blocks leave nothing behind the end.
TEST(SnapshotWriter, EndsWithItsLastByteOnADisk) {
    std::string pattern = (std::filesystem::temp_directory_path() / "ff-journal-XXXXXX").string();
    const std::string folder = ::mkdtemp(pattern.data());
    PosixFileSystem files;
    write_snapshot(files, folder);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ff::journal
