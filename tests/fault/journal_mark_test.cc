#include "base/clock.h"
#include "journal/format.h"
#include "journal/mark.h"
#include "journal_history.h"

// What a log that lost records or files is held against: the mark beside its folder.

namespace ff::fault {
namespace {

using journal::FaultyFileSystem;
using journal::Journal;
using journal::Sync;

journal::JournalOptions marked(std::uint64_t segment_bytes = 1U << 20) {
    return {.shard = 0,
            .segment_bytes = segment_bytes,
            .grow_bytes = 4096,
            .mark_path = "store/mark-0"};
}

std::string path_of(std::string_view name) {
    return journal::join_path(History::folder(), name);
}

/// A journal and what was committed to it.
struct Laid {
    FaultyFileSystem files{};

    void commit(Journal& journal, std::uint64_t items) {
        for (std::uint64_t i = 0; i < items; ++i) {
            journal.append(payload_of(++items_));
            ASSERT_TRUE(journal.commit(Sync::Yes));
        }
    }
    std::unique_ptr<Journal> open(const journal::JournalOptions& options) {
        Content content;
        Result<journal::Opened> opened = Journal::open(files, History::folder(), options, content);
        EXPECT_TRUE(opened) << opened.error().text();
        return opened ? std::move(opened->journal) : nullptr;
    }
    Error refused(const journal::JournalOptions& options) {
        Content content;
        Result<journal::Opened> opened = Journal::open(files, History::folder(), options, content);
        EXPECT_FALSE(opened);
        return opened ? Error{} : opened.error();
    }

  private:
    std::uint64_t items_ = 0;
};

TEST(JournalMark, ALogCutBehindStoredRecordsIsRefusedWhereverTheCutIs) {
    Laid laid;
    laid.commit(*laid.open(marked()), 6);
    const std::string path = path_of(journal::segment_name(1));
    const std::string whole = laid.files.content(path);
    const std::uint64_t end = whole.find_last_not_of('\0') + 1;
    for (std::uint64_t cut = journal::kFileHeadBytes; cut < end; ++cut) {
        for (const bool zeros : {false, true}) {
            SCOPED_TRACE("cut at " + std::to_string(cut));
            std::string damaged = whole.substr(0, cut);
            if (zeros) damaged.resize(whole.size(), '\0');
            laid.files.overwrite(path, damaged);
            const Error error = laid.refused(marked());
            ASSERT_EQ(error.code, "corruption") << error.text();
            ASSERT_EQ(error.detail[0], path);
            ASSERT_LE(std::stoull(error.detail[1]), cut);
        }
    }
    laid.files.overwrite(path, whole);
    EXPECT_TRUE(laid.open(marked()));
}

TEST(JournalMark, AFlippedByteOfTheLastRecordIsNoTornWrite) {
    Laid laid;
    laid.commit(*laid.open(marked()), 3);
    const std::string path = path_of(journal::segment_name(1));
    laid.files.flip(path, laid.files.content(path).find_last_not_of('\0'), 1);
    const Error error = laid.refused(marked());
    EXPECT_EQ(error.code, "corruption");
    EXPECT_NE(error.message.find("record 3 was stored here and cannot be read"), std::string::npos)
        << error.message;
}

TEST(JournalMark, AWriteThatACrashCutShortStillOpens) {
    Laid laid;
    {
        const std::unique_ptr<Journal> journal = laid.open(marked());
        laid.commit(*journal, 3);
        journal->append(payload_of(4));
        ASSERT_TRUE(journal->commit(Sync::No));
    }
    const std::string path = path_of(journal::segment_name(1));
    const std::string whole = laid.files.content(path);
    laid.files.overwrite(path, whole.substr(0, whole.find_last_not_of('\0') - 2));
    EXPECT_TRUE(laid.open(marked()));
}

TEST(JournalMark, MissingFilesAreNamed) {
    // All of them, the last of them, and the snapshot that they began with.
    Laid laid;
    {
        const std::unique_ptr<Journal> journal = laid.open(marked(1500));
        laid.commit(*journal, 3);
        Result<std::unique_ptr<journal::SnapshotWriter>> writer = journal->begin_snapshot();
        ASSERT_TRUE(writer);
        for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE((*writer)->write(payload_of(i)));
        ASSERT_TRUE((*writer)->finish());
        laid.commit(*journal, 7);
    }
    Result<std::vector<std::string>> names = laid.files.list(History::folder());
    ASSERT_TRUE(names);
    ASSERT_GE(names->size(), 3U);
    const std::string snapshot = names->back();
    const std::string last = (*names)[names->size() - 2];
    for (const std::string& missing : {snapshot, last}) {
        const std::string content = laid.files.content(path_of(missing));
        ASSERT_TRUE(laid.files.remove(path_of(missing)));
        const Error error = laid.refused(marked(1500));
        EXPECT_EQ(error.code, "corruption");
        EXPECT_EQ(error.detail[0], path_of(missing));
        EXPECT_NE(error.message.find("the file is missing"), std::string::npos) << error.message;
        ASSERT_TRUE(laid.files.open(path_of(missing), journal::OpenMode::Create));
        laid.files.overwrite(path_of(missing), content);
    }
    for (const std::string& name : *names) ASSERT_TRUE(laid.files.remove(path_of(name)));
    EXPECT_EQ(laid.refused(marked(1500)).detail[0], path_of(snapshot));
}

TEST(JournalMark, ARepairStartsAMarkOfWhatIsLeft) {
    Laid laid;
    laid.commit(*laid.open(marked()), 5);
    const std::string path = path_of(journal::segment_name(1));
    laid.files.overwrite(path, laid.files.content(path).substr(0, journal::kFileHeadBytes + 100));
    journal::JournalOptions repair = marked();
    repair.repair = true;
    Content content;
    Result<journal::Opened> opened = Journal::open(laid.files, History::folder(), repair, content);
    ASSERT_TRUE(opened) << opened.error().text();
    ASSERT_EQ(opened->report.repaired.size(), 1U);
    EXPECT_NE(opened->report.repaired[0].what.find("stored here"), std::string::npos);
    EXPECT_LT(content.items(), 5U);
    opened->journal.reset();
    EXPECT_TRUE(laid.open(marked()));
}

TEST(JournalMark, AJournalWithoutAMarkOpensAndGetsOne) {
    Laid laid;
    journal::JournalOptions unmarked = marked();
    unmarked.mark_path.clear();
    laid.commit(*laid.open(unmarked), 3);
    EXPECT_FALSE(laid.files.has("store/mark-0"));
    EXPECT_TRUE(laid.open(marked()));
    ASSERT_TRUE(laid.files.remove(path_of(journal::segment_name(1))));
    EXPECT_EQ(laid.refused(marked()).code, "corruption");
}

TEST(JournalMark, ADamagedMarkIsRefusedUnlessOneCopyIsGood) {
    Laid laid;
    laid.commit(*laid.open(marked()), 3);
    laid.files.flip("store/mark-0", 20, 1);
    EXPECT_TRUE(laid.open(marked()));
    laid.files.flip("store/mark-0", 20, 1);
    laid.files.flip("store/mark-0", journal::kSectorBytes + 20, 1);
    EXPECT_EQ(laid.refused(marked()).detail[0], "store/mark-0");
}

TEST(JournalMark, NothingIsAcknowledgedByALogThatHasGone) {
    Laid laid;
    const std::unique_ptr<Journal> journal = laid.open(marked());
    laid.commit(*journal, 2);
    ASSERT_TRUE(laid.files.remove(path_of(journal::segment_name(1))));
    journal->append("3");
    const Result<Done> stored = journal->commit(Sync::Yes);
    ASSERT_FALSE(stored);
    EXPECT_EQ(journal::category_of(stored.error()), journal::FileError::Lost);
    EXPECT_EQ(journal->state(), journal::JournalState::Failed);
}

TEST(JournalMark, ALogThatHasGoneIsNotFollowedByAnother) {
    Laid laid;
    const std::unique_ptr<Journal> journal = laid.open(marked());
    laid.commit(*journal, 2);
    ASSERT_TRUE(laid.files.remove(path_of(journal::segment_name(1))));
    const auto snapshot = journal->begin_snapshot();
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(journal::category_of(snapshot.error()), journal::FileError::Lost);
    EXPECT_FALSE(laid.files.has(path_of(journal::segment_name(2))));
}

TEST(JournalMark, ATornCopyLeavesTheTimeOfTheOther) {
    constexpr std::size_t kTimeAt = 60;
    ManualClock clock(Timestamp(Millis(1'700'000'000'000)));
    journal::JournalOptions timed = marked();
    timed.clock = &clock;
    Laid laid;
    laid.commit(*laid.open(timed), 3);
    for (std::size_t copy = 0; copy < 2; ++copy) {
        const std::size_t at = copy * journal::kSectorBytes + kTimeAt;
        laid.files.flip("store/mark-0", at, 1);
        const auto mark = journal::read_mark(laid.files, "store/mark-0", 0);
        ASSERT_TRUE(mark && mark->has_value());
        EXPECT_EQ((*mark)->time, clock.now_us());
        EXPECT_EQ((*mark)->next_record, 4U);
        laid.files.flip("store/mark-0", at, 1);
    }
}

TEST(JournalMark, ANewOneTellsTheTimeFromTheStart) {
    ManualClock clock(Timestamp(Millis(1'700'000'000'000)));
    journal::JournalOptions timed = marked();
    timed.clock = &clock;
    Laid laid;
    const std::unique_ptr<Journal> journal = laid.open(timed);
    const auto mark = journal::read_mark(laid.files, "store/mark-0", 0);
    ASSERT_TRUE(mark && mark->has_value());
    EXPECT_EQ((*mark)->time, clock.now_us());
}

}  // namespace
}  // namespace ff::fault
