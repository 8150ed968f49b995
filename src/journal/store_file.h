#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "journal/file_system.h"
#include "journal/journal.h"

namespace ff::journal {

/// What the file STORE says about all the journals of a store.
struct StoreFacts {
    std::uint32_t format_version = 1;
    std::uint32_t shards = 0;
    /// Any printable text without blanks.
    std::string id{};

    bool operator==(const StoreFacts&) const = default;
};

/// While a file of this name is there, the folder is a copy that was not finished.
inline constexpr const char* kUnfinishedName = "UNFINISHED";

/// The folder of a shard's journal within the data folder.
std::string shard_folder(const std::string& folder, std::uint32_t shard);

/// Reads `folder`/STORE or, if there is none, writes it with `wanted`. The answer is what the file
/// says: the id of an existing store wins. Another number of shards is refused with code
/// "invalid_input", field "shards", naming both numbers; a damaged file with "corruption", and so
/// are an unfinished copy, a STORE without the journals it speaks of, and journals without STORE.
Result<StoreFacts> open_store_file(FileSystem& files, const std::string& folder,
                                   const StoreFacts& wanted);

/// Puts a STORE that is missing or damaged, and marks that went with their logs, back as far as the
/// folder tells what they said; keeps a copy of what was there. Answers what it did.
Result<std::vector<Cut>> repair_store_file(FileSystem& files, const std::string& folder,
                                           const std::string& new_id);

}  // namespace ff::journal
