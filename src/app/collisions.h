#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/settings.h"

namespace ff::app {

/// Lanes that share their solo partition with another, and how bad that is.
struct Collisions {
    enum class Severity : std::uint8_t { Clean, Watch, Elevated, Remediate };

    std::uint16_t partitions = 0;
    std::size_t lanes = 0;
    std::vector<std::string> colliding{};

    Severity severity() const;
    std::string to_text() const;
};

Collisions find_collisions(const Settings& settings);

/// `flowfabric admin partition-collisions`: needs only FF_LANES and the partition counts. Returns
/// the exit code; 2 for what it does not understand.
int run_admin(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace ff::app
