#include <cstdio>
#include <string>
#include <vector>

#include "app/server.h"
#include "app/settings.h"
#include "cli/command_line.h"

namespace {

int serve(const ff::cli::ServerCommand& command) {
    // The command line wins over a variable, but not over a mistake in it.
    ff::Result<ff::app::Settings> settings = ff::app::Settings::read(ff::app::process_environment);
    if (settings.has_value() && command.listen) {
        ff::Result<ff::http::ListenAddress> listen =
            ff::http::ListenAddress::parse(*command.listen, "--listen");
        if (!listen.has_value()) {
            std::fprintf(stderr, "flowfabric: %s\n", listen.error().text().c_str());
            return 2;
        }
        settings->listen = *std::move(listen);
    }
    if (!settings.has_value()) {
        std::fprintf(stderr, "flowfabric: %s\n", settings.error().text().c_str());
        return 1;
    }
    return ff::app::run_server(*settings);
}

}  // namespace

int main(int argc, char** argv) {
    const ff::cli::Command command =
        ff::cli::parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
    if (const auto* server = std::get_if<ff::cli::ServerCommand>(&command)) return serve(*server);
    if (const auto* words = std::get_if<ff::cli::Words>(&command)) {
        std::fputs(words->text.c_str(), words->exit_code == 0 ? stdout : stderr);
        return words->exit_code;
    }
    std::printf("flowfabric %s\n", ff::cli::version().c_str());
    return 0;
}
