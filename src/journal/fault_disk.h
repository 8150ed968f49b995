#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "journal/fault_file_system.h"

namespace ff::journal {

/// A change of content that is not durable yet.
struct Change {
    std::optional<std::uint64_t> truncate_to{};
    std::uint64_t offset = 0;
    std::string data{};
};

/// The content of a file: as programs see it, and as a power cut would leave it.
struct Inode {
    std::string now{};
    std::string durable{};
    std::vector<Change> pending{};

    void change(Change change);
    void sync();
};

using Names = std::map<std::string, std::shared_ptr<Inode>>;

/// A change of names that is not durable yet.
struct NameChange {
    Operation operation{};
    std::string path{};
    std::string to{};
    std::shared_ptr<Inode> inode{};
};
void change_name(Names& names, const NameChange& change);

/// How much of what was not synced a power cut leaves.
enum class Survival : std::uint8_t { Nothing, Everything, Prefix, Scattered };

/// The content of a file after a power cut.
std::string survivor(const Inode& inode, Survival survival, Random& random);

}  // namespace ff::journal
