#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/result.h"

namespace flowfabric {

/// Stands around every call of a client, a worker or an engine: may refuse it before anything is
/// sent, and sees how it ended. Layers hold no truth: leases, tokens and limits are decided by the
/// engine. Called by any thread.
class Layer {
  public:
    virtual ~Layer() = default;
    /// `method` is the operation, such as `create_execution` or `claim`. An Error refuses the call.
    virtual std::optional<Error> before(std::string_view method) = 0;
    /// `failure` is null after a success. Not called when a layer further out has refused, nor for
    /// the layer that refused itself.
    virtual void after(std::string_view method, std::chrono::microseconds elapsed,
                       const Error* failure) = 0;
};

using Layers = std::vector<std::shared_ptr<Layer>>;

/// One line per call.
enum class TraceLevel : std::uint8_t { Info, Debug };
std::shared_ptr<Layer> tracing_layer(TraceLevel level = TraceLevel::Info);

/// `outcome` is `ok` or the category of the failure: not_found, validation, contention, conflict,
/// state, bug, transport, unavailable, resource_exhausted, timeout.
using MetricsSink = std::function<void(std::string_view method, std::chrono::microseconds elapsed,
                                       std::string_view outcome)>;
std::shared_ptr<Layer> metrics_layer(MetricsSink sink);
/// The category that metrics_layer reports.
std::string_view outcome_category(const Error& error);

using SteadyNow = std::function<std::chrono::steady_clock::time_point()>;

struct Bucket {
    double tokens = 100;
    double refill_per_second = 100;
};
struct RateLimits {
    /// By key; a key without a bucket is not limited.
    std::map<std::string, Bucket> buckets{};
    /// Which bucket a method takes from; all take from `default` unless told otherwise.
    std::function<std::string(std::string_view method)> classify{};
    SteadyNow now{};
};
/// Refuses with `too_many_requests`, which is retryable, before anything is sent.
std::shared_ptr<Layer> rate_limit_layer(RateLimits limits);

struct BreakerOptions {
    int failures = 5;
    Millis open_for{30'000};
    SteadyNow now{};
};
/// Opens after so many transport errors in a row, refuses for a while without a call, then lets
/// exactly one through: any answer closes it, a transport error opens it again.
std::shared_ptr<Layer> circuit_breaker_layer(BreakerOptions options = {});

}  // namespace flowfabric
