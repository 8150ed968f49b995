#include "app/store_check.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/numbers.h"
#include "engine/operation.h"
#include "engine/retain_execution.h"
#include "host/embedded_store.h"
#include "journal/overlay_file_system.h"
#include "journal/posix_file_system.h"
#include "journal/store_file.h"
#include "model/exec_keys.h"
#include "model/library.h"
#include "model/state.h"
#include "store/call.h"

namespace ff::app {
namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kExecutionsAtATime = 500;
constexpr std::string_view kCorePrefix = "ff:exec:";
constexpr std::string_view kCoreSuffix = ":core";
/// `{fp:` digits `}:` and a UUID, as ids of executions stand in every record.
constexpr std::string_view kIdBegin = "{fp:";
constexpr std::size_t kUuidBytes = 36;

cli::DataDamage damage_of(const journal::Cut& cut) {
    return {.file = cut.file,
            .offset = cut.offset,
            .bytes = cut.bytes,
            .what = cut.what,
            .copy = cut.copy};
}

host::EmbeddedOptions repairing(const std::string& data_folder, journal::FileSystem& files) {
    host::EmbeddedOptions options;
    options.folder = data_folder;
    options.library = model::library_text();
    options.files = &files;
    options.repair = true;
    options.compile = false;
    return options;
}

/// Every id of an execution that is somewhere in the bytes.
void gather_ids(std::string_view bytes, std::set<std::string>& ids) {
    for (std::size_t at = bytes.find(kIdBegin); at != std::string_view::npos;
         at = bytes.find(kIdBegin, at + 1)) {
        const std::size_t close = bytes.find("}:", at);
        if (close == std::string_view::npos || close - at > kIdBegin.size() + 5) continue;
        const std::string_view text = bytes.substr(at, close + 2 - at + kUuidBytes);
        if (model::ExecutionId::parse(text)) ids.insert(std::string(text));
    }
}

std::int64_t written_at(const std::string& path) {
    std::error_code failure;
    const auto time = fs::last_write_time(path, failure);
    if (failure) return 0;
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration_cast<std::chrono::milliseconds>(system.time_since_epoch()).count();
}

/// Looks at the executions of a store that is open.
class Examination {
  public:
    Examination(host::EmbeddedStore& store, cli::DataCheck& check) : store_(store), check_(check) {}

    void run() {
        std::vector<model::ExecutionId> ids;
        for (const host::KeyFacts& key : store_.keys()) {
            const std::string_view name = key.key;
            if (!name.starts_with(kCorePrefix) || !name.ends_with(kCoreSuffix)) continue;
            const std::size_t id_at = name.find(":{", kCorePrefix.size());
            if (id_at == std::string_view::npos) continue;
            const std::size_t length = name.size() - kCoreSuffix.size() - id_at - 1;
            const auto id = model::ExecutionId::parse(name.substr(id_at + 1, length));
            if (id && model::ExecKeys(*id).core() == name) ids.push_back(*id);
        }
        check_.executions = ids.size();
        asio::io_context loop(1);
        for (std::size_t from = 0; from < ids.size(); from += kExecutionsAtATime) {
            const std::size_t to = std::min(from + kExecutionsAtATime, ids.size());
            std::vector<model::ExecutionId> some(ids.begin() + static_cast<std::ptrdiff_t>(from),
                                                 ids.begin() + static_cast<std::ptrdiff_t>(to));
            asio::co_spawn(loop, examine(std::move(some)), [](const std::exception_ptr& failure) {
                if (failure) std::rethrow_exception(failure);
            });
            loop.restart();
            loop.run();
        }
    }
    const std::set<std::string>& seen() const { return seen_; }

  private:
    asio::awaitable<void> examine(std::vector<model::ExecutionId> ids) {
        std::vector<store::Call> reads;
        std::vector<engine::ReconcileExecutionIndex> checks;
        for (const model::ExecutionId& id : ids) {
            reads.push_back(store::plain(
                {"HMGET", model::ExecKeys(id).core(), "lifecycle_phase", "ownership_state",
                 "eligibility_state", "blocking_reason", "terminal_outcome", "attempt_state",
                 "public_state", "last_mutation_at"},
                true));
            checks.push_back({.execution_id = id, .check_only = true});
        }
        const auto cores = co_await store_.pipeline(std::move(reads));
        for (std::size_t i = 0; i < ids.size(); ++i) look_at_core(ids[i].to_string(), cores[i]);
        const auto indexed = co_await engine::run_all(store_, std::move(checks));
        for (std::size_t i = 0; i < ids.size(); ++i)
            look_at_indexes(ids[i].to_string(), indexed[i]);
    }

    void look_at_core(const std::string& id, const Result<store::Reply>& core) {
        seen_.insert(id);
        if (!core) return disagree(id, core.error().text());
        const auto field = [&](std::size_t at) {
            return core->items().size() > at ? core->items()[at].text().value_or("")
                                             : std::string_view();
        };
        const auto vector = model::StateVector::parse({.lifecycle_phase = field(0),
                                                       .ownership_state = field(1),
                                                       .eligibility_state = field(2),
                                                       .blocking_reason = field(3),
                                                       .terminal_outcome = field(4),
                                                       .attempt_state = field(5),
                                                       .public_state = field(6)});
        constexpr std::size_t kChangedAt = 7;
        const std::int64_t changed =
            static_cast<std::int64_t>(parse_u64(field(kChangedAt)).value_or(0));
        check_.kept_until = std::max(check_.kept_until, changed);
        if (!vector) return disagree(id, "its state cannot be read: " + vector.error().text());
        if (!model::legal_vector_number(*vector))
            disagree(id, "its state is none that there is, " + std::string(field(0)) + "/" +
                             std::string(field(1)) + "/" + std::string(field(2)) + "/" +
                             std::string(field(3)) + "/" + std::string(field(4)) + "/" +
                             std::string(field(5)) + "/" + std::string(field(6)));
    }

    void look_at_indexes(const std::string& id,
                         const Result<engine::ReconcileExecutionIndex::Outcome>& outcome) {
        if (!outcome) return disagree(id, outcome.error().text());
        if (outcome->result != "differs") return;
        std::string names;
        for (const std::string& index : outcome->indexes) names += " " + index;
        disagree(id, "indexes that do not agree with it:" + names);
    }

    void disagree(const std::string& id, const std::string& what) {
        check_.disagreements.push_back(id + ": " + what);
    }

    host::EmbeddedStore& store_;
    cli::DataCheck& check_;
    std::set<std::string> seen_{};
};

/// Which executions the bytes speak of that a repair gives up.
void weigh_loss(cli::DataCheck& check, const std::set<std::string>& kept) {
    std::set<std::string> touched;
    for (const cli::DataDamage& damage : check.damage) {
        check.written_until = std::max(check.written_until, written_at(damage.file));
        journal::PosixFileSystem files;
        const Result<std::string> content = journal::read_file(files, damage.file);
        if (content && content->size() > damage.offset)
            gather_ids(std::string_view(*content).substr(damage.offset), touched);
    }
    for (const std::string& id : touched)
        (kept.contains(id) ? check.executions_set_back : check.executions_gone).push_back(id);
}

Result<Done> require_folder(const std::string& data_folder) {
    for (const char* name : {"STORE", "shard-0", "mark-0"})
        if (fs::exists(fs::path(data_folder) / name)) return Done{};
    return Error{.code = "config", .message = data_folder + " is no data folder"};
}

Result<std::vector<cli::DataDamage>> repair_files(
    const std::string& data_folder, journal::FileSystem& files,
    const std::function<void(host::EmbeddedStore&)>& look) {
    FF_TRY(const auto store, host::EmbeddedStore::open(repairing(data_folder, files)));
    std::vector<cli::DataDamage> damage;
    for (const journal::Cut& cut : store->repaired()) damage.push_back(damage_of(cut));
    if (look) look(*store);
    return damage;
}

}  // namespace

Result<cli::DataCheck> check_store(const std::string& data_folder) {
    FF_CHECK(require_folder(data_folder));
    journal::PosixFileSystem disk;
    journal::OverlayFileSystem files(disk);
    cli::DataCheck check;
    std::set<std::string> kept;
    FF_TRY(check.damage, repair_files(data_folder, files, [&](host::EmbeddedStore& store) {
               check.shards = store.recovery().size();
               for (const journal::RecoveryReport& report : store.recovery()) {
                   check.records += report.records;
                   check.records_lost += report.lost_records;
               }
               Examination examination(store, check);
               examination.run();
               kept = examination.seen();
           }));
    weigh_loss(check, kept);
    return check;
}

Result<std::vector<cli::DataDamage>> repair_store(const std::string& data_folder) {
    FF_CHECK(require_folder(data_folder));
    journal::PosixFileSystem disk;
    return repair_files(data_folder, disk, {});
}

}  // namespace ff::app
