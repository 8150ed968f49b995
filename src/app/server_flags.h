#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/settings.h"

namespace ff::app {

/// What `flowfabric server ...` says: flags, or a wish for help.
struct ServerArguments {
    Flags flags{};
    bool help = false;
};

/// `--name value`, `--name=value`, and `--name` alone for a boolean; `--listen` is short for
/// `--listen-addr`. `invalid_input` for anything else.
Result<ServerArguments> parse_server_arguments(const std::vector<std::string>& arguments);

/// All settings with flag, variable, default and rule.
std::string server_help();

}  // namespace ff::app
