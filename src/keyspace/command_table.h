#pragma once

#include <span>
#include <string_view>

namespace ff::keyspace {

struct Call;

/// What is known about one command of the keyspace (spec 01, section 6).
struct CommandSpec {
    /// Lower case, as it appears in error texts.
    std::string_view name{};
    /// Number of arguments including the name; negative means "at least".
    int arity = 0;
    bool write = false;
    /// Offered to functions (6.1), and to everybody else (6.2).
    bool in_functions = false;
    bool outside_functions = false;
    void (*handler)(Call&) = nullptr;

    bool accepts(std::size_t argument_count) const {
        return arity >= 0 ? argument_count == static_cast<std::size_t>(arity)
                          : argument_count >= static_cast<std::size_t>(-arity);
    }
};

/// Any letter case; nullptr if there is no such command here. The result lives forever.
const CommandSpec* find_command(std::string_view name);

/// Every command, in no particular order.
std::span<const CommandSpec> all_commands();

}  // namespace ff::keyspace
