#include "app/backup.h"

#include <filesystem>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "app/backup_folder.h"
#include "app/secret_file.h"
#include "model/library.h"

namespace ff::app {
namespace asio = boost::asio;

namespace {

/// Tokens signed before the backup stay good after it was restored.
Result<Done> copy_secret(const std::string& data_folder, const std::string& folder) {
    const std::filesystem::path from = std::filesystem::path(data_folder) / kSecretFile;
    const std::filesystem::path to = std::filesystem::path(folder) / kSecretFile;
    std::error_code failure;
    if (!std::filesystem::exists(from, failure)) return Done{};
    std::filesystem::copy_file(from, to, failure);
    if (!failure) return Done{};
    return Error{.code = "config",
                 .detail = {to.string()},
                 .message = to.string() + ": " + failure.message()};
}

Result<api::BackupSummary> copy_all(host::EmbeddedStore& store, const std::string& data_folder,
                                    const std::string& folder) {
    FF_TRY(const host::BackupReport report, store.backup_and_wait(folder));
    FF_CHECK(copy_secret(data_folder, folder));
    return api::BackupSummary{
        .shards = report.shards, .records = report.records, .bytes = report.bytes};
}

/// Runs on a thread that may wait.
asio::awaitable<void> copy_there(host::EmbeddedStore& store, const std::string& data_folder,
                                 const std::string& folder,
                                 std::optional<Result<api::BackupSummary>>& out) {
    out.emplace(copy_all(store, data_folder, folder));
    co_return;
}

}  // namespace

Task<api::BackupSummary> backup_running(StoreBackend& backend, const Settings& settings,
                                        std::string folder) {
    host::EmbeddedStore* store = backend.embedded();
    if (store == nullptr || settings.in_memory())
        co_return invalid_input("backend", "only the embedded store on disk can be copied");
    // A program that holds the engine itself may write where it likes.
    if (settings.serve_http) {
        FF_CO_TRY(folder, backup_folder(settings.backup_dir, folder));
    }
    asio::thread_pool thread(1);
    std::optional<Result<api::BackupSummary>> out;
    auto copying = copy_there(*store, settings.data_dir, folder, out);
    co_await asio::co_spawn(thread, std::move(copying), asio::use_awaitable);
    co_return *std::move(out);
}

Result<api::BackupSummary> backup_stopped(const std::string& data_folder,
                                          const std::string& folder) {
    host::EmbeddedOptions options;
    options.folder = data_folder;
    options.library = model::library_text();
    if (!std::filesystem::is_directory(data_folder))
        return Error{.code = "config", .message = data_folder + " is no data folder"};
    FF_TRY(const auto store, host::EmbeddedStore::open(std::move(options)));
    return copy_all(*store, data_folder, folder);
}

}  // namespace ff::app
