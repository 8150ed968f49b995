#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// A named result that belongs to an execution and outlives its attempts (spec 02, section 7.14).
struct Step {
    /// As many as one call may record.
    static constexpr std::size_t kPerCallMax = 64;

    std::string name{};
    Bytes value{};
    std::string encoding{};

    friend bool operator==(const Step&, const Step&) = default;
};

/// step_count, then name, value and encoding of each.
void write_steps(CallWriter& to, const std::vector<Step>& steps);
/// The same at the end of a call that may do without.
void write_steps_if_any(CallWriter& to, const std::vector<Step>& steps);

/// `ff_record_steps`: the first value of a name stays.
struct RecordSteps {
    struct Answer {
        /// Of a duplicate with the value that stays; of the others with their name only.
        Step step{};
        bool duplicate = false;
    };
    using Outcome = std::vector<Answer>;

    model::ExecutionId execution_id;
    Fence fence;
    std::vector<Step> steps{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

struct RecordedStep {
    Step step{};
    model::AttemptIndex attempt_index{};
    Timestamp recorded_at{};
};

/// `ff_read_steps`: a page of them, in the order of writing.
struct ReadSteps {
    struct Outcome {
        std::vector<RecordedStep> steps{};
        std::int64_t count = 0;
        /// Where the next page begins; nothing at the end.
        std::optional<std::int64_t> next{};
    };

    model::ExecutionId execution_id;
    std::int64_t first = 0;
    std::int64_t limit = 100;
    std::optional<std::int64_t> bytes_max{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
