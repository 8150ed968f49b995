#include "journal/journal_copy.h"

#include <utility>

namespace ff::journal {
namespace {

constexpr std::size_t kPieceBytes = 1U << 20;

}  // namespace

void JournalCopy::add(std::string name, std::unique_ptr<File> file) {
    entries_.push_back({.name = std::move(name), .file = std::move(file)});
}

Result<std::uint64_t> JournalCopy::write_to(FileSystem& files, const std::string& folder) {
    FF_CHECK(files.make_folder(folder));
    std::uint64_t bytes = 0;
    for (const Entry& entry : entries_) {
        FF_TRY(const std::unique_ptr<File> target,
               files.open(join_path(folder, entry.name), OpenMode::Create));
        for (std::uint64_t at = 0;;) {
            FF_TRY(const std::string piece, entry.file->read_at(at, kPieceBytes));
            if (piece.empty()) break;
            FF_CHECK(target->write_at(at, piece));
            at += piece.size();
            bytes += piece.size();
        }
        FF_CHECK(target->sync());
    }
    FF_CHECK(files.sync_folder(folder));
    return bytes;
}

}  // namespace ff::journal
