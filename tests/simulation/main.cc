#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <malloc.h>

#include "base/log.h"
#include "base/numbers.h"
#include "simulation/world.h"

// Runs seeds one after the other; the first failure ends it. With a planted bug it is the other way
// round: then a run without a failure is one.

namespace ff::simulation {
namespace {

constexpr const char* kUsage =
    "usage: simulate [--seeds <n>] [--first <s>] [--seed <s>] [--planted <name>|all|list] "
    "[--short] [--twice] [--trace]\n"
    "  --seeds    how many seeds to run; 1000 unless told\n"
    "  --first    the seed to begin with; 1 unless told\n"
    "  --seed     this seed alone\n"
    "  --planted  break one rule on purpose, and say at which seed that is found\n"
    "  --short    little to do in each, for whoever cannot wait\n"
    "  --twice    run each seed twice; both times the same has to happen\n"
    "  --trace    tell every operation\n";

constexpr std::uint64_t kSeeds = 1000;

struct Options {
    std::uint64_t first = 1;
    std::optional<std::uint64_t> seeds{};
    std::string planted{};
    bool alone = false;
    bool trace = false;
    bool is_short = false;
    bool twice = false;
};

Plan plan_of(std::uint64_t seed, const Options& options) {
    const Plan plan = Plan::draw(seed);
    return options.is_short ? plan.shortened() : plan;
}

struct Totals {
    std::uint64_t seeds = 0;
    std::uint64_t operations = 0;
    std::uint64_t store_calls = 0;
    std::uint64_t faults = 0;
    /// Of all runs in their order.
    std::uint64_t digest = 0;
    Millis simulated{0};
};

unsigned long long wide(std::uint64_t number) {
    return number;
}

double cpu_ms() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// The same run again, for what was done to whatever the broken promise is about.
void print_subject(const Options& options, const Report& report, const PlantedBug* bug) {
    constexpr std::size_t kShown = 40;
    const std::string subject = report.broken->what.substr(0, report.broken->what.find(' '));
    const std::string id = subject.ends_with(':') ? subject.substr(0, subject.size() - 1) : subject;
    std::deque<std::string> lines;
    World world(plan_of(report.seed, options), bug);
    world.history().on_entry([&](const History::Entry& entry) {
        if (entry.subject != id) return;
        lines.push_back(entry.to_text());
        if (lines.size() > kShown) lines.pop_front();
    });
    world.run();
    if (lines.empty()) return;
    std::printf("last operations on %s:\n", id.c_str());
    for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
}

void print_failure(const Options& options, const Report& report, const PlantedBug* bug) {
    std::printf("seed %llu: broken promise: %s\n  %s\n", wide(report.seed),
                report.broken->promise.c_str(), report.broken->what.c_str());
    print_subject(options, report, bug);
    std::printf("last operations:\n");
    for (const std::string& line : report.last) std::printf("  %s\n", line.c_str());
    const std::string planted = bug == nullptr ? "" : " PLANTED=" + std::string(bug->name);
    std::printf("again: make simulate SEED=%llu%s%s\n", wide(report.seed), planted.c_str(),
                options.is_short ? " SHORT=1" : "");
}

void print_totals(const Totals& totals, double cpu, double seconds) {
    std::printf("digest %016llx\n", wide(totals.digest));
    std::printf(
        "%llu seeds, %llu operations (%llu store calls), %.1f simulated hours, %llu faults; "
        "%.1f s, %.1f operations per millisecond of a core\n",
        wide(totals.seeds), wide(totals.operations), wide(totals.store_calls),
        static_cast<double>(totals.simulated.count()) / 3.6e6, wide(totals.faults), seconds,
        static_cast<double>(totals.operations) / cpu);
}

Report run_one(std::uint64_t seed, const PlantedBug* bug, const Options& options) {
    World world(plan_of(seed, options), bug);
    if (options.trace)
        world.history().on_entry(
            [](const History::Entry& entry) { std::printf("%s\n", entry.to_text().c_str()); });
    return world.run();
}

/// True if no promise was broken.
bool run_seeds(const Options& options, const PlantedBug* bug) {
    Totals totals;
    const auto begun = std::chrono::steady_clock::now();
    const double cpu = cpu_ms();
    std::optional<Report> failure;
    const std::uint64_t count = options.seeds.value_or(kSeeds);
    for (std::uint64_t i = 0; i < count && !failure; ++i) {
        Report report = run_one(options.first + i, bug, options);
        ++totals.seeds;
        totals.operations += report.operations;
        totals.store_calls += report.store_calls;
        totals.faults += report.faults;
        totals.simulated += report.simulated;
        totals.digest = totals.digest * 31 + report.digest;
        if (options.twice && run_one(options.first + i, bug, options).digest != report.digest)
            report.broken = Broken{.promise = "a seed decides everything",
                                   .what = "the second run was another one"};
        if (report.broken) failure = std::move(report);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const double used = cpu_ms() - cpu;
    if (failure) print_failure(options, *failure, bug);
    print_totals(totals, used, took.count());
    return !failure;
}

std::string history_of(const PlantedBug& bug) {
    return bug.until.empty() ? "" : " (was so before " + std::string(bug.until) + ")";
}

/// True if every planted bug is found.
bool find_all(const Options& options) {
    constexpr std::uint64_t kWithin = 2000;
    bool all = true;
    for (const PlantedBug& bug : planted_bugs()) {
        std::optional<Report> found;
        std::uint64_t operations = 0;
        const std::uint64_t count = options.seeds.value_or(kWithin);
        for (std::uint64_t i = 0; i < count && !found; ++i) {
            Report report = run_one(options.first + i, &bug, options);
            operations += report.operations;
            if (report.broken) found = std::move(report);
        }
        all = all && found.has_value();
        const std::string name(bug.name);
        if (found)
            std::printf("%-32s seed %4llu, %7llu operations: %s\n", name.c_str(), wide(found->seed),
                        wide(operations), found->broken->promise.c_str());
        else
            std::printf("%-32s NOT FOUND within %llu seeds: %s\n", name.c_str(), wide(count),
                        std::string(bug.rule).c_str());
        std::fflush(stdout);
    }
    return all;
}

int run(const Options& options) {
    if (options.planted.empty()) return run_seeds(options, nullptr) ? 0 : 1;
    if (options.planted == "all") return find_all(options) ? 0 : 1;
    if (options.planted == "list") {
        for (const PlantedBug& bug : planted_bugs()) {
            // Says so if the rule is written in another way by now.
            static_cast<void>(library_with(&bug));
            std::printf("%-32s %s%s\n", std::string(bug.name).c_str(),
                        std::string(bug.rule).c_str(), history_of(bug).c_str());
        }
        return 0;
    }
    const PlantedBug* bug = find_planted(options.planted);
    if (bug == nullptr) {
        std::fprintf(stderr, "there is no planted bug %s; --planted list tells which there are\n",
                     options.planted.c_str());
        return 2;
    }
    const bool unseen = run_seeds(options, bug);
    std::printf(unseen ? "the planted bug was NOT found: %s\n" : "the planted bug was found: %s\n",
                std::string(bug->rule).c_str());
    return unseen ? 1 : 0;
}

/// Empty for arguments that mean nothing.
std::optional<Options> read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const std::map<std::string_view, bool*> switches = {{"--trace", &options.trace},
                                                            {"--short", &options.is_short},
                                                            {"--twice", &options.twice}};
        if (const auto known = switches.find(name); known != switches.end()) {
            *known->second = true;
            continue;
        }
        if (++i == argc) return std::nullopt;
        if (name == "--planted") {
            options.planted = argv[i];
            continue;
        }
        const auto number = parse_u64(argv[i]);
        if (!number) return std::nullopt;
        if (name == "--seeds") {
            options.seeds = *number;
        } else if (name == "--first") {
            options.first = *number;
        } else if (name == "--seed") {
            options.first = *number;
            options.seeds = 1;
            options.alone = true;
        } else {
            return std::nullopt;
        }
    }
    return options;
}

}  // namespace
}  // namespace ff::simulation

int main(int argc, char** argv) {
    const auto options = ff::simulation::read_options(argc, argv);
    if (!options) {
        std::fputs(ff::simulation::kUsage, stderr);
        return 2;
    }
    // Each world is made and thrown away in the memory of the last one.
    mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    // What the rooms log of broken links and full disks is what the simulation does to them.
    const bool logs = std::getenv("FF_SIMULATION_LOG") != nullptr;
    ff::log::set_sink([logs](std::string_view line) {
        if (logs) std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    });
    return ff::simulation::run(*options);
}
