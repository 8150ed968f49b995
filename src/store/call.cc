#include "store/call.h"

namespace ff::store {

resp::Command function_command(std::string_view name, std::span<const std::string_view> keys,
                               std::span<const std::string_view> args) {
    std::size_t bytes = name.size();
    for (const std::string_view key : keys) bytes += key.size();
    for (const std::string_view arg : args) bytes += arg.size();
    resp::Command command;
    constexpr std::size_t kHeadArgs = 3;
    command.reserve(bytes, kHeadArgs + keys.size() + args.size());
    command.arg("FCALL").arg(name).arg(keys.size()).append(keys).append(args);
    return command;
}

}  // namespace ff::store
