#include <map>

#include "cli/command_table.h"
#include "cli/commands.h"

namespace ff::cli {
namespace {

std::string words_of(const CommandSpec& spec) {
    std::string words;
    for (const Option& option : spec.options) words += "--" + std::string(option.name) + " ";
    for (const Option& option : common_options()) words += "--" + std::string(option.name) + " ";
    for (const Positional& one : spec.positionals) {
        std::string choices(one.choices);
        for (char& c : choices) c = c == ',' ? ' ' : c;
        if (!choices.empty()) words += choices + " ";
    }
    return words + "--help";
}

/// What may follow nothing, and what may follow each group.
std::map<std::string, std::string> first_words() {
    std::map<std::string, std::string> words;
    for (const CommandSpec& spec : command_table()) {
        if (spec.hidden) continue;
        const std::string name(spec.name);
        const std::size_t gap = name.find(' ');
        if (gap == std::string::npos) {
            words[""] += name + " ";
            continue;
        }
        const std::string group = name.substr(0, gap);
        if (!words.contains(group)) words[""] += group + " ";
        words[group] += name.substr(gap + 1) + " ";
    }
    return words;
}

/// The same script serves both shells: zsh loads bash's way of completing.
std::string script() {
    std::string cases;
    for (const auto& [group, words] : first_words())
        cases += "        \"" + group + "\") words=\"" + words + "\" ;;\n";
    for (const CommandSpec& spec : command_table()) {
        if (!spec.hidden)
            cases +=
                "        \"" + std::string(spec.name) + "\") words=\"" + words_of(spec) + "\" ;;\n";
    }
    return "_flowfabric() {\n"
           "    local current=\"${COMP_WORDS[COMP_CWORD]}\" command=\"\" words=\"\" word i\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        word=\"${COMP_WORDS[i]}\"\n"
           "        case \"$word\" in\n"
           "            -*) break ;;\n"
           "        esac\n"
           "        case \"$command\" in\n"
           "            \"\") command=\"$word\" ;;\n"
           "            flow | budget | quota | lanes) command=\"$command $word\" ;;\n"
           "            *) break ;;\n"
           "        esac\n"
           "    done\n"
           "    case \"$command\" in\n" +
           cases +
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -o default -F _flowfabric flowfabric\n";
}

}  // namespace

int run_completion(Session& session, const Arguments& arguments) {
    const bool zsh = arguments.text("shell") == "zsh";
    const std::string loading = "autoload -U +X bashcompinit && bashcompinit\n";
    session.write((zsh ? loading : std::string()) + script());
    return kDone;
}

}  // namespace ff::cli
