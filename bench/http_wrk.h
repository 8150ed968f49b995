#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ff::bench {

/// What wrk measured: a load generator that shares nothing with ours.
struct WrkResult {
    double per_second = 0;
    double p50_us = 0;
    double p99_us = 0;
    /// Answers other than 2xx and 3xx.
    double refused = 0;
};

struct WrkLoad {
    std::uint16_t port = 0;
    std::string target{};
    std::size_t connections = 64;
    std::chrono::milliseconds duration{3000};
    /// A script of wrk that makes the requests; empty for plain GET.
    std::string script{};
};

/// Throws when wrk is not installed or answers otherwise than expected.
WrkResult run_wrk(const WrkLoad& load);

/// The figures of wrk's output; throws when one is missing.
WrkResult read_wrk(const std::string& output);

}  // namespace ff::bench
