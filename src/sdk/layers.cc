#include "flowfabric/layers.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/log.h"

namespace flowfabric {
namespace {

using std::chrono::microseconds;
using Time = std::chrono::steady_clock::time_point;

SteadyNow or_real(SteadyNow now) {
    return now ? std::move(now) : [] { return std::chrono::steady_clock::now(); };
}

/// No answer came, or the store gave none.
bool is_transport(const Error& error) {
    return error.code == "http" || error.code == "storage_error" || error.code == "library_load";
}

class Tracing final : public Layer {
  public:
    explicit Tracing(TraceLevel level) : level_(level) {}
    std::optional<Error> before(std::string_view) override { return std::nullopt; }
    void after(std::string_view method, microseconds elapsed, const Error* failure) override {
        const ff::log::Fields fields{{"method", method},
                                     {"us", elapsed.count()},
                                     {"ok", failure == nullptr},
                                     {"code", failure == nullptr ? "" : failure->code}};
        ff::log::write(level_ == TraceLevel::Info ? ff::log::Level::Info : ff::log::Level::Debug,
                       "sdk", "call", fields);
    }

  private:
    TraceLevel level_;
};

class Metrics final : public Layer {
  public:
    explicit Metrics(MetricsSink sink) : sink_(std::move(sink)) {}
    std::optional<Error> before(std::string_view) override { return std::nullopt; }
    void after(std::string_view method, microseconds elapsed, const Error* failure) override {
        sink_(method, elapsed, failure == nullptr ? "ok" : outcome_category(*failure));
    }

  private:
    MetricsSink sink_;
};

class RateLimit final : public Layer {
  public:
    explicit RateLimit(RateLimits limits) : limits_(std::move(limits)), now_(or_real(limits_.now)) {
        if (limits_.buckets.empty()) limits_.buckets["default"] = {};
        for (const auto& [key, bucket] : limits_.buckets)
            levels_[key] = {.tokens = bucket.tokens, .at = now_()};
    }

    std::optional<Error> before(std::string_view method) override {
        const std::string key = limits_.classify ? limits_.classify(method) : "default";
        const auto bucket = limits_.buckets.find(key);
        if (bucket == limits_.buckets.end()) return std::nullopt;
        const std::lock_guard lock(mutex_);
        Level& level = levels_[key];
        const Time now = now_();
        const std::chrono::duration<double> since = now - level.at;
        level.tokens = std::min(bucket->second.tokens,
                                level.tokens + since.count() * bucket->second.refill_per_second);
        level.at = now;
        if (level.tokens < 1) {
            return Error{.code = "too_many_requests",
                         .cls = ErrorClass::Retryable,
                         .kind = "local_rate_limit",
                         .message = "the rate limit of this process holds " + std::string(method)};
        }
        level.tokens -= 1;
        return std::nullopt;
    }
    void after(std::string_view, microseconds, const Error*) override {}

  private:
    struct Level {
        double tokens = 0;
        Time at{};
    };
    RateLimits limits_;
    SteadyNow now_;
    std::mutex mutex_{};
    std::map<std::string, Level> levels_{};
};

class CircuitBreaker final : public Layer {
  public:
    explicit CircuitBreaker(BreakerOptions options)
        : options_(std::move(options)), now_(or_real(options_.now)) {}

    std::optional<Error> before(std::string_view method) override {
        const std::lock_guard lock(mutex_);
        if (!open_) return std::nullopt;
        const Time now = now_();
        // A trial that never came back gives its place up after as long as the breaker is open.
        const bool trial_lost = trying_ && now - tried_at_ >= options_.open_for;
        if (now < open_until_ || (trying_ && !trial_lost)) return refusal(method);
        trying_ = true;
        tried_at_ = now;
        return std::nullopt;
    }

    void after(std::string_view, microseconds, const Error* failure) override {
        const std::lock_guard lock(mutex_);
        const bool transport = failure != nullptr && is_transport(*failure);
        if (!transport) {
            // A refusal proves that somebody is there, but does not forget earlier failures.
            if (trying_) close();
            if (failure == nullptr) failures_ = 0;
            return;
        }
        ++failures_;
        if (!trying_ && failures_ < options_.failures) return;
        open_ = true;
        trying_ = false;
        open_until_ = now_() + options_.open_for;
    }

  private:
    static Error refusal(std::string_view method) {
        return {.code = "storage_error",
                .cls = ErrorClass::Retryable,
                .kind = "local_circuit_open",
                .message = "not sent, after repeated failures: " + std::string(method)};
    }
    void close() {
        open_ = false;
        trying_ = false;
        failures_ = 0;
    }

    BreakerOptions options_;
    SteadyNow now_;
    std::mutex mutex_{};
    int failures_ = 0;
    bool open_ = false;
    bool trying_ = false;
    Time open_until_{};
    Time tried_at_{};
};

bool is_conflict(std::string_view code) {
    return code.ends_with("_conflict") || code.ends_with("_already_exists") ||
           code.starts_with("duplicate_") || code == "namespace_mismatch";
}

}  // namespace

std::string_view outcome_category(const Error& error) {
    if (error.kind == "timeout") return "timeout";
    if (is_transport(error)) return "transport";
    if (error.code == "shutting_down") return "unavailable";
    if (error.cls == ErrorClass::Bug || error.code == "internal") return "bug";
    if (error.code == "too_many_requests" || error.code == "worker_at_capacity" ||
        error.code.ends_with("_limit_exceeded") || error.code == "budget_exceeded")
        return "resource_exhausted";
    if (error.status == 404 || error.code.ends_with("_not_found")) return "not_found";
    if (is_conflict(error.code)) return "conflict";
    if (error.cls == ErrorClass::Retryable) return "contention";
    if (error.code.starts_with("invalid_") || error.code == "config" || error.status == 400)
        return "validation";
    return "state";
}

std::shared_ptr<Layer> tracing_layer(TraceLevel level) {
    return std::make_shared<Tracing>(level);
}
std::shared_ptr<Layer> metrics_layer(MetricsSink sink) {
    return std::make_shared<Metrics>(std::move(sink));
}
std::shared_ptr<Layer> rate_limit_layer(RateLimits limits) {
    return std::make_shared<RateLimit>(std::move(limits));
}
std::shared_ptr<Layer> circuit_breaker_layer(BreakerOptions options) {
    return std::make_shared<CircuitBreaker>(std::move(options));
}

}  // namespace flowfabric
