#include "journal/file_system.h"

namespace ff::journal {

Error file_error(std::string_view errno_name, std::string_view path, std::string_view doing) {
    Error error{.code = "storage_error", .cls = ErrorClass::Retryable, .kind = "io_error"};
    error.detail = {std::string(errno_name), std::string(path)};
    error.message = std::string(doing) + " " + std::string(path) + ": " + std::string(errno_name);
    return error;
}

FileError category_of(const Error& error) {
    if (error.code != "storage_error" || error.detail.size() != 2) return FileError::None;
    const std::string& name = error.detail[0];
    if (name == "ENOSPC" || name == "EDQUOT") return FileError::NoSpace;
    if (name == "ENOENT") return FileError::NotFound;
    if (name == "EEXIST") return FileError::Exists;
    if (name == "EWOULDBLOCK") return FileError::Locked;
    if (name == "ESTALE") return FileError::Lost;
    return FileError::Io;
}

std::string join_path(std::string_view folder, std::string_view name) {
    std::string path(folder);
    path += '/';
    path += name;
    return path;
}

Result<Done> File::write_end(std::uint64_t offset, std::string_view data, std::uint64_t zeros) {
    if (zeros == 0) return write_at(offset, data);
    std::string all(data);
    all.resize(data.size() + zeros, '\0');
    return write_at(offset, all);
}

Result<std::string> read_file(FileSystem& files, const std::string& path) {
    FF_TRY(const std::unique_ptr<File> file, files.open(path, OpenMode::Read));
    FF_TRY(const std::uint64_t size, file->size());
    return file->read_at(0, size);
}

Result<Done> write_file_atomically(FileSystem& files, const std::string& folder,
                                   const std::string& name, std::string_view content) {
    const std::string path = join_path(folder, name);
    const std::string temporary = path + ".tmp";
    {
        FF_TRY(const std::unique_ptr<File> file, files.open(temporary, OpenMode::Create));
        FF_CHECK(file->write_at(0, content));
        FF_CHECK(file->sync());
    }
    FF_CHECK(files.rename(temporary, path));
    return files.sync_folder(folder);
}

}  // namespace ff::journal
