#include "store_process.h"

#include <stdexcept>

namespace ff::fault {
namespace {

constexpr std::string_view kReady = "ready ";

std::vector<std::string> command_of(const std::string& folder,
                                    const std::vector<std::string>& settings) {
    std::vector<std::string> args = {FF_STORE_SERVER, folder};
    args.insert(args.end(), settings.begin(), settings.end());
    return args;
}

}  // namespace

StoreProcess::StoreProcess(const std::string& folder, const std::vector<std::string>& settings)
    : process_(testing::ProcessOptions{.args = command_of(folder, settings)}) {
    const std::optional<std::string> line = process_.wait_for_line(kReady);
    if (!line) throw std::runtime_error("store_server did not start: " + process_.err());
    port_ = static_cast<std::uint16_t>(std::stoul(line->substr(kReady.size())));
}

testing::CommandResult StoreProcess::run(const std::string& folder,
                                         const std::vector<std::string>& settings) {
    return testing::run_command(command_of(folder, settings));
}

}  // namespace ff::fault
