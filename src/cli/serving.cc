#include <cstdlib>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::Json;

namespace {

/// Starts a program of its own that outlives this one and speaks to nobody.
bool open_elsewhere(const char* program, std::string url) {
    posix_spawn_file_actions_t silence{};
    posix_spawn_file_actions_init(&silence);
    posix_spawn_file_actions_addopen(&silence, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&silence, 1, 2);
    std::string name(program);
    char* const words[] = {name.data(), url.data(), nullptr};
    pid_t pid = 0;
    const int failed = ::posix_spawnp(&pid, program, &silence, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&silence);
    return failed == 0;
}

}  // namespace

int run_server(Session& session, const Arguments& arguments) {
    return session.programs().serve(arguments.rest(), {});
}

int run_dev(Session& session, const Arguments& arguments) {
    const std::string folder = arguments.text("data-dir", ":memory:");
    const std::vector<std::string> flags{
        "--listen-addr=" + arguments.text("listen", "127.0.0.1:9090"), "--data-dir=" + folder,
        // What a person should know is said below; the rest would only run over it.
        "--backend=embedded", "--log=error"};
    return session.programs().serve(flags, [&session, &folder](const std::string& url) {
        session.line("");
        session.line("  FlowFabric is at " + session.paint(url, Colour::Green));
        session.line("  console  " + url + "/console/");
        session.line(folder == ":memory:" ? "  data     in memory, gone when it stops"
                                          : "  data     " + folder);
        session.line("  try      curl -fsS " + url +
                     "/v1/executions -H 'Content-Type: application/json' "
                     "-d '{\"execution_kind\":\"hello\",\"lane_id\":\"default\","
                     "\"namespace\":\"default\",\"payload\":\"world\"}'");
        session.line("  stop     Ctrl-C");
        session.line("");
    });
}

int run_console(Session& session, const Arguments& /*arguments*/) {
    FF_CLI_TRY(const flowfabric::AdminClient client, session.client());
    FF_CLI_TRY([[maybe_unused]] const std::string health, client.health());
    const std::string url = session.options().url + "/console/";
    if (session.json()) return session.show(Json::object({{"url", url}}));
    session.line(url);
    const char* const browser = std::getenv("BROWSER");
    const bool desktop = std::getenv("DISPLAY") != nullptr ||
                         std::getenv("WAYLAND_DISPLAY") != nullptr || browser != nullptr;
    if (!desktop) return kDone;
    const auto opened = open_elsewhere(browser == nullptr ? "xdg-open" : browser, url);
    if (!opened)
        std::fprintf(stderr, "flowfabric: no browser could be started; open the address\n");
    return kDone;
}

}  // namespace ff::cli
