#include "process_facts.h"

#include <fstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace ff::bench {

double cpu_seconds(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string skipped;
    std::getline(file, skipped, ')');
    constexpr int kBeforeTimes = 11;
    for (int i = 0; i < kBeforeTimes; ++i) file >> skipped;
    double user = 0;
    double system = 0;
    file >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double memory_bytes(pid_t process, std::string_view line) {
    const std::string path = "/proc/" + std::to_string(process) + "/status";
    const std::string label = std::string(line) + ":";
    constexpr double kKibibyte = 1024;
    std::ifstream status(path);
    for (std::string text; std::getline(status, text);) {
        if (text.starts_with(label)) return std::stod(text.substr(label.size())) * kKibibyte;
    }
    throw std::runtime_error("no " + label + " in " + path);
}

}  // namespace ff::bench
