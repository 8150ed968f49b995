#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/create_execution.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "engine/steps.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_call_children`: creates children and gives the parent back until all of them have ended.
/// Their ids follow from parent and name.
struct CallChildren {
    static constexpr std::size_t kPerCallMax = 256;

    struct Outcome {
        bool replayed = false;
        /// All children had ended before: the parent can be claimed at once.
        bool eligible = false;
        std::string public_state{};
        /// Name and id, in the order of the call.
        std::vector<std::pair<std::string, model::ExecutionId>> children{};
    };

    struct Child {
        std::string name{};
        /// Kind, lane, priority, policy, payload and tags count; id and namespace follow from the
        /// parent.
        CreateExecution execution;
    };

    model::ExecutionId execution_id;
    Fence fence;
    /// Hands the outcome over instead of failing the parent with the first child that fails.
    bool continue_on_failure = false;
    std::vector<Child> children{};
    std::vector<Step> steps{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// How a called child stands.
struct CalledChild {
    std::string name{};
    std::string execution_id{};
    /// success, failed, cancelled, expired or skipped; empty of one that has not ended.
    std::string outcome{};
    Bytes result{};
    std::string result_encoding{};
    std::string failure_reason{};
    std::string failure_category{};

    static Result<CalledChild> read(std::string_view function, const store::Reply& item);
};

/// `ff_read_children`: a page of them, in the order of the calls.
struct ReadChildren {
    struct Outcome {
        std::vector<CalledChild> children{};
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
