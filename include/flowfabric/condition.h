#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flowfabric/json.h"
#include "flowfabric/result.h"

namespace flowfabric {

/// Which signals count. What is empty is not asked for.
struct SignalMatch {
    /// Empty: any name.
    std::string name{};
    std::string source_type{};
    std::string category{};
    std::string correlation_id{};
};

/// When a suspended task goes on, as a tree:
///
///     all_of({Condition::single("legal", {"approved"}),
///             Condition::count(2).distinct_sources().with_matcher({"approved"}).on("board")})
///
/// Every waitpoint key in it must be a waitpoint of the suspension, and the other way round.
class Condition {
  public:
    /// A matching signal at that waitpoint.
    static Condition single(std::string waitpoint_key, SignalMatch match = {});
    /// Every member; none is refused when suspending.
    static Condition all_of(std::vector<Condition> members);
    /// At least one signal at each waitpoint.
    static Condition all_of_waitpoints(const std::vector<std::string>& keys);
    /// At least one signal at any of them.
    static Condition any_of_waitpoints(std::vector<std::string> keys);
    /// So many, of different waitpoints unless told otherwise; needs on().
    static Condition count(std::int64_t n);
    /// Never by a signal: an operator or the timeout must end it.
    static Condition never_by_signal();

    // After count().
    Condition distinct_waitpoints() && { return std::move(*this).counting("DistinctWaitpoints"); }
    Condition distinct_signals() && { return std::move(*this).counting("DistinctSignals"); }
    /// A source is a pair of source type and source identity.
    Condition distinct_sources() && { return std::move(*this).counting("DistinctSources"); }
    Condition with_matcher(const SignalMatch& match) &&;
    Condition on(std::string waitpoint_key) && {
        return std::move(*this).on(std::vector<std::string>{std::move(waitpoint_key)});
    }
    Condition on(std::vector<std::string> waitpoint_keys) &&;

    /// What is wrong with it, before anybody is asked: `invalid_resume_condition` with the detail
    /// and the path of chapter 03 section 4.2.
    Result<Done> check() const;
    /// The condition document of a suspension.
    Json json() const;
    /// Every waitpoint key in it, once.
    std::vector<std::string> waitpoint_keys() const;

  private:
    explicit Condition(Json node) : node_(std::move(node)) {}
    Condition counting(const char* kind) &&;
    Json node_;
};

/// How a task goes on once its condition is met.
struct ResumePolicy {
    /// From the condition to the queue.
    Millis delay{0};
    /// Marks the signals that met it as used.
    bool consume_matched_signals = true;

    Json json() const;
};

}  // namespace flowfabric
