#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ff::cli {

/// `flowfabric server`: what is given here wins over the environment.
struct ServerCommand {
    std::optional<std::string> listen{};

    bool operator==(const ServerCommand&) const = default;
};

struct VersionCommand {
    bool operator==(const VersionCommand&) const = default;
};

/// Nothing to do but to say something: the help, or why the arguments cannot be understood.
struct Words {
    std::string text{};
    int exit_code = 0;
};

using Command = std::variant<Words, ServerCommand, VersionCommand>;

/// Reads the arguments behind the program's name.
Command parse_command_line(std::vector<std::string> arguments);

/// As in `0.1.0`.
std::string version();

}  // namespace ff::cli
