#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/assert.h"
#include "base/json.h"

namespace ff::bench {
namespace {

std::string rounded(double value) {
    char text[40];
    const int digits = std::abs(value) >= 100 ? 0 : std::abs(value) >= 1 ? 2 : 4;
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

}  // namespace

Report::Report(std::string title, int argc, char** argv) : title_(std::move(title)) {
    const std::vector<std::string> args(argv + 1, argv + argc);
    if (args.size() == 2 && args[0] == "--out") {
        out_file_ = args[1];
    } else if (!args.empty()) {
        std::fprintf(stderr, "usage: %s [--out <file>]\n", argv[0]);
        std::exit(2);
    }
}

void Report::add(std::string name, double value, std::string unit) {
    figures_.push_back({.name = std::move(name), .value = value, .unit = std::move(unit)});
}

void Report::add_ratio(std::string name, double value, double base) {
    add(std::move(name), base == 0 ? 0 : value / base);
}

double Report::value(std::string_view name) const {
    const auto found = std::find_if(figures_.begin(), figures_.end(),
                                    [&](const Figure& figure) { return figure.name == name; });
    FF_ASSERT(found != figures_.end());
    return found->value;
}

std::string Report::to_table() const {
    std::size_t width = 0;
    for (const Figure& figure : figures_) width = std::max(width, figure.name.size());
    std::string out = title_ + "\n";
    for (const Figure& figure : figures_) {
        const std::string number = rounded(figure.value);
        out += "  " + figure.name + std::string(width - figure.name.size() + 2, ' ');
        out += std::string(number.size() < 12 ? 12 - number.size() : 0, ' ') + number;
        if (!figure.unit.empty()) out += " " + figure.unit;
        out += "\n";
    }
    return out;
}

std::string Report::to_json() const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    for (const Figure& figure : figures_) writer.key(figure.name).number(figure.value);
    writer.end_object();
    return out + "\n";
}

int Report::finish() const {
    std::fputs(to_table().c_str(), stdout);
    if (out_file_.empty()) return 0;
    std::ofstream file(out_file_);
    file << to_json();
    file.close();
    if (file) return 0;
    std::fprintf(stderr, "cannot write %s\n", out_file_.c_str());
    return 1;
}

double nanoseconds_per_call(const std::function<void()>& work, const MeasureOptions& options) {
    using SteadyClock = std::chrono::steady_clock;
    constexpr int kCallsBetweenLooks = 64;
    double best = std::numeric_limits<double>::max();
    for (int round = 0; round < options.rounds; ++round) {
        const auto begin = SteadyClock::now();
        std::chrono::nanoseconds elapsed{0};
        double calls = 0;
        while (elapsed < options.round) {
            for (int i = 0; i < kCallsBetweenLooks; ++i) work();
            calls += kCallsBetweenLooks;
            elapsed = SteadyClock::now() - begin;
        }
        best = std::min(best, static_cast<double>(elapsed.count()) / calls);
    }
    return best;
}

}  // namespace ff::bench
