#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/command_table.h"
#include "cli/programs.h"

namespace ff::cli {

/// Nothing to do but to say something: the help, or why the arguments cannot be understood.
struct Words {
    std::string text{};
    int exit_code = 0;
};

/// A command and what was said to it.
struct Parsed {
    const CommandSpec* command = nullptr;
    Arguments arguments{};
};

/// Reads the arguments behind the program's name.
std::variant<Words, Parsed> parse_command_line(std::vector<std::string> arguments);

/// Does what the arguments say; the exit code.
int run_command_line(std::vector<std::string> arguments, const Programs& programs);

/// For people.
std::string version_text();
/// As in `0.1.0`.
std::string version();
/// Of the LuaJIT that an embedded store runs on.
std::string luajit_version();

}  // namespace ff::cli
