#include "app/collisions.h"

#include <cstdio>
#include <map>
#include <span>

#include "base/near_name.h"

namespace ff::app {
namespace {

constexpr int kUsageExitCode = 2;
constexpr std::string_view kCommand = "partition-collisions";

std::string_view name_of(Collisions::Severity severity) {
    using enum Collisions::Severity;
    switch (severity) {
        case Clean:
            return "Clean";
        case Watch:
            return "Watch";
        case Elevated:
            return "Elevated";
        case Remediate:
            return "Remediate";
    }
    return {};
}

/// The command takes no arguments: its settings stand in the environment.
std::string misused(const std::vector<std::string>& arguments) {
    const std::string usage = "usage: flowfabric admin " + std::string(kCommand) + "\n";
    if (arguments.empty()) return usage;
    const bool known = arguments.front() == kCommand;
    const std::string_view command[] = {kCommand};
    const std::span<const std::string_view> names = known ? std::span(command, 0) : command;
    const std::string_view what = known ? "argument" : "command";
    return "flowfabric: " + unknown_name_text(what, arguments[known ? 1 : 0], names) + "\n" + usage;
}

}  // namespace

Collisions::Severity Collisions::severity() const {
    constexpr std::size_t kWatchPercent = 5;
    constexpr std::size_t kElevatedPercent = 15;
    const std::size_t hundredfold = colliding.size() * 100;
    if (hundredfold == 0) return Severity::Clean;
    if (hundredfold < kWatchPercent * lanes) return Severity::Watch;
    if (hundredfold <= kElevatedPercent * lanes) return Severity::Elevated;
    return Severity::Remediate;
}

std::string Collisions::to_text() const {
    std::string out = "partitions: " + std::to_string(partitions) +
                      "\nlanes: " + std::to_string(lanes) +
                      "\ncolliding lanes: " + std::to_string(colliding.size());
    for (const std::string& lane : colliding) out += "\n  " + lane;
    return out + "\nseverity: " + std::string(name_of(severity())) + "\n";
}

Collisions find_collisions(const Settings& settings) {
    std::map<std::uint16_t, std::vector<std::string>> by_partition;
    for (const model::LaneId& lane : settings.lanes)
        by_partition[settings.partitioner.partition(lane, settings.partitions)].push_back(
            lane.text());
    Collisions found{.partitions = settings.partitions.num_flow_partitions(),
                     .lanes = settings.lanes.size()};
    for (const auto& [partition, lanes] : by_partition)
        if (lanes.size() > 1)
            found.colliding.insert(found.colliding.end(), lanes.begin(), lanes.end());
    return found;
}

int run_admin(const std::vector<std::string>& arguments, const Environment& environment) {
    if (arguments.size() != 1 || arguments.front() != kCommand) {
        std::fputs(misused(arguments).c_str(), stderr);
        return kUsageExitCode;
    }
    const Environment of_lanes = [&](std::string_view name) -> std::optional<std::string> {
        const bool wanted = name == "FF_LANES" || name == "FF_SOLO_PARTITION_OVERRIDES" ||
                            name.ends_with("_PARTITIONS");
        return wanted ? environment(name) : std::nullopt;
    };
    const Result<Settings> settings = Settings::read(of_lanes);
    if (!settings.has_value()) {
        std::fprintf(stderr, "flowfabric: %s\n", settings.error().text().c_str());
        return kUsageExitCode;
    }
    std::fputs(find_collisions(*settings).to_text().c_str(), stdout);
    return 0;
}

}  // namespace ff::app
