#include <algorithm>
#include <array>
#include <thread>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/numbers.h"
#include "base/random.h"
#include "host/embedded_store.h"
#include "host/library_files.h"
#include "host/resp_door_client.h"
#include "journal/posix_file_system.h"
#include "journal/store_file.h"

// How an EmbeddedStore comes up. A data folder holds
//     LOCK, STORE          the process that uses it; number of shards and id
//     functions-<name>.lua the function libraries
//     shard-<n>/           the journal of each shard

namespace ff::host {
namespace {

/// Puts what the journal holds into the keyspace.
class Replay final : public journal::RecordVisitor {
  public:
    explicit Replay(keyspace::Keyspace& keyspace) : keyspace_(keyspace) {}
    Result<Done> snapshot_chunk(std::string_view chunk) override { return keyspace_.apply(chunk); }
    Result<Done> record(std::string_view payload) override { return keyspace_.apply(payload); }

  private:
    keyspace::Keyspace& keyspace_;
};

void report(std::size_t shard, const journal::RecoveryReport& recovery) {
    log::info("host", "shard_recovered",
              {{"shard", shard},
               {"records", recovery.records},
               {"snapshot_chunks", recovery.snapshot_chunks}});
    if (recovery.torn.has_value())
        log::warn("host", "torn_tail_cut",
                  {{"file", recovery.torn->file},
                   {"offset", recovery.torn->offset},
                   {"bytes", recovery.torn->bytes}});
    for (const journal::Cut& cut : recovery.repaired)
        log::warn(
            "host", "damage_repaired",
            {{"file", cut.file}, {"offset", cut.offset}, {"what", cut.what}, {"copy", cut.copy}});
}

/// A short log tells nothing of how long a long one takes.
void expect_replay_of(Shard& shard, const journal::RecoveryReport& recovery) {
    constexpr std::uint64_t kBytesLeast = 32U << 20;
    const double seconds = std::chrono::duration<double>(recovery.log_time).count();
    if (recovery.log_bytes < kBytesLeast || seconds <= 0) return;
    shard.expect_replay(
        static_cast<std::uint64_t>(static_cast<double>(recovery.log_bytes) / seconds));
}

std::uint32_t default_shards() {
    return std::max(1U, std::thread::hardware_concurrency() / 2);
}

std::string new_store_id() {
    constexpr std::size_t kIdBytes = 16;
    std::array<std::uint8_t, kIdBytes> bytes{};
    SecureRandom().fill(bytes);
    return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

EmbeddedStore::EmbeddedStore(EmbeddedOptions options)
    : options_(std::move(options)),
      memory_(options_.memory_limit),
      slow_calls_(options_.slow_calls) {
    options_.shard.memory = &memory_;
    if (options_.slow_calls.after.count() > 0) options_.shard.slow_calls = &slow_calls_;
    clock_.emplace(options_.clock == nullptr ? system_clock_ : *options_.clock, options_.doubts);
    if (options_.doubts.jump_max.count() > 0) options_.shard.beat = HeldClock::kBeat;
    if (options_.files == nullptr) {
        own_files_ = std::make_unique<journal::PosixFileSystem>();
        options_.files = own_files_.get();
    }
}

Result<std::unique_ptr<EmbeddedStore>> EmbeddedStore::open(EmbeddedOptions options) {
    prepare_digests();
    std::unique_ptr<EmbeddedStore> store(new EmbeddedStore(std::move(options)));
    if (!store->options_.folder.empty()) FF_CHECK(store->open_folder());
    if (store->options_.shards == 0) store->options_.shards = default_shards();
    FF_CHECK(store->open_shards());
    return store;
}

/// The number in the file STORE, if there is one; the file is checked by open_store_file.
Result<std::uint32_t> EmbeddedStore::stored_shards() {
    const std::string path = journal::join_path(options_.folder, "STORE");
    FF_TRY(const bool exists, options_.files->exists(path));
    if (!exists) return default_shards();
    FF_TRY(const std::string text, journal::read_file(*options_.files, path));
    constexpr std::string_view kLabel = "\nshards ";
    const std::size_t begin = text.find(kLabel);
    if (begin == std::string::npos) return default_shards();
    const std::size_t digits = begin + kLabel.size();
    const auto number =
        parse_u64(std::string_view(text).substr(digits, text.find('\n', digits) - digits));
    return static_cast<std::uint32_t>(number.value_or(default_shards()));
}

Result<Done> EmbeddedStore::open_folder() {
    journal::FileSystem& files = *options_.files;
    FF_CHECK(files.make_folder(options_.folder));
    FF_TRY(lock_, files.lock_folder(options_.folder));
    if (options_.repair) {
        FF_TRY(repaired_facts_, journal::repair_store_file(files, options_.folder, new_store_id()));
    }
    if (options_.shards == 0) {
        FF_TRY(options_.shards, stored_shards());
    }
    const journal::StoreFacts wanted{.shards = options_.shards, .id = new_store_id()};
    FF_TRY(const journal::StoreFacts facts,
           journal::open_store_file(files, options_.folder, wanted));
    log::info("host", "store_opened", {{"id", facts.id}, {"shards", facts.shards}});
    return Done{};
}

ShardStateOptions EmbeddedStore::state_options(std::size_t index) {
    const std::uint32_t count = options_.shards;
    ShardStateOptions state{
        .lua_memory_max = options_.lua_memory_max,
        .compile = options_.compile,
        .is_local = [count, index](std::uint16_t slot) { return slot % count == index; },
        .memory = &memory_,
        .lease_time = [this](std::chrono::microseconds now) { return clock_->lease_time(now); },
        .info = [this](std::string_view section) { return info(section); },
        .on_undone =
            [this](const UndoneCall& call) {
                if (call.broke_promise) broken_promises_.fetch_add(1);
                if (options_.on_undone) options_.on_undone(call);
            }};
    // One copy for all shards.
    if (index == 0 && !options_.folder.empty()) {
        state.keep_library = [this](std::string_view name, std::string_view text) {
            return LibraryFiles(*options_.files, options_.folder).write(name, text);
        };
    }
    return state;
}

Result<std::unique_ptr<journal::Committer>> EmbeddedStore::open_journal(std::size_t index) {
    Replay replay(shards_[index]->state().keyspace());
    const auto shard = static_cast<std::uint32_t>(index);
    const std::string folder = journal::shard_folder(options_.folder, shard);
    journal::JournalOptions journal_options = options_.journal;
    journal_options.shard = shard;
    journal_options.repair = options_.repair;
    journal_options.clock = &clock_->recorded();
    journal_options.reads_ahead = !options_.shard.by_hand;
    journal_options.mark_path = journal::join_path(options_.folder, journal::mark_name(shard));
    FF_TRY(journal::Opened opened,
           journal::Journal::open(*options_.files, folder, journal_options, replay));
    report(index, opened.report);
    expect_replay_of(*shards_[index], opened.report);
    recovery_[index] = std::move(opened.report);
    if (options_.fsync == journal::Fsync::Always) options_.files->prepare_large_writes();
    journal::CommitterOptions committer{.fsync = options_.fsync,
                                        .interval = options_.fsync_interval,
                                        .by_hand = static_cast<bool>(options_.shard.by_hand),
                                        .on_fatal = options_.on_fatal};
    return std::make_unique<journal::Committer>(std::move(opened.journal), std::move(committer));
}

Result<Done> EmbeddedStore::load_libraries() {
    std::vector<std::string> texts;
    if (!options_.folder.empty()) {
        FF_TRY(texts, LibraryFiles(*options_.files, options_.folder).read());
    }
    if (!options_.library.empty()) texts.push_back(options_.library);
    for (const auto& shard : shards_) {
        for (const std::string& text : texts) {
            Result<std::string> name = shard->state().lua().load(text, true);
            if (!name.has_value()) return std::move(name).error().within("function library");
        }
    }
    return Done{};
}

Result<Done> EmbeddedStore::open_shards() {
    for (std::size_t i = 0; i < options_.shards; ++i)
        shards_.push_back(std::make_unique<Shard>(hub_, *clock_, state_options(i), options_.shard));
    FF_CHECK(load_libraries());
    std::vector<std::jthread> rehearsals = rehearse();
    std::vector<std::unique_ptr<journal::Committer>> committers(shards_.size());
    if (!options_.folder.empty()) {
        FF_TRY(committers, open_journals());
    }
    // What was decided once, such as that a lease has expired, stays decided.
    std::chrono::microseconds last{0};
    for (const journal::RecoveryReport& report : recovery_) last = std::max(last, report.time);
    clock_->resume(last);
    rehearsals.clear();
    for (std::size_t i = 0; i < shards_.size(); ++i) shards_[i]->start(std::move(committers[i]));
    return Done{};
}

/// Beside the replay, which fills the keyspaces: functions work on others until they have ended.
std::vector<std::jthread> EmbeddedStore::rehearse() {
    std::vector<std::jthread> threads;
    if (!options_.rehearsal || !options_.compile) return threads;
    for (const auto& shard : shards_)
        threads.emplace_back(
            [this, &state = shard->state()] { state.rehearse(options_.rehearsal); });
    return threads;
}

/// Each on a thread of its own: replaying is what a start waits for.
Result<std::vector<std::unique_ptr<journal::Committer>>> EmbeddedStore::open_journals() {
    using Opened = Result<std::unique_ptr<journal::Committer>>;
    recovery_.resize(shards_.size());
    std::vector<Opened> opened;
    opened.reserve(shards_.size());
    for (std::size_t i = 0; i < shards_.size(); ++i)
        opened.emplace_back(std::unique_ptr<journal::Committer>());
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < shards_.size(); ++i) {
        if (options_.shard.by_hand)
            opened[i] = open_journal(i);
        else
            threads.emplace_back([this, i, &opened] { opened[i] = open_journal(i); });
    }
    opened[0] = open_journal(0);
    for (std::thread& thread : threads) thread.join();
    std::vector<std::unique_ptr<journal::Committer>> committers;
    for (Opened& one : opened) {
        if (!one.has_value()) return std::move(one).error();
        committers.push_back(std::move(*one));
    }
    return committers;
}

std::vector<journal::Cut> EmbeddedStore::repaired() const {
    std::vector<journal::Cut> all = repaired_facts_;
    for (const journal::RecoveryReport& one : recovery_)
        all.insert(all.end(), one.repaired.begin(), one.repaired.end());
    return all;
}

std::string EmbeddedStore::info(std::string_view section) const {
    std::uint64_t keyspace_bytes = 0;
    std::uint64_t lua_bytes = 0;
    for (const ShardFacts& facts : facts()) {
        keyspace_bytes += facts.keyspace_bytes;
        lua_bytes += facts.lua_bytes;
    }
    std::string text;
    const auto asks_for = [section](std::string_view name) {
        constexpr std::array<std::string_view, 4> kAll = {"", "all", "default", "everything"};
        return is_word(section, name) ||
               std::ranges::any_of(kAll, [&](auto word) { return is_word(section, word); });
    };
    if (asks_for("server"))
        text +=
            "# Server\r\nserver_name:flowfabric\r\nvalkey_version:8.1.0\r\nredis_version:7.2.4"
            "\r\nserver_mode:standalone\r\n";
    // A store in this process has no replicas; clients want to hear that it takes writes.
    if (asks_for("replication"))
        text +=
            "# Replication\r\nrole:master\r\nconnected_slaves:0\r\nmaster_failover_state:"
            "no-failover\r\nmaster_repl_offset:0\r\n";
    if (asks_for("memory"))
        text += "# Memory\r\nused_memory:" + std::to_string(keyspace_bytes + lua_bytes) +
                "\r\nused_memory_dataset:" + std::to_string(keyspace_bytes) +
                "\r\nused_memory_vm_functions:" + std::to_string(lua_bytes) +
                "\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n";
    return text;
}

}  // namespace ff::host
