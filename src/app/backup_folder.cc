#include "app/backup_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "model/transport_kind.h"

namespace ff::app {
namespace fs = std::filesystem;

namespace {

bool is_below(const fs::path& path, const fs::path& base) {
    const auto [in_base, in_path] =
        std::mismatch(base.begin(), base.end(), path.begin(), path.end());
    return in_base == base.end() && in_path != path.end();
}

/// A disk that fails is not the fault of whoever named the folder.
bool is_fault_of_the_disk(const std::error_code& failure) {
    return failure == std::errc::no_space_on_device || failure == std::errc::io_error ||
           failure == std::errc::too_many_files_open ||
           failure == std::errc::too_many_files_open_in_system ||
           failure == std::errc::not_enough_memory;
}

Error cannot_use(const fs::path& path, const std::error_code& failure) {
    const std::string why = path.string() + ": " + failure.message();
    if (is_fault_of_the_disk(failure))
        return model::storage_error(model::TransportKind::IoError, why);
    return invalid_input("folder", "cannot be used: " + why);
}

}  // namespace

Result<std::string> backup_folder(const std::string& base, const std::string& asked) {
    if (base.empty())
        return invalid_input("folder",
                             "this server makes no backups on request; set FF_BACKUP_DIR to the "
                             "folder they may be written below");
    if (std::ranges::any_of(asked, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
        return invalid_input("folder", "holds a control character");
    const fs::path given(asked);
    if (std::ranges::find(given, fs::path("..")) != given.end())
        return invalid_input("folder", "holds `..`");
    std::error_code failure;
    fs::create_directories(base, failure);
    const fs::path root = failure ? fs::path() : fs::canonical(base, failure);
    if (failure) return cannot_use(base, failure);
    // Names may stand for other places, so what counts is where the path leads.
    const fs::path named = given.is_absolute() ? given : root / given;
    fs::path folder = fs::weakly_canonical(named, failure);
    if (failure) return cannot_use(named, failure);
    if (!folder.has_filename()) folder = folder.parent_path();
    if (!is_below(folder, root))
        return invalid_input("folder", "is not below FF_BACKUP_DIR (" + root.string() + ")");
    fs::create_directories(folder, failure);
    if (failure) return cannot_use(folder, failure);
    if (!fs::is_directory(folder, failure)) return invalid_input("folder", "is not a folder");
    return folder.string();
}

}  // namespace ff::app
