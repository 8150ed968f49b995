#include "cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <sstream>

#include <CLI/CLI.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/near_name.h"
#include "cli/session.h"

namespace ff::cli {
namespace {

/// Where CLI11 leaves the values of one option.
struct Slot {
    std::string name{};
    std::vector<std::string> values{};
    bool flag = false;
};

/// The parser's view of one command of the table.
struct Entry {
    const CommandSpec* spec = nullptr;
    CLI::App* app = nullptr;
    std::list<Slot> slots{};
};

std::vector<std::string> split(std::string_view text, char mark) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(mark), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

void add_option(CLI::App& app, std::list<Slot>& slots, const Option& option) {
    Slot& slot = slots.emplace_back(Slot{.name = std::string(option.name)});
    const std::string dashed = "--" + slot.name;
    if (option.value.empty()) {
        slot.flag = true;
        app.add_flag_callback(
            dashed, [&slot] { slot.values = {"true"}; }, std::string(option.about));
        return;
    }
    CLI::Option* added = app.add_option(dashed, slot.values, std::string(option.about));
    added->type_name(std::string(option.value))->allow_extra_args(false);
    if (!option.many) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    if (!option.choices.empty()) added->check(CLI::IsMember(split(option.choices, ',')));
}

void add_positional(CLI::App& app, std::list<Slot>& slots, const Positional& positional) {
    Slot& slot = slots.emplace_back(Slot{.name = std::string(positional.name)});
    // Into a text, not a list: a list would take what belongs to the next one.
    CLI::Option* added = app.add_option_function<std::string>(
        slot.name, [&slot](const std::string& value) { slot.values = {value}; },
        std::string(positional.about));
    added->type_name("TEXT");
    if (positional.required) added->required();
    if (!positional.choices.empty()) added->check(CLI::IsMember(split(positional.choices, ',')));
}

/// The app of a command, below that of its group if it has one.
CLI::App* app_of(CLI::App& root, std::map<std::string, CLI::App*>& groups,
                 const CommandSpec& spec) {
    const std::vector<std::string> words = split(spec.name, ' ');
    CLI::App* parent = &root;
    if (words.size() == 2) {
        CLI::App*& group = groups[words[0]];
        if (group == nullptr) {
            group = root.add_subcommand(words[0], std::string(group_about(words[0])));
            group->require_subcommand(1)->fallthrough();
        }
        parent = group;
    }
    CLI::App* app = parent->add_subcommand(words.back(), std::string(spec.about));
    app->fallthrough();
    if (spec.hidden) app->group("");
    return app;
}

/// The word at the beginning that no command begins with, which the parser would pass over.
std::optional<std::string> unknown_command(const std::vector<std::string>& arguments) {
    std::string said;
    for (const std::string& word : arguments) {
        if (word.starts_with('-')) return std::nullopt;
        said += (said.empty() ? "" : " ") + word;
        bool begins = false;
        for (const CommandSpec& spec : command_table()) {
            if (spec.name == said) return std::nullopt;
            begins = begins || spec.name.starts_with(said + " ");
        }
        if (!begins) return said;
    }
    return std::nullopt;
}

/// The first command among the arguments, if there is one; options may stand before it.
const CommandSpec* command_of(std::span<const std::string> arguments) {
    for (; !arguments.empty(); arguments = arguments.subspan(1)) {
        std::string said;
        for (const std::string& word : arguments) {
            said += (said.empty() ? "" : " ") + word;
            for (const CommandSpec& spec : command_table())
                if (spec.name == said) return &spec;
        }
    }
    return nullptr;
}

/// `-5` may be the value of an option.
bool is_option(std::string_view argument) {
    if (!argument.starts_with('-') || argument == "-" || argument == "--") return false;
    return argument[1] < '0' || argument[1] > '9';
}

/// What to say of the first option that there is not, for the command or, without one, for all of
/// them; nothing when there is none.
std::string unknown_option(const std::vector<std::string>& arguments) {
    const CommandSpec* command = command_of(arguments);
    std::vector<std::string> names{"--help"};
    if (command != nullptr)
        for (const Option& option : command->options)
            names.push_back("--" + std::string(option.name));
    for (const Option& option : common_options()) names.push_back("--" + std::string(option.name));
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const std::string& argument : arguments) {
        const std::string name = argument.substr(0, argument.find('='));
        if (!is_option(name) || name == "-h" || std::ranges::find(known, name) != known.end())
            continue;
        return "flowfabric: " + unknown_name_text("option", name, known) + "; see flowfabric " +
               (command == nullptr ? "" : std::string(command->name) + " ") + "--help\n";
    }
    return {};
}

Words no_such_command(const std::string& said) {
    std::vector<std::string_view> known;
    for (const CommandSpec& spec : command_table())
        if (!spec.hidden) known.push_back(spec.name);
    const std::string_view near = nearest_name(said, known);
    const std::string hint = near.empty() ? "" : "did you mean `" + std::string(near) + "`? ";
    return {
        .text = "flowfabric: no command `" + said + "`; " + hint + "flowfabric --help lists them\n",
        .exit_code = kUsage};
}

void collect(Arguments& arguments, const std::list<Slot>& slots) {
    for (const Slot& slot : slots) {
        for (const std::string& value : slot.values) arguments.add(slot.name, value);
    }
}

std::string environment(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

std::size_t terminal_width() {
    winsize size{};
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    if (!terminal || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

bool speaks_colours() {
    return ::isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR", "").empty() &&
           environment("TERM", "dumb") != "dumb";
}

}  // namespace

std::variant<Words, Parsed> parse_command_line(std::vector<std::string> arguments) {
    for (const CommandSpec& spec : command_table()) {
        if (!spec.raw || arguments.empty() || arguments.front() != spec.name) continue;
        Parsed parsed{.command = &spec};
        parsed.arguments.set_rest({arguments.begin() + 1, arguments.end()});
        return parsed;
    }
    if (const auto unknown = unknown_command(arguments)) return no_such_command(*unknown);
    CLI::App root("FlowFabric, a durable execution engine", "flowfabric");
    root.require_subcommand(1);
    root.set_version_flag("--version", version_text());
    root.footer(
        "Server settings: flowfabric server --help.\n"
        "Exit codes: 0 done, 1 failed, 2 arguments not understood, 130 interrupted twice.");
    std::list<Slot> common;
    for (const Option& option : common_options()) add_option(root, common, option);
    std::map<std::string, CLI::App*> groups;
    std::list<Entry> entries;
    for (const CommandSpec& spec : command_table()) {
        Entry& entry = entries.emplace_back(Entry{.spec = &spec});
        entry.app = app_of(root, groups, spec);
        for (const Positional& one : spec.positionals) add_positional(*entry.app, entry.slots, one);
        for (const Option& option : spec.options) add_option(*entry.app, entry.slots, option);
    }
    try {
        // CLI11 takes them from the end of the vector.
        root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& failure) {
        std::ostringstream out;
        std::ostringstream err;
        const bool refused = root.exit(failure, out, err) != 0;
        const std::string unknown = refused ? unknown_option(arguments) : std::string();
        if (!unknown.empty()) return Words{.text = unknown, .exit_code = kUsage};
        return Words{.text = out.str() + err.str(), .exit_code = refused ? kUsage : kDone};
    }
    Parsed parsed;
    for (const Entry& entry : entries) {
        if (!entry.app->parsed()) continue;
        parsed.command = entry.spec;
        collect(parsed.arguments, entry.slots);
    }
    collect(parsed.arguments, common);
    return parsed;
}

int run_command_line(std::vector<std::string> arguments, const Programs& programs) {
    const auto understood = parse_command_line(std::move(arguments));
    if (const auto* words = std::get_if<Words>(&understood)) {
        std::fputs(words->text.c_str(), words->exit_code == 0 ? stdout : stderr);
        return words->exit_code;
    }
    const auto& [command, said] = std::get<Parsed>(understood);
    Session session(
        {.url = said.text("server", environment("FF_SERVER_URL", "http://127.0.0.1:9090")),
         .ca_file = said.text("ca-file", environment("FF_SERVER_CA_FILE", "")),
         .insecure = said.has("insecure"),
         .token = said.text("token", environment("FF_API_TOKEN", "")),
         .json = said.has("json"),
         .colours = speaks_colours(),
         .width = terminal_width()},
        programs);
    return command->run(session, said);
}

std::string version_text() {
    return "flowfabric " + version() + " (LuaJIT " + luajit_version() + ")";
}

std::string version() {
    return FF_VERSION;
}

std::string luajit_version() {
    return FF_LUAJIT_VERSION;
}

}  // namespace ff::cli
