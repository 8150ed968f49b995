#pragma once

#include <cstdint>

namespace ff::testing {

/// A TCP port of 127.0.0.1 on which nobody listens. No other test process is given the same one
/// while this process lives; a stranger may still take it, so a server that cannot bind asks again.
std::uint16_t free_port();

/// The same for a cluster node, which also listens on its port plus kClusterBusOffset.
std::uint16_t free_cluster_port();

constexpr std::uint16_t kClusterBusOffset = 10'000;

}  // namespace ff::testing
