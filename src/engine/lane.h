#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/ids.h"

namespace ff::engine {

/// `ff_set_lane`: what is absent stays.
struct SetLane {
    struct Outcome {
        /// After the change.
        std::string state{};
    };

    model::LaneId lane;
    std::optional<std::string> state{};
    std::optional<std::int64_t> scheduling_weight{};
    std::optional<std::int64_t> default_priority{};
    std::optional<std::string> default_policy_json{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_delete_lane`: forgets the configuration of a disabled lane; `lane_in_use` while it is not.
/// The outcome says whether there was one.
struct DeleteLane {
    using Outcome = bool;

    model::LaneId lane;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
