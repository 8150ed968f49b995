#include "app/process_figures.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/command_line.h"
#include "model/library.h"

namespace ff::app {
namespace {

struct Figure {
    std::string_view name{};
    std::string_view type{};
    std::string_view help{};
    double value = 0;
    std::string labels{};
};

void write(std::string& out, const Figure& figure) {
    const std::string name(figure.name);
    out.append("# HELP ").append(name + " ").append(figure.help).append("\n");
    out.append("# TYPE ").append(name + " ").append(figure.type).append("\n");
    out.append(name).append(figure.labels).append(" ");
    json::Writer(out).number(figure.value);
    out.append("\n");
}

double cpu_seconds() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Memory {
    double virtual_bytes = 0;
    double resident_bytes = 0;
};

Memory memory() {
    std::ifstream file("/proc/self/statm");
    double pages = 0;
    double resident = 0;
    file >> pages >> resident;
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return {.virtual_bytes = pages * page, .resident_bytes = resident * page};
}

/// Seconds since 1970; 0 where the system does not tell.
double started_at() {
    constexpr int kFieldsBefore = 19;  // of those behind the name, which may hold anything
    std::ifstream file("/proc/self/stat");
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(text.substr(name_end + 1));
    std::string skipped;
    for (int i = 0; i < kFieldsBefore; ++i) fields >> skipped;
    double ticks = 0;
    fields >> ticks;
    std::ifstream system("/proc/stat");
    for (std::string line; std::getline(system, line);)
        if (line.starts_with("btime "))
            return std::stod(line.substr(6)) + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    return 0;
}

double open_files() {
    std::error_code failure;
    double count = 0;
    for (auto it = std::filesystem::directory_iterator("/proc/self/fd", failure);
         !failure && it != std::filesystem::directory_iterator(); it.increment(failure))
        ++count;
    return count;
}

double files_most() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

std::string process_figures() {
    const Memory used = memory();
    static const double started = started_at();
    std::string out;
    write(out, {.name = "process_cpu_seconds_total",
                .type = "counter",
                .help = "Time of processors that was used",
                .value = cpu_seconds()});
    write(out, {.name = "process_resident_memory_bytes",
                .type = "gauge",
                .help = "Memory that is in use",
                .value = used.resident_bytes});
    write(out, {.name = "process_virtual_memory_bytes",
                .type = "gauge",
                .help = "Addresses that are in use",
                .value = used.virtual_bytes});
    write(out, {.name = "process_start_time_seconds",
                .type = "gauge",
                .help = "When the process was started, since 1970",
                .value = started});
    write(out, {.name = "process_open_fds",
                .type = "gauge",
                .help = "Open files and connections",
                .value = open_files()});
    write(out, {.name = "process_max_fds",
                .type = "gauge",
                .help = "How many may be open",
                .value = files_most()});
    write(out, {.name = "ff_build_info",
                .type = "gauge",
                .help = "1; the labels tell what the program was built from",
                .value = 1,
                .labels = "{version=\"" + cli::version() + "\",luajit=\"" + cli::luajit_version() +
                          "\",library=\"" + std::to_string(model::library_version()) + "\"}"});
    return out;
}

}  // namespace ff::app
