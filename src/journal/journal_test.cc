#include "journal/journal.h"

#include <gtest/gtest.h>

#include "journal/fault_file_system.h"
#include "journal/store_file.h"

namespace ff::journal {
namespace {

class Content final : public RecordVisitor {
  public:
    Result<Done> snapshot_chunk(std::string_view chunk) override {
        chunks.emplace_back(chunk);
        return Done{};
    }
    Result<Done> record(std::string_view payload) override {
        records.emplace_back(payload);
        return Done{};
    }
    std::vector<std::string> chunks;
    std::vector<std::string> records;
};

Opened open_or_fail(FileSystem& files, Content& content, JournalOptions options) {
    Result<Opened> opened = Journal::open(files, "shard", options, content);
    EXPECT_TRUE(opened) << opened.error().text();
    return *std::move(opened);
}

TEST(Journal, GivesBackTheRecordsOfItsGroupsInOrder) {
    FaultyFileSystem files;
    const std::string zeros(3000, '\0');
    {
        Content content;
        const Opened opened = open_or_fail(files, content, {.grow_bytes = 1024});
        opened.journal->append("one");
        opened.journal->append("");
        ASSERT_TRUE(opened.journal->commit(Sync::Yes));
        Records records;
        records.add(zeros);
        records.begin();
        records.buffer().append("in place");
        records.end();
        records.begin();
        records.end_if_any();
        records.begin();
        records.buffer().append("any");
        records.end_if_any();
        opened.journal->append(records);
        ASSERT_TRUE(opened.journal->commit(Sync::Yes));
        EXPECT_EQ(opened.journal->committed(), 5U);
    }
    Content content;
    const Opened opened = open_or_fail(*files.crash(0), content, {.grow_bytes = 1024});
    EXPECT_EQ(content.records, (std::vector<std::string>{"one", "", zeros, "in place", "any"}));
    EXPECT_EQ(opened.report.records, 5U);
    EXPECT_EQ(opened.journal->committed(), 5U);
    EXPECT_FALSE(opened.report.torn);
}

TEST(Journal, RecordsMayLeaveBytesWithTheirOwner) {
    FaultyFileSystem files;
    const std::string first(2000, 'a');
    const std::string second(3000, 'b');
    const auto lending = [&](Records& records) {
        records.begin();
        records.buffer().append("before ");
        records.lent().add(records.buffer().size(), first);
        records.lent().add(records.buffer().size(), second);
        records.buffer().append(" behind");
        records.end();
        records.add("plain");
        records.begin();
        records.lent().add(records.buffer().size(), second);
        records.end();
    };
    const std::vector<std::string> lent{"before " + first + second + " behind", "plain", second};
    {
        Content content;
        const Opened opened = open_or_fail(files, content, {});
        Records records;
        lending(records);
        EXPECT_GT(records.bytes(), first.size() + 2 * second.size());
        // As the first of a group and as a later one.
        opened.journal->append(std::move(records));
        EXPECT_EQ(records.bytes(), 0U);
        lending(records);
        const std::size_t bytes = records.bytes();
        std::string copy = second;
        records.begin();
        records.lent().add(records.buffer().size(), copy);
        records.end();
        records.own();
        copy.assign(copy.size(), '?');
        EXPECT_GT(records.bytes(), bytes + second.size());
        opened.journal->append(std::move(records));
        ASSERT_TRUE(opened.journal->commit(Sync::Yes));
        EXPECT_EQ(opened.journal->committed(), 7U);
    }
    Content content;
    open_or_fail(*files.crash(0), content, {});
    EXPECT_EQ(content.records, (std::vector<std::string>{lent[0], lent[1], lent[2], lent[0],
                                                         lent[1], lent[2], second}));
}

TEST(Journal, WritesAGroupWithOneWriteAndOneSync) {
    FaultyFileSystem files;
    Content content;
    const Opened opened = open_or_fail(files, content, {});
    const std::uint64_t before = files.operations();
    for (int i = 0; i < 100; ++i) opened.journal->append("record");
    ASSERT_TRUE(opened.journal->commit(Sync::Yes));
    EXPECT_EQ(files.operations() - before, 2U);
}

TEST(Journal, StartsANewSegmentBeforeAGroupThatWouldPassTheLimit) {
    FaultyFileSystem files;
    const JournalOptions options{.segment_bytes = 1000, .grow_bytes = 512};
    std::vector<std::string> expected;
    {
        Content content;
        const Opened opened = open_or_fail(files, content, options);
        for (const std::size_t size : {400U, 400U, 400U, 5000U, 10U}) {
            expected.emplace_back(size, 'x');
            opened.journal->append(expected.back());
            ASSERT_TRUE(opened.journal->commit(Sync::Yes));
        }
    }
    EXPECT_TRUE(files.has("shard/" + segment_name(4)));
    Content content;
    const Opened opened = open_or_fail(*files.crash(0), content, options);
    EXPECT_EQ(content.records, expected);
    EXPECT_EQ(opened.report.segments, 4U);
}

TEST(Journal, ASnapshotTrimsTheLogAndItsReplayBytes) {
    FaultyFileSystem files;
    Content content;
    const Opened opened = open_or_fail(files, content, {});
    opened.journal->append(std::string(1000, 'x'));
    ASSERT_TRUE(opened.journal->commit(Sync::Yes));
    Result<std::unique_ptr<SnapshotWriter>> writer = opened.journal->begin_snapshot();
    ASSERT_TRUE(writer);
    opened.journal->append("after");
    ASSERT_TRUE(opened.journal->commit(Sync::Yes));
    EXPECT_GT(opened.journal->replay_bytes(), 1000U);
    ASSERT_TRUE((*writer)->write("state"));
    ASSERT_TRUE((*writer)->finish());
    EXPECT_LT(opened.journal->replay_bytes(), 100U);
    EXPECT_FALSE(files.has("shard/" + segment_name(1)));
    Content found;
    open_or_fail(*files.crash(0), found, {});
    EXPECT_EQ(found.chunks, std::vector<std::string>{"state"});
    EXPECT_EQ(found.records, std::vector<std::string>{"after"});
}

TEST(Journal, AVisitorsErrorEndsTheOpening) {
    class Refusing final : public RecordVisitor {
      public:
        Result<Done> snapshot_chunk(std::string_view) override { return Done{}; }
        Result<Done> record(std::string_view) override { return Error{.code = "corruption"}; }
    };
    FaultyFileSystem files;
    Content content;
    const Opened opened = open_or_fail(files, content, {});
    opened.journal->append("x");
    ASSERT_TRUE(opened.journal->commit(Sync::Yes));
    Refusing refusing;
    EXPECT_FALSE(Journal::open(files, "shard", {}, refusing));
}

TEST(Journal, WithoutSpaceTheGroupWaitsAndIsStoredOnce) {
    FaultyFileSystem files;
    Content content;
    const Opened opened = open_or_fail(files, content, {.grow_bytes = 512});
    files.fail_next(Operation::Write, Fault::ShortWrite);
    opened.journal->append(std::string(2000, 'x'));
    EXPECT_FALSE(opened.journal->commit(Sync::Yes));
    EXPECT_EQ(opened.journal->state(), JournalState::Stuck);
    ASSERT_TRUE(opened.journal->retry_commit(Sync::Yes));
    EXPECT_EQ(opened.journal->state(), JournalState::Open);
    Content found;
    open_or_fail(*files.crash(0), found, {});
    EXPECT_EQ(found.records, std::vector<std::string>{std::string(2000, 'x')});
}

TEST(StoreFile, RemembersTheShardsAndRefusesAnotherNumber) {
    FaultyFileSystem files;
    const StoreFacts wanted{.shards = 4, .id = "first"};
    Result<StoreFacts> made = open_store_file(files, "data", wanted);
    ASSERT_TRUE(made);
    EXPECT_EQ(*made, wanted);
    Result<StoreFacts> again = open_store_file(*files.crash(0), "data", {.shards = 4, .id = "2nd"});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->id, "first");
    Result<StoreFacts> other = open_store_file(files, "data", {.shards = 2, .id = "x"});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, "invalid_input");
    EXPECT_TRUE(other.error().detail[0].starts_with("shards"));
    EXPECT_NE(other.error().text().find("4 shards"), std::string::npos);
}

TEST(StoreFile, AnUnfinishedCopyIsRefused) {
    FaultyFileSystem files;
    ASSERT_TRUE(files.make_folder("copy"));
    ASSERT_TRUE(write_file_atomically(files, "copy", kUnfinishedName, ""));
    Result<StoreFacts> opened = open_store_file(files, "copy", {.shards = 1, .id = "x"});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, "corruption");
    EXPECT_NE(opened.error().text().find("unfinished backup"), std::string::npos);
}

TEST(StoreFile, AnyFlippedByteIsRefused) {
    FaultyFileSystem files;
    ASSERT_TRUE(open_store_file(files, "data", {.shards = 1, .id = "store"}));
    const std::uint64_t size = files.content("data/STORE").size();
    for (std::uint64_t at = 0; at < size; ++at) {
        files.flip("data/STORE", at, 1);
        Result<StoreFacts> opened = open_store_file(files, "data", {.shards = 1, .id = "store"});
        ASSERT_FALSE(opened) << at;
        ASSERT_EQ(opened.error().code, "corruption") << at;
        files.flip("data/STORE", at, 1);
    }
}

}  // namespace
}  // namespace ff::journal
