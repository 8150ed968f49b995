#include "cli/commands.h"

namespace ff::cli {

int run_server(Session& session, const Arguments& arguments) {
    return session.programs().serve(arguments.rest(), {});
}

int run_dev(Session& session, const Arguments& arguments) {
    const std::string folder = arguments.text("data-dir", ":memory:");
    const std::vector<std::string> flags{
        "--listen-addr=" + arguments.text("listen", "127.0.0.1:9090"), "--data-dir=" + folder,
        "--backend=embedded"};
    return session.programs().serve(flags, [&session, &folder](const std::string& url) {
        session.line("");
        session.line("  FlowFabric is at " + session.paint(url, Colour::Green));
        session.line(folder == ":memory:" ? "  data   in memory, gone when it stops"
                                          : "  data   " + folder);
        session.line("  try    curl -fsS " + url +
                     "/v1/executions -H 'Content-Type: application/json' "
                     "-d '{\"execution_kind\":\"hello\",\"lane_id\":\"default\","
                     "\"namespace\":\"default\",\"payload\":\"world\"}'");
        session.line("  stop   Ctrl-C");
        session.line("");
    });
}

}  // namespace ff::cli
