#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ff::cli {

class Arguments;
class Session;

/// An option as `--help`, shell completion and the parser know it.
struct Option {
    /// Without dashes.
    std::string_view name{};
    /// What the value is called; empty for a flag.
    std::string_view value{};
    std::string_view about{};
    /// May be given several times.
    bool many = false;
    /// The only values it takes, separated by commas; empty: any.
    std::string_view choices{};
};

struct Positional {
    std::string_view name{};
    std::string_view about{};
    bool required = true;
    std::string_view choices{};
};

/// One command. The same words serve the parser, the help and the completion.
struct CommandSpec {
    /// `flow submit` is `submit` under `flow`.
    std::string_view name{};
    std::string_view about{};
    std::vector<Positional> positionals{};
    std::vector<Option> options{};
    /// Returns the exit code.
    int (*run)(Session& session, const Arguments& arguments) = nullptr;
    /// Takes everything behind its name unread.
    bool raw = false;
    /// Left out of help and completion.
    bool hidden = false;
};

/// Every command, in the order of the help.
std::span<const CommandSpec> command_table();
/// What the commands under a word have in common.
std::string_view group_about(std::string_view group);
/// What every command takes.
std::span<const Option> common_options();

}  // namespace ff::cli
