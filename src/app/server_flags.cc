#include "app/server_flags.h"

#include "app/setting_table.h"
#include "base/near_name.h"

namespace ff::app {
namespace {

const Setting* setting_of(const std::string& flag) {
    for (const Setting& setting : setting_table())
        if (setting.flag() == flag) return &setting;
    return nullptr;
}

Error unknown_flag(const std::string& flag) {
    std::vector<std::string> flags;
    for (const Setting& setting : setting_table()) flags.push_back(setting.flag());
    const std::vector<std::string_view> known(flags.begin(), flags.end());
    Error error = invalid_input(flag, "unknown");
    error.message = unknown_name_text("flag", flag, known) + "; see flowfabric server --help";
    return error;
}

}  // namespace

Result<ServerArguments> parse_server_arguments(const std::vector<std::string>& arguments) {
    ServerArguments out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            out.help = true;
            continue;
        }
        const auto mark = argument.find('=');
        std::string flag = argument.substr(0, mark);
        if (flag == "--listen") flag = "--listen-addr";
        const Setting* setting = setting_of(flag);
        if (setting == nullptr) return unknown_flag(flag);
        if (mark != std::string::npos) {
            out.flags[flag] = argument.substr(mark + 1);
        } else if (setting->boolean) {
            out.flags[flag] = "true";
        } else if (i + 1 < arguments.size()) {
            out.flags[flag] = arguments[++i];
        } else {
            return invalid_input(flag, "no value");
        }
    }
    return out;
}

std::string server_help() {
    std::string out =
        "Usage: flowfabric server [--setting value | --setting=value]...\n\n"
        "Serves the HTTP API until SIGINT or SIGTERM. Every setting is a flag and a variable of "
        "the\nenvironment; a flag wins. A boolean flag alone means true.\n\n";
    for (const Setting& setting : setting_table()) {
        out += "  " + setting.flag() + "  (" + std::string(setting.name) + ")\n      " +
               std::string(setting.about) + "; " + std::string(setting.rule) +
               (setting.otherwise.empty() ? "; not set by default"
                                          : "; default " + std::string(setting.otherwise)) +
               "\n";
    }
    out +=
        "\nExit codes: 0 stopped as asked, 1 could not start, 2 arguments not understood, 130 "
        "interrupted twice.\n";
    return out;
}

}  // namespace ff::app
