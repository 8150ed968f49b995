#include "journal/store_file.h"

#include <optional>
#include <vector>

#include "base/assert.h"
#include "base/numbers.h"
#include "journal/crc32c.h"
#include "journal/format.h"
#include "journal/mark.h"

// STORE is text, for people: one fact a line, and the checksum of all lines before it.
//     flowfabric-store
//     format 1
//     shards 4
//     id 01J...
//     checksum 1234567890

namespace ff::journal {
namespace {

constexpr std::string_view kName = "STORE";

std::string encode(const StoreFacts& facts) {
    std::string text = "flowfabric-store\nformat " + std::to_string(facts.format_version) +
                       "\nshards " + std::to_string(facts.shards) + "\nid " + facts.id + "\n";
    return text + "checksum " + std::to_string(crc32c(text)) + "\n";
}

std::string_view next_line(std::string_view& text, std::string_view label) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !text.starts_with(label)) return {};
    const std::string_view value = text.substr(label.size(), end - label.size());
    text.remove_prefix(end + 1);
    return value;
}

std::optional<std::uint32_t> parse_u32(std::string_view text) {
    const std::optional<std::uint64_t> value = parse_canonical_u64(text);
    if (!value || *value > 0xffffffffU) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

Result<StoreFacts> decode(std::string_view path, std::string_view content) {
    std::string_view rest = content;
    const std::string_view magic = next_line(rest, "flowfabric-");
    const std::optional<std::uint32_t> version = parse_u32(next_line(rest, "format "));
    // Before anything else is read: a later program may say other things, or say them otherwise.
    if (magic == "store" && version && *version > kFormatVersion) {
        return newer_format(path, *version);
    }
    const std::optional<std::uint32_t> shards = parse_u32(next_line(rest, "shards "));
    const std::string_view id = next_line(rest, "id ");
    if (magic != "store" || version != kFormatVersion || !shards)
        return corruption(path, 0, "cannot be read");
    StoreFacts facts{.format_version = *version, .shards = *shards, .id = std::string(id)};
    // There is one spelling, so this also checks the checksum.
    if (encode(facts) != content) return corruption(path, 0, "the checksum is wrong");
    return facts;
}

Result<bool> holds_log(FileSystem& files, const std::string& folder) {
    Result<std::vector<std::string>> names = files.list(folder);
    if (!names) {
        if (category_of(names.error()) != FileError::NotFound) return std::move(names).error();
        return false;
    }
    for (const std::string& name : *names)
        if (parse_segment_name(name) || parse_snapshot_name(name)) return true;
    return false;
}

/// Those with a log that follow each other from 0.
Result<std::uint32_t> count_shards(FileSystem& files, const std::string& folder) {
    for (std::uint32_t count = 0;; ++count) {
        FF_TRY(const bool marked, files.exists(join_path(folder, mark_name(count))));
        FF_TRY(const bool holds, holds_log(files, shard_folder(folder, count)));
        if (!marked && !holds) return count;
    }
}

Result<StoreFacts> missing_store(const std::string& path) {
    return corruption(path, 0, "the file is missing");
}

/// A new store has its marks, which say that nothing is there yet, before it has its STORE.
Result<Done> make_marks(FileSystem& files, const std::string& folder, std::uint32_t shards) {
    for (std::uint32_t i = 0; i < shards; ++i)
        FF_CHECK(write_file_atomically(files, folder, mark_name(i), encode_mark_file(Mark{}, i)));
    return Done{};
}

/// Without STORE nobody knows how many journals belong together.
Result<Done> refuse_leftovers(FileSystem& files, const std::string& folder) {
    FF_TRY(const std::vector<std::string> names, files.list(folder));
    for (const std::string& name : names) {
        if (!name.starts_with("shard-")) continue;
        FF_TRY(const bool holds, holds_log(files, join_path(folder, name)));
        if (!holds) continue;
        Error error = corruption(join_path(folder, kName), 0, "the file is missing");
        error.message = join_path(folder, kName) + " is missing, but " + name +
                        " holds the log of a store: put STORE back, from a backup if need be";
        return error;
    }
    return Done{};
}

/// A journal that lost its mark as well as its files: one that was never used has its mark.
Result<Done> require_logs(FileSystem& files, const std::string& folder, std::uint32_t shards) {
    for (std::uint32_t i = 0; i < shards; ++i) {
        FF_TRY(const bool marked, files.exists(join_path(folder, mark_name(i))));
        FF_TRY(const bool holds, holds_log(files, shard_folder(folder, i)));
        if (marked || holds) continue;
        const std::string lost = shard_folder(folder, i);
        Error error = corruption(lost, 0, "the log is missing");
        error.message = lost + " holds no log, but STORE says that the store has " +
                        std::to_string(shards) +
                        " shards: put it back, from a backup if need be; a store that was never "
                        "used can be removed as a whole";
        return error;
    }
    return Done{};
}

}  // namespace

Result<std::vector<Cut>> repair_store_file(FileSystem& files, const std::string& folder,
                                           const std::string& new_id) {
    std::vector<Cut> done;
    const std::string path = join_path(folder, kName);
    FF_TRY(const std::uint32_t found, count_shards(files, folder));
    Result<std::string> content = read_file(files, path);
    if (!content && category_of(content.error()) != FileError::NotFound)
        return std::move(content).error();
    Result<StoreFacts> facts = content ? decode(path, *content) : missing_store(path);
    if (!facts && facts.error().code != "corruption") return std::move(facts).error();
    if (!facts) {
        // A new folder has nothing to repair.
        if (found == 0 && !content) return done;
        if (found == 0) return std::move(facts).error();
        Cut cut{.file = path, .what = facts.error().detail[2]};
        if (content) {
            cut.bytes = content->size();
            cut.copy = path + ".damaged";
            FF_CHECK(
                write_file_atomically(files, folder, std::string(kName) + ".damaged", *content));
        }
        done.push_back(std::move(cut));
        facts = StoreFacts{.shards = found, .id = new_id};
        FF_CHECK(write_file_atomically(files, folder, std::string(kName), encode(*facts)));
    }
    for (std::uint32_t i = 0; i < facts->shards; ++i) {
        FF_TRY(const bool marked, files.exists(join_path(folder, mark_name(i))));
        FF_TRY(const bool holds, holds_log(files, shard_folder(folder, i)));
        if (marked || holds) continue;
        done.push_back(Cut{.file = shard_folder(folder, i), .what = "the log is missing"});
        FF_CHECK(write_file_atomically(files, folder, mark_name(i), encode_mark_file(Mark{}, i)));
    }
    return done;
}

std::string shard_folder(const std::string& folder, std::uint32_t shard) {
    return join_path(folder, "shard-" + std::to_string(shard));
}

Result<StoreFacts> open_store_file(FileSystem& files, const std::string& folder,
                                   const StoreFacts& wanted) {
    FF_ASSERT(wanted.shards > 0);
    FF_ASSERT(wanted.id.find_first_of(" \r\n") == std::string::npos);
    const std::string path = join_path(folder, kName);
    const std::string unfinished = join_path(folder, kUnfinishedName);
    FF_TRY(const bool is_unfinished, files.exists(unfinished));
    if (is_unfinished) return corruption(unfinished, 0, "the folder is an unfinished backup");
    Result<std::string> content = read_file(files, path);
    if (!content) {
        if (category_of(content.error()) != FileError::NotFound) return std::move(content).error();
        FF_CHECK(files.make_folder(folder));
        FF_CHECK(refuse_leftovers(files, folder));
        FF_CHECK(make_marks(files, folder, wanted.shards));
        FF_CHECK(write_file_atomically(files, folder, std::string(kName), encode(wanted)));
        return wanted;
    }
    FF_TRY(const StoreFacts facts, decode(path, *content));
    if (facts.shards != wanted.shards) {
        return invalid_input("shards", "the store in " + folder + " was made with " +
                                           std::to_string(facts.shards) + " shards, not " +
                                           std::to_string(wanted.shards) +
                                           "; the number is fixed when a store is made");
    }
    FF_CHECK(require_logs(files, folder, facts.shards));
    return facts;
}

}  // namespace ff::journal
