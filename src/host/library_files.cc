#include "host/library_files.h"

namespace ff::host {
namespace {

constexpr std::string_view kPrefix = "functions-";
constexpr std::string_view kSuffix = ".lua";

}  // namespace

Result<std::vector<std::string>> LibraryFiles::read() const {
    FF_TRY(const std::vector<std::string> names, files_.list(folder_));
    std::vector<std::string> texts;
    for (const std::string& name : names) {
        if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
        FF_TRY(std::string text, journal::read_file(files_, journal::join_path(folder_, name)));
        texts.push_back(std::move(text));
    }
    return texts;
}

Result<Done> LibraryFiles::write(std::string_view name, std::string_view text) const {
    const std::string file = std::string(kPrefix) + std::string(name) + std::string(kSuffix);
    return journal::write_file_atomically(files_, folder_, file, text);
}

}  // namespace ff::host
