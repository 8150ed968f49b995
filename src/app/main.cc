#include <cstdio>
#include <string>
#include <vector>

#include "app/server.h"
#include "app/server_flags.h"
#include "app/settings.h"
#include "cli/command_line.h"

namespace {

constexpr int kFailedExitCode = 1;
constexpr int kUsageExitCode = 2;

int refuse(const ff::Error& error, int exit_code) {
    std::fprintf(stderr, "flowfabric: %s\n", error.text().c_str());
    return exit_code;
}

int serve(const std::vector<std::string>& arguments) {
    const auto parsed = ff::app::parse_server_arguments(arguments);
    if (!parsed.has_value()) return refuse(parsed.error(), kUsageExitCode);
    if (parsed->help) {
        std::fputs(ff::app::server_help().c_str(), stdout);
        return 0;
    }
    const auto settings = ff::app::Settings::read(ff::app::process_environment, parsed->flags);
    if (!settings.has_value()) {
        const ff::Error& error = settings.error();
        const bool of_a_flag = !error.detail.empty() && error.detail.front().starts_with("--");
        return refuse(error, of_a_flag ? kUsageExitCode : kFailedExitCode);
    }
    return ff::app::run_server(*settings);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "server")
        return serve({arguments.begin() + 1, arguments.end()});
    const ff::cli::Command command = ff::cli::parse_command_line(std::move(arguments));
    if (const auto* words = std::get_if<ff::cli::Words>(&command)) {
        std::fputs(words->text.c_str(), words->exit_code == 0 ? stdout : stderr);
        return words->exit_code;
    }
    std::printf("flowfabric %s\n", ff::cli::version().c_str());
    return 0;
}
