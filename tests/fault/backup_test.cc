#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "host/embedded_store.h"
#include "journal/fault_file_system.h"
#include "journal/store_file.h"
#include "store/command_keys.h"

// Backups of a store that is being written to.

namespace ff::fault {
namespace {

using host::EmbeddedOptions;
using host::EmbeddedStore;

constexpr const char* kLibrary =
    "#!lua name=kept\nredis.register_function('three', function() return 3 end)\n";

EmbeddedOptions options_in(journal::FileSystem& files, const std::string& folder) {
    EmbeddedOptions options{.folder = folder, .shards = 2, .files = &files};
    options.shard.snapshot_log_bytes = 20'000;
    return options;
}

std::unique_ptr<EmbeddedStore> open(journal::FileSystem& files, const std::string& folder) {
    Result<std::unique_ptr<EmbeddedStore>> opened = EmbeddedStore::open(options_in(files, folder));
    if (!opened) throw std::runtime_error(opened.error().text());
    return *std::move(opened);
}

std::uint64_t number_in(EmbeddedStore& store, std::string_view key) {
    const Result<store::Reply> reply = store.call_and_wait(store::plain({"GET", key}));
    if (!reply || reply->is_null()) return 0;
    return static_cast<std::uint64_t>(reply->to_integer().value_or(0));
}

/// Two keys on different shards.
struct KeyPair {
    explicit KeyPair(const EmbeddedStore& store) {
        while (store.shard_of(slot(second)) == store.shard_of(slot(first))) second += 'x';
    }
    static std::uint16_t slot(const std::string& key) {
        const std::vector<std::string_view> args = {"GET", key};
        return store::slot_of(args)->value();
    }
    std::string first = "first";
    std::string second = "second";
};

TEST(Backup, HoldsOneMomentOfAllShardsWhileTheyWork) {
    journal::FaultyFileSystem files;
    const std::unique_ptr<EmbeddedStore> store = open(files, "data");
    const KeyPair keys(*store);
    ASSERT_TRUE(store->call_and_wait(store::plain({"FUNCTION", "LOAD", kLibrary})));
    std::atomic<bool> over = false;
    std::atomic<std::uint64_t> written = 0;
    // A number reaches the second key only when the first has it.
    std::thread writer([&] {
        for (std::uint64_t n = 1; !over; ++n) {
            const std::string text = std::to_string(n);
            if (!store->call_and_wait(store::plain({"SET", keys.first, text}))) break;
            if (!store->call_and_wait(store::plain({"SET", keys.second, text}))) break;
            written = n;
            written.notify_all();
        }
    });
    for (int i = 0; i < 10; ++i) {
        const std::uint64_t before = written;
        written.wait(before);
        const std::string folder = "backup-" + std::to_string(i);
        const std::uint64_t least = written;
        const Result<host::BackupReport> report = store->backup_and_wait(folder);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->shards, 2U);
        EXPECT_GE(report->records, 2 * least);
        const std::unique_ptr<journal::FaultyFileSystem> found = files.crash(0);
        const std::unique_ptr<EmbeddedStore> copy = open(*found, folder);
        const std::uint64_t first = number_in(*copy, keys.first);
        const std::uint64_t second = number_in(*copy, keys.second);
        EXPECT_GE(second, least);
        EXPECT_TRUE(first == second || first == second + 1) << first << " and " << second;
        const Result<store::Reply> three =
            copy->call_and_wait(store::plain({"FCALL", "three", "0"}));
        ASSERT_TRUE(three);
        EXPECT_EQ(three->as_integer(), 3);
        // It is a store of its own.
        ASSERT_TRUE(copy->call_and_wait(store::plain({"SET", keys.first, "0"})));
    }
    over = true;
    writer.join();
    EXPECT_GT(number_in(*store, keys.first), 0U);
}

TEST(Backup, WritesOnlyIntoAnEmptyFolder) {
    journal::FaultyFileSystem files;
    const std::unique_ptr<EmbeddedStore> store = open(files, "data");
    const Result<host::BackupReport> onto_itself = store->backup_and_wait("data");
    ASSERT_FALSE(onto_itself);
    EXPECT_EQ(onto_itself.error().code, "invalid_input");
    ASSERT_TRUE(store->backup_and_wait("copy"));
    EXPECT_FALSE(store->backup_and_wait("copy"));
}

TEST(Backup, AFailedOneIsNeverTakenForAStore) {
    journal::FaultyFileSystem files;
    const std::unique_ptr<EmbeddedStore> store = open(files, "data");
    ASSERT_TRUE(store->call_and_wait(store::plain({"SET", "a", "1"})));
    // Any operation of the copying may be the one that fails. Those of the shards' own journals
    // come before the first write to a copied file.
    std::uint64_t failed = 0;
    for (int i = 0; i < 30; ++i) {
        const std::string folder = "copy-" + std::to_string(i);
        int seen = 0;
        files.set_hook([&](journal::Operation operation, const std::string& path) {
            const bool copies =
                path.starts_with(folder + "/shard-") || path.starts_with(folder + "/STORE");
            if (copies && seen++ == i) files.fail_next(operation, journal::Fault::NoSpace);
        });
        const Result<host::BackupReport> report = store->backup_and_wait(folder);
        files.set_hook({});
        if (report) {
            EXPECT_EQ(number_in(*open(files, folder), "a"), 1U);
            continue;
        }
        ++failed;
        const auto opened = EmbeddedStore::open(options_in(files, folder));
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, "corruption") << opened.error().text();
    }
    EXPECT_GT(failed, 4U);
    EXPECT_LT(failed, 30U);
    EXPECT_EQ(number_in(*store, "a"), 1U);
}

TEST(Backup, IsRefusedByAStoreInMemoryAndByOneThatStopped) {
    const auto memory = EmbeddedStore::open({.shards = 1});
    ASSERT_TRUE(memory);
    EXPECT_FALSE((*memory)->backup_and_wait("copy"));
    journal::FaultyFileSystem files;
    const std::unique_ptr<EmbeddedStore> store = open(files, "data");
    store->stop_and_wait();
    EXPECT_FALSE(store->backup_and_wait("copy"));
}

}  // namespace
}  // namespace ff::fault
