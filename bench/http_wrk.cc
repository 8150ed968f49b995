#include "http_wrk.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "support/process.h"

namespace ff::bench {
namespace {

constexpr std::size_t kThreads = 2;

/// The first number behind `mark`, and the unit that is glued to it.
double figure_behind(const std::string& output, std::string_view mark, std::string& unit) {
    const std::size_t at = output.find(mark);
    if (at == std::string::npos) throw std::runtime_error("wrk says no " + std::string(mark));
    const std::size_t from = output.find_first_of("0123456789", at + mark.size());
    std::size_t length = 0;
    const double value = std::stod(output.substr(from), &length);
    const std::size_t end = output.find_first_of(" \r\n", from + length);
    unit = output.substr(from + length, end - from - length);
    return value;
}

double latency_us(const std::string& output, std::string_view percentile) {
    std::string unit;
    const double value = figure_behind(output, percentile, unit);
    if (unit == "us") return value;
    if (unit == "ms") return value * 1e3;
    if (unit == "s") return value * 1e6;
    throw std::runtime_error("wrk counts in " + unit);
}

}  // namespace

WrkResult read_wrk(const std::string& output) {
    std::string unit;
    WrkResult result{.per_second = figure_behind(output, "Requests/sec:", unit),
                     .p50_us = latency_us(output, " 50%"),
                     .p99_us = latency_us(output, " 99%")};
    if (output.find("Non-2xx") != std::string::npos)
        result.refused = figure_behind(output, "Non-2xx or 3xx responses:", unit);
    return result;
}

WrkResult run_wrk(const WrkLoad& load) {
    const auto seconds =
        std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(load.duration).count());
    std::vector<std::string> command{"wrk", "--latency",
                                     "-t",  std::to_string(kThreads),
                                     "-c",  std::to_string(load.connections),
                                     "-d",  std::to_string(seconds) + "s"};
    if (!load.script.empty()) command.insert(command.end(), {"-s", load.script});
    command.push_back("http://127.0.0.1:" + std::to_string(load.port) + load.target);
    const testing::CommandResult done =
        testing::run_command(std::move(command), Millis((seconds + 30) * 1000));
    if (done.exit_code != 0) throw std::runtime_error("wrk: " + done.out + done.err);
    return read_wrk(done.out);
}

}  // namespace ff::bench
