#include "journal/format.h"
#include "journal_history.h"

// What opening makes of logs that were cut and files in which a byte has changed.

namespace ff::fault {
namespace {

using journal::FaultyFileSystem;
using journal::Journal;
using journal::Sync;

struct Laid {
    std::unique_ptr<FaultyFileSystem> files = std::make_unique<FaultyFileSystem>();
    std::vector<std::uint64_t> group_ends;  // in the last segment
    std::uint64_t items = 0;
};

std::string path_of(std::string_view name) {
    return journal::join_path(History::folder(), name);
}

std::unique_ptr<Journal> open(FaultyFileSystem& files, journal::JournalOptions options) {
    Content content;
    Result<journal::Opened> opened = Journal::open(files, History::folder(), options, content);
    EXPECT_TRUE(opened) << opened.error().text();
    return std::move(opened->journal);
}

void commit_items(Laid& laid, Journal& journal, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) journal.append(payload_of(++laid.items));
    const std::uint64_t bytes = journal.group_bytes();
    ASSERT_TRUE(journal.commit(Sync::Yes));
    const std::uint64_t before =
        laid.group_ends.empty() ? journal::kFileHeadBytes : laid.group_ends.back();
    laid.group_ends.push_back(before + bytes);
}

/// A snapshot of 3 items and a log of 3 groups of 3 after it.
Laid lay_snapshot_and_log(journal::JournalOptions options) {
    Laid laid;
    const std::unique_ptr<Journal> journal = open(*laid.files, options);
    commit_items(laid, *journal, 3);
    laid.group_ends.clear();
    Result<std::unique_ptr<journal::SnapshotWriter>> writer = journal->begin_snapshot();
    EXPECT_TRUE(writer);
    for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_TRUE((*writer)->write(payload_of(i)));
    EXPECT_TRUE((*writer)->finish());
    for (int i = 0; i < 3; ++i) commit_items(laid, *journal, 3);
    return laid;
}

journal::JournalOptions one_segment() {
    return {.shard = 0, .segment_bytes = 1U << 20, .grow_bytes = 16384};
}

TEST(JournalDamage, ALogCutAnywhereInItsLastGroupsOpensToAPrefix) {
    Laid laid = lay_snapshot_and_log(one_segment());
    const std::string path = path_of(journal::segment_name(2));
    const std::string whole = laid.files->content(path);
    ASSERT_GT(whole.size(), laid.group_ends.back());
    std::uint64_t shortest = laid.items;
    for (std::uint64_t cut = journal::kFileHeadBytes; cut <= laid.group_ends.back(); ++cut) {
        SCOPED_TRACE("cut at " + std::to_string(cut));
        // Cut off, and cut short inside what was laid out with zeros.
        for (const bool zeros : {false, true}) {
            std::string damaged = whole.substr(0, cut);
            if (zeros) damaged.resize(whole.size(), '\0');
            laid.files->overwrite(path, damaged);
            Content content;
            Result<journal::Opened> opened =
                Journal::open(*laid.files, History::folder(), one_segment(), content);
            ASSERT_TRUE(opened) << opened.error().text();
            ASSERT_TRUE(content.is_sequence());
            ASSERT_GE(content.items(), 3U);
            ASSERT_LE(content.items(), laid.items);
            shortest = std::min(shortest, content.items());
            // A whole group before the cut is never lost.
            std::uint64_t whole_groups = 0;
            while (whole_groups < 3 && laid.group_ends[whole_groups] <= cut) ++whole_groups;
            ASSERT_GE(content.items(), 3 + 3 * whole_groups);
        }
    }
    EXPECT_EQ(shortest, 3U);
}

TEST(JournalDamage, ATornTailIsReportedOnceAndAppendsGoOnBehindIt) {
    Laid laid = lay_snapshot_and_log(one_segment());
    const std::string path = path_of(journal::segment_name(2));
    const std::uint64_t cut = laid.group_ends[1] + 30;
    laid.files->overwrite(path, laid.files->content(path).substr(0, cut));
    Content content;
    Result<journal::Opened> opened =
        Journal::open(*laid.files, History::folder(), one_segment(), content);
    ASSERT_TRUE(opened);
    ASSERT_TRUE(opened->report.torn);
    EXPECT_EQ(opened->report.torn->file, path);
    EXPECT_EQ(opened->report.torn->offset, laid.group_ends[1]);
    EXPECT_EQ(opened->report.torn->bytes, 30U);
    EXPECT_TRUE(opened->report.repaired.empty());
    opened->journal->append(payload_of(content.items() + 1));
    ASSERT_TRUE(opened->journal->commit(Sync::Yes));
    Content again;
    Result<journal::Opened> reopened =
        Journal::open(*laid.files, History::folder(), one_segment(), again);
    ASSERT_TRUE(reopened);
    EXPECT_FALSE(reopened->report.torn);
    EXPECT_TRUE(again.is_sequence());
    EXPECT_EQ(again.items(), content.items() + 1);
}

/// Flips one byte and expects to be refused with the file and an offset at or before the byte.
void expect_refused(FaultyFileSystem& files, const std::string& path, std::uint64_t offset,
                    journal::JournalOptions options) {
    SCOPED_TRACE(path + " byte " + std::to_string(offset));
    files.flip(path, offset, 0x40);
    Content content;
    Result<journal::Opened> opened = Journal::open(files, History::folder(), options, content);
    ASSERT_FALSE(opened);
    ASSERT_EQ(opened.error().code, "corruption") << opened.error().text();
    ASSERT_EQ(opened.error().detail.size(), 3U);
    EXPECT_EQ(opened.error().detail[0], path);
    EXPECT_LE(std::stoull(opened.error().detail[1]), offset);
    files.flip(path, offset, 0x40);
}

TEST(JournalDamage, AnyFlippedByteOfASnapshotIsRefused) {
    Laid laid = lay_snapshot_and_log(one_segment());
    const std::string path = path_of(journal::snapshot_name(2));
    const std::uint64_t size = laid.files->content(path).size();
    for (std::uint64_t at = 0; at < size; ++at) {
        expect_refused(*laid.files, path, at, one_segment());
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(JournalDamage, AnyFlippedByteBeforeTheLastRecordIsRefused) {
    Laid laid = lay_snapshot_and_log(one_segment());
    const std::string path = path_of(journal::segment_name(2));
    const std::uint64_t last_record =
        laid.group_ends.back() - journal::kRecordHeadBytes - payload_of(laid.items).size();
    for (std::uint64_t at = 0; at < last_record; ++at) {
        expect_refused(*laid.files, path, at, one_segment());
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(JournalDamage, AnyFlippedByteOfAnEarlierSegmentIsRefused) {
    const journal::JournalOptions options{.shard = 0, .segment_bytes = 1500, .grow_bytes = 4096};
    Laid laid = lay_snapshot_and_log(options);
    ASSERT_TRUE(laid.files->has(path_of(journal::segment_name(3))));
    const std::string path = path_of(journal::segment_name(2));
    const std::uint64_t size = laid.files->content(path).size();
    for (std::uint64_t at = 0; at < size; ++at) {
        expect_refused(*laid.files, path, at, options);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(JournalDamage, AMissingSegmentIsRefused) {
    const journal::JournalOptions options{.shard = 0, .segment_bytes = 1500, .grow_bytes = 4096};
    Laid laid = lay_snapshot_and_log(options);
    ASSERT_TRUE(laid.files->remove(path_of(journal::segment_name(2))));
    Content content;
    Result<journal::Opened> opened =
        Journal::open(*laid.files, History::folder(), options, content);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, "corruption");
    EXPECT_EQ(opened.error().detail[0], path_of(journal::segment_name(2)));
}

TEST(JournalDamage, RepairKeepsACopyAndWhatCameBefore) {
    Laid laid = lay_snapshot_and_log(one_segment());
    const std::string path = path_of(journal::segment_name(2));
    laid.files->flip(path, laid.group_ends[0] + 40, 1);
    const std::string damaged = laid.files->content(path);
    journal::JournalOptions options = one_segment();
    options.repair = true;
    Content content;
    Result<journal::Opened> opened =
        Journal::open(*laid.files, History::folder(), options, content);
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_TRUE(content.is_sequence());
    EXPECT_EQ(content.items(), 6U);
    ASSERT_EQ(opened->report.repaired.size(), 1U);
    const journal::Cut& cut = opened->report.repaired[0];
    EXPECT_EQ(cut.file, path);
    EXPECT_EQ(cut.offset, laid.group_ends[0]);
    EXPECT_EQ(laid.files->content(cut.copy), damaged);
    opened->journal->append(payload_of(7));
    ASSERT_TRUE(opened->journal->commit(Sync::Yes));
    Content again;
    ASSERT_TRUE(Journal::open(*laid.files, History::folder(), one_segment(), again));
    EXPECT_TRUE(again.is_sequence());
    EXPECT_EQ(again.items(), 7U);
}

TEST(JournalDamage, RepairSetsAsideTheSegmentsThatFollowTheDamage) {
    const journal::JournalOptions options{
        .shard = 0, .segment_bytes = 1500, .grow_bytes = 4096, .repair = true};
    Laid laid = lay_snapshot_and_log(options);
    laid.files->flip(path_of(journal::segment_name(2)), journal::kFileHeadBytes + 8, 1);
    Content content;
    Result<journal::Opened> opened =
        Journal::open(*laid.files, History::folder(), options, content);
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_EQ(content.items(), 3U);
    EXPECT_GE(opened->report.repaired.size(), 2U);
    for (const journal::Cut& cut : opened->report.repaired) {
        EXPECT_TRUE(laid.files->has(cut.copy)) << cut.file;
    }
    EXPECT_FALSE(laid.files->has(path_of(journal::segment_name(3))));
}

TEST(JournalDamage, RepairOfASnapshotKeepsItsGoodChunksAndTheLog) {
    Laid laid = lay_snapshot_and_log(one_segment());
    const std::string path = path_of(journal::snapshot_name(2));
    laid.files->flip(path, laid.files->content(path).size() - journal::kSnapshotEndBytes - 1, 1);
    journal::JournalOptions options = one_segment();
    options.repair = true;
    Content content;
    Result<journal::Opened> opened =
        Journal::open(*laid.files, History::folder(), options, content);
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_EQ(content.from_snapshot(), 2U);
    EXPECT_EQ(content.items(), 2U + 9U);
    ASSERT_EQ(opened->report.repaired.size(), 1U);
    EXPECT_TRUE(laid.files->has(opened->report.repaired[0].copy));
    Content again;
    EXPECT_TRUE(Journal::open(*laid.files, History::folder(), one_segment(), again));
}

TEST(JournalDamage, AnotherShardsLogIsRefused) {
    Laid laid = lay_snapshot_and_log(one_segment());
    journal::JournalOptions options = one_segment();
    options.shard = 1;
    Content content;
    Result<journal::Opened> opened =
        Journal::open(*laid.files, History::folder(), options, content);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, "corruption");
}

}  // namespace
}  // namespace ff::fault
