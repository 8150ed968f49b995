// The web console in a real browser against the built server: bytes and time of the first load
// while 100,000 executions are stored and 1,000 events a second come in, scrolling, memory, an
// execution of 50,000 frames, a flow of 1,000 nodes. Everything is measured by console_browser.mjs;
// this starts the server and reports. FF_BENCH_SECONDS is how long the memory is watched.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "flowfabric/flowfabric.h"
#include "report.h"
#include "support/process.h"

namespace {

using ff::bench::Report;
using ff::testing::Process;
using flowfabric::Json;

constexpr ff::Millis kPatience{7'200'000};

Json measure(const std::string& url) {
    const char* seconds = std::getenv("FF_BENCH_SECONDS");
    Process browser({.args = {"node", FF_CONSOLE_SCRIPT, url, FF_CONSOLE_FOLDER,
                              seconds == nullptr ? "120" : seconds}});
    const auto ended = browser.wait_for_exit(kPatience);
    if (ended != 0) throw std::runtime_error("console_browser.mjs: " + browser.err());
    return Json::parse(browser.out()).value();
}

}  // namespace

int main(int argc, char** argv) {
    Report report("web console", argc, argv);
    Process server({.args = {FF_PROGRAM, "server", "--listen-addr=127.0.0.1:0",
                             "--data-dir=:memory:", "--log=error"}});
    constexpr std::string_view kServing = "flowfabric: serving ";
    const auto line = server.wait_for_line(kServing);
    if (!line) {
        std::fprintf(stderr, "the server did not start: %s\n", server.err().c_str());
        return 1;
    }
    const Json figures = measure(line->substr(kServing.size()));
    const auto add = [&](const char* name, const char* unit) {
        report.add(name, figures[name].number(), unit);
    };
    add("first_load_compressed_kb", "KiB");
    add("interactive_ms", "ms");
    add("interactive_worst_ms", "ms");
    add("scroll_dropped_frames_pct", "%");
    add("scroll_worst_frame_ms", "ms");
    add("scroll_rows_read", "");
    add("heap_growth_mb_per_hour", "MiB/h");
    add("heap_mb", "MiB");
    add("heap_measured_s", "s");
    add("frames_50k_open_ms", "ms");
    add("frames_50k_all_read_ms", "ms");
    add("flow_1000_nodes_open_ms", "ms");
    add("flow_1000_nodes_change_cpu_p50_ms", "ms");
    add("flow_1000_nodes_change_cpu_p95_ms", "ms");
    add("flow_1000_nodes_read_again_cpu_p95_ms", "ms");
    add("live_events_per_s", "/s");
    return report.finish();
}
