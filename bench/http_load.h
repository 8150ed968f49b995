#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ff::bench {

/// What one request of a load is, asked for before it is sent; the answer to the one before on the
/// same connection is given, so that a worker can go on with what it got.
using NextRequest = std::function<std::string(std::size_t connection, const std::string& answer)>;

struct Load {
    std::uint16_t port = 0;
    std::size_t connections = 64;
    std::chrono::milliseconds duration{2000};
    NextRequest next{};
};

struct LoadResult {
    std::size_t answered = 0;
    /// Answers other than 2xx.
    std::size_t refused = 0;
    double seconds = 0;
    /// Of each answer, in the order of their arrival.
    std::vector<double> latencies_us{};

    double per_second() const { return static_cast<double>(answered) / seconds; }
    double percentile_us(double percent) const;
};

/// Keeps one request under way on every connection, from one thread with epoll: the runner shares
/// the machine with the server and must cost little. Throws when a connection breaks.
LoadResult run_load(const Load& load);

/// A request with a JSON body, kept alive.
std::string http_request(std::string_view method, std::string_view target, std::string_view body);

}  // namespace ff::bench
