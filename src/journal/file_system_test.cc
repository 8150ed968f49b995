#include <cstdlib>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "journal/crc32c.h"
#include "journal/fault_file_system.h"
#include "journal/overlay_file_system.h"
#include "journal/posix_file_system.h"

namespace ff::journal {
namespace {

/// A file system and a folder in it that is gone after the test.
class Ground {
  public:
    virtual ~Ground() = default;
    virtual FileSystem& files() = 0;
    virtual std::string folder() = 0;
};

class PosixGround final : public Ground {
  public:
    PosixGround() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "ff-journal-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~PosixGround() override { std::filesystem::remove_all(folder_); }
    FileSystem& files() override { return files_; }
    std::string folder() override { return folder_; }

  private:
    PosixFileSystem files_;
    std::string folder_;
};

class FaultyGround final : public Ground {
  public:
    FaultyGround() { EXPECT_TRUE(files_.make_folder("ground")); }
    FileSystem& files() override { return files_; }
    std::string folder() override { return "ground"; }

  private:
    FaultyFileSystem files_;
};

class OverlayGround final : public Ground {
  public:
    FileSystem& files() override { return files_; }
    std::string folder() override { return below_.folder(); }

  private:
    PosixGround below_;
    OverlayFileSystem files_{below_.files()};
};

enum class Kind : std::uint8_t { Posix, Faulty, Overlay };

/// All file systems keep the same promises.
class AnyFileSystem : public testing::TestWithParam<Kind> {
  protected:
    AnyFileSystem() {
        switch (GetParam()) {
            case Kind::Posix:
                ground_ = std::make_unique<PosixGround>();
                break;
            case Kind::Faulty:
                ground_ = std::make_unique<FaultyGround>();
                break;
            case Kind::Overlay:
                ground_ = std::make_unique<OverlayGround>();
                break;
        }
    }
    FileSystem& files() { return ground_->files(); }
    std::string path(std::string_view name) { return join_path(ground_->folder(), name); }

    std::unique_ptr<Ground> ground_;
};

TEST_P(AnyFileSystem, ReadsBackWhatWasWritten) {
    Result<std::unique_ptr<File>> file = files().open(path("a"), OpenMode::Create);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_at(3, "hello"));
    ASSERT_TRUE((*file)->sync());
    EXPECT_EQ(*(*file)->size(), 8U);
    EXPECT_EQ(*(*file)->read_at(0, 100), std::string("\0\0\0hello", 8));
    EXPECT_EQ(*(*file)->read_at(4, 2), "el");
    EXPECT_EQ(*(*file)->read_at(50, 2), "");
    ASSERT_TRUE((*file)->truncate(4));
    EXPECT_EQ(*read_file(files(), path("a")), std::string("\0\0\0h", 4));
}

/// What the log does: groups of any size behind each other, zeros ahead of them now and then, and a
/// cut back to the last good end.
TEST_P(AnyFileSystem, WritesAtTheEndAreFollowedByZerosOnly) {
    Result<std::unique_ptr<File>> file = files().open(path("log"), OpenMode::Create);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_at(0, "head" + std::string(5000, '\0')));
    std::string expected = "head";
    for (std::size_t i = 0; i < 60; ++i) {
        const std::string data(i % 7 == 6 ? 70'000 : i * 131 % 6000 + 1,
                               static_cast<char>('a' + i % 26));
        const std::uint64_t zeros = i % 4 == 3 ? 300'000 : 0;
        ASSERT_TRUE((*file)->write_end(expected.size(), data, zeros));
        ASSERT_TRUE((*file)->sync());
        expected += data;
        if (i % 9 == 8) {
            expected.resize(expected.size() - 1);
            ASSERT_TRUE((*file)->truncate(expected.size()));
        }
        const std::string content = *read_file(files(), path("log"));
        ASSERT_GE(content.size(), expected.size() + (i % 9 == 8 ? 0 : zeros));
        ASSERT_EQ(content.substr(0, expected.size()), expected) << i;
        ASSERT_EQ(content.find_first_not_of('\0', expected.size()), std::string::npos) << i;
    }
    const std::string large(10'000'000, 'l');
    ASSERT_TRUE((*file)->write_end(expected.size(), large, 1'000'000));
    EXPECT_EQ(*(*file)->read_at(expected.size(), large.size()), large);
    EXPECT_GE(*(*file)->size(), expected.size() + large.size() + 1'000'000);
}

TEST_P(AnyFileSystem, AWriteAtTheEndKeepsWhatWasChangedBeforeIt) {
    Result<std::unique_ptr<File>> file = files().open(path("log"), OpenMode::Create);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_end(0, "first", 0));
    ASSERT_TRUE((*file)->write_at(4, "T"));
    ASSERT_TRUE((*file)->write_end(5, "second", 0));
    EXPECT_EQ(*(*file)->read_at(0, 11), "firsTsecond");
}

TEST_P(AnyFileSystem, NamesAreMadeChangedAndRemoved) {
    ASSERT_TRUE(write_file_atomically(files(), ground_->folder(), "b", "first"));
    ASSERT_TRUE(write_file_atomically(files(), ground_->folder(), "b", "second"));
    EXPECT_EQ(*read_file(files(), path("b")), "second");
    ASSERT_TRUE(files().rename(path("b"), path("c")));
    EXPECT_FALSE(*files().exists(path("b")));
    EXPECT_TRUE(*files().exists(path("c")));
    ASSERT_TRUE(files().make_folder(path("d/e")));
    ASSERT_TRUE(files().make_folder(path("d/e")));
    EXPECT_EQ(*files().list(ground_->folder()), (std::vector<std::string>{"c", "d"}));
    ASSERT_TRUE(files().remove(path("c")));
    EXPECT_EQ(*files().list(ground_->folder()), std::vector<std::string>{"d"});
    EXPECT_GT(*files().free_bytes(ground_->folder()), 0U);
}

TEST_P(AnyFileSystem, SaysWhatIsMissing) {
    Result<std::unique_ptr<File>> file = files().open(path("none"), OpenMode::Read);
    ASSERT_FALSE(file);
    EXPECT_EQ(category_of(file.error()), FileError::NotFound);
    Result<Done> removed = files().remove(path("none"));
    ASSERT_FALSE(removed);
    EXPECT_EQ(category_of(removed.error()), FileError::NotFound);
    EXPECT_NE(removed.error().text().find(path("none")), std::string::npos);
}

TEST_P(AnyFileSystem, AFolderHasOneOwner) {
    Result<std::unique_ptr<FileLock>> first = files().lock_folder(ground_->folder());
    ASSERT_TRUE(first);
    Result<std::unique_ptr<FileLock>> second = files().lock_folder(ground_->folder());
    ASSERT_FALSE(second);
    EXPECT_EQ(category_of(second.error()), FileError::Locked);
    EXPECT_NE(second.error().text().find("in use"), std::string::npos);
    EXPECT_NE(second.error().text().find(ground_->folder()), std::string::npos);
    first->reset();
    EXPECT_TRUE(files().lock_folder(ground_->folder()));
}

TEST(PosixFile, KnowsWhetherASyncHasAnythingToWrite) {
    PosixGround ground;
    Result<std::unique_ptr<File>> file =
        ground.files().open(join_path(ground.folder(), "a"), OpenMode::Create);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_at(0, "in memory"));
    EXPECT_TRUE((*file)->has_to_write());
    ASSERT_TRUE((*file)->write_end(9, "past it", 0));
    EXPECT_TRUE((*file)->has_to_write());
    ASSERT_TRUE((*file)->sync());
    EXPECT_FALSE((*file)->has_to_write());
    ASSERT_TRUE((*file)->write_at(0, "again"));
    EXPECT_TRUE((*file)->has_to_write());
}

TEST(OverlayFile, LeavesWhatIsBelowAlone) {
    PosixGround ground;
    FileSystem& below = ground.files();
    const std::string folder = ground.folder();
    for (const char* name : {"changed", "moved", "removed"})
        ASSERT_TRUE(write_file_atomically(below, folder, name, name));
    OverlayFileSystem files(below);
    {
        Result<std::unique_ptr<File>> file =
            files.open(join_path(folder, "changed"), OpenMode::ReadWrite);
        ASSERT_TRUE(file);
        ASSERT_TRUE((*file)->write_at(3, "more"));
        ASSERT_TRUE((*file)->truncate(6));
    }
    ASSERT_TRUE(files.rename(join_path(folder, "moved"), join_path(folder, "there")));
    ASSERT_TRUE(files.remove(join_path(folder, "removed")));
    EXPECT_EQ(*read_file(files, join_path(folder, "changed")), "chamor");
    EXPECT_EQ(*read_file(files, join_path(folder, "there")), "moved");
    EXPECT_EQ(*files.list(folder), (std::vector<std::string>{"changed", "there"}));
    EXPECT_EQ(*below.list(folder), (std::vector<std::string>{"changed", "moved", "removed"}));
    EXPECT_EQ(*read_file(below, join_path(folder, "changed")), "changed");
}

INSTANTIATE_TEST_SUITE_P(All, AnyFileSystem,
                         testing::Values(Kind::Posix, Kind::Faulty, Kind::Overlay));

TEST(FaultyFileSystem, APowerCutLosesWhatWasNotSynced) {
    FaultyFileSystem files;
    ASSERT_TRUE(files.make_folder("f"));
    Result<std::unique_ptr<File>> file = files.open("f/a", OpenMode::Create);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_at(0, "kept"));
    ASSERT_TRUE((*file)->sync());
    EXPECT_FALSE(files.crash(0)->has("f/a"));
    ASSERT_TRUE(files.sync_folder("f"));
    ASSERT_TRUE((*file)->write_at(4, " lost"));
    EXPECT_EQ(files.crash(0)->content("f/a"), "kept");
    EXPECT_EQ(files.restart()->content("f/a"), "kept lost");
    ASSERT_TRUE(files.rename("f/a", "f/b"));
    EXPECT_TRUE(files.crash(0)->has("f/a"));
    bool seen_half = false;
    for (std::uint64_t seed = 1; seed < 200; ++seed) {
        const std::unique_ptr<FaultyFileSystem> found = files.crash(seed);
        const std::string content = found->content(found->has("f/a") ? "f/a" : "f/b");
        ASSERT_TRUE(content.starts_with("kept"));
        ASSERT_LE(content.size(), 9U);
        // Also a file may have its new size and not its new bytes.
        const std::string_view rest = std::string_view(content).substr(4);
        ASSERT_TRUE(std::string_view(" lost").starts_with(rest) || rest[0] == '\0') << content;
        seen_half = seen_half || (content.size() > 4 && content.size() < 9);
        EXPECT_EQ(content, [&] {
            const std::unique_ptr<FaultyFileSystem> again = files.crash(seed);
            return again->content(again->has("f/a") ? "f/a" : "f/b");
        }());
    }
    EXPECT_TRUE(seen_half);
}

TEST(FaultyFileSystem, FailsWhereItIsTold) {
    FaultyFileSystem files;
    ASSERT_TRUE(files.make_folder("f"));
    files.fail_at(1, Fault::ShortWrite);
    Result<std::unique_ptr<File>> file = files.open("f/a", OpenMode::Create);
    ASSERT_TRUE(file);
    Result<Done> written = (*file)->write_at(0, "12345678");
    ASSERT_FALSE(written);
    EXPECT_EQ(category_of(written.error()), FileError::NoSpace);
    EXPECT_EQ(files.content("f/a"), "1234");
    files.fail_next(Operation::Sync, Fault::Io);
    Result<Done> synced = (*file)->sync();
    ASSERT_FALSE(synced);
    EXPECT_EQ(category_of(synced.error()), FileError::Io);
    // The pages are clean now, and a second sync has nothing to write.
    EXPECT_TRUE((*file)->sync());
    ASSERT_TRUE(files.sync_folder("f"));
    EXPECT_EQ(files.crash(0)->content("f/a"), "");
    files.fail_next(Operation::Write, Fault::Crash);
    EXPECT_FALSE((*file)->write_at(0, "x"));
    EXPECT_FALSE((*file)->read_at(0, 1));
}

TEST(Crc32c, EqualsTheKnownVectorsWithAndWithoutTheInstruction) {
    EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
    std::string text;
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(crc32c(text), crc32c_portable(text));
        EXPECT_EQ(crc32c(text.substr(text.size() / 3), crc32c(text.substr(0, text.size() / 3))),
                  crc32c(text));
        text += static_cast<char>(i * 7);
    }
    // Long enough for lanes, with every length of what is left over.
    for (std::size_t i = 0; i < 7000; ++i) text += static_cast<char>(i * i % 251);
    for (std::size_t size = 3060; size < 3090; ++size) {
        const std::string_view part = std::string_view(text).substr(size % 8, size);
        EXPECT_EQ(crc32c(part, 77), crc32c_portable(part, 77));
    }
    EXPECT_EQ(crc32c(text), crc32c_portable(text));
}

}  // namespace
}  // namespace ff::journal
