#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ff::bench {

/// One named figure of a benchmark. Names are stable: scripts compare them between versions.
struct Figure {
    std::string name{};
    double value = 0;
    std::string unit{};  // for people; empty for a ratio
};

/// Collects the figures of one benchmark program, prints them as a table and, with
/// `--out <file>` on the command line, writes them there as one flat JSON object.
class Report {
  public:
    /// Ends the program with exit code 2 when the arguments are not understood.
    Report(std::string title, int argc, char** argv);

    void add(std::string name, double value, std::string unit = {});
    /// `value` in relation to `base`: the figure that means the same on every machine.
    void add_ratio(std::string name, double value, double base);
    /// The value of a figure added before.
    double value(std::string_view name) const;

    /// Prints and writes. The result is the program's exit code: 1 when the file cannot be written.
    int finish() const;

    std::string to_table() const;
    std::string to_json() const;

  private:
    std::string title_;
    std::string out_file_{};
    std::vector<Figure> figures_{};
};

struct MeasureOptions {
    std::chrono::milliseconds round{200};
    int rounds = 5;
};

/// Nanoseconds for one call of `work`, which is called in rounds: the fastest round counts, as
/// whatever disturbs a round can only make it slower.
double nanoseconds_per_call(const std::function<void()>& work, const MeasureOptions& options = {});

/// Keeps the compiler from dropping what computes `value`.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace ff::bench
