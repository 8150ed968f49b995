#include "cli/command_line.h"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>

namespace ff::cli {
namespace {

/// Arguments that cannot be understood, as opposed to work that failed.
constexpr int kUsageExitCode = 2;

}  // namespace

Command parse_command_line(std::vector<std::string> arguments) {
    CLI::App app("FlowFabric, a durable execution engine", "flowfabric");
    app.require_subcommand(1);
    app.footer(
        "Settings come from the environment (FF_LISTEN_ADDR, FF_LOG, FF_SHUTDOWN_GRACE_MS).\n"
        "Exit codes: 0 done, 1 failed, 2 arguments not understood, 130 interrupted twice.");
    ServerCommand server;
    CLI::App* serve = app.add_subcommand("server", "Serve the HTTP API until SIGINT or SIGTERM");
    serve->add_option("--listen", server.listen,
                      "Address and port, such as 127.0.0.1:9090 (port 0: any free one)");
    const CLI::App* tell = app.add_subcommand("version", "Print the version");
    try {
        // CLI11 takes them from the end of the vector.
        std::reverse(arguments.begin(), arguments.end());
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& failure) {
        std::ostringstream out;
        std::ostringstream err;
        const bool refused = app.exit(failure, out, err) != 0;
        return Words{.text = out.str() + err.str(), .exit_code = refused ? kUsageExitCode : 0};
    }
    if (tell->parsed()) return VersionCommand{};
    return server;
}

std::string version() {
    return FF_VERSION;
}

}  // namespace ff::cli
