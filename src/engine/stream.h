#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// The attempt whose stream is meant.
struct StreamAddress {
    model::ExecutionId execution_id;
    model::AttemptIndex attempt_index{};
};

enum class FrameMode : std::uint8_t { Durable, Summary, BestEffort };
std::string_view to_string(FrameMode mode);

/// What bounds a stream; absent values are the library's defaults.
struct StreamLimits {
    std::optional<std::int64_t> frames_max{};
    std::optional<std::int64_t> payload_bytes_max{};
    std::optional<std::int64_t> stream_bytes_max{};
    /// How long best-effort frames stay readable; required for that mode.
    std::optional<Millis> best_effort_ttl{};
};

struct Frame {
    std::string type{};
    std::optional<Timestamp> ts{};
    Bytes payload{};
    std::string encoding{};
    std::string correlation_id{};
    /// Makes a repeated append count once.
    std::optional<std::int64_t> seq{};
};

/// `ff_append_frame`: one frame, in any mode.
struct AppendFrame {
    struct Outcome {
        bool duplicate = false;
        std::string entry_id{};
        std::int64_t frame_count = 0;
        std::string summary_version{};  // of mode Summary
    };

    StreamAddress stream;
    Fence fence;
    Frame frame{};
    FrameMode mode = FrameMode::Durable;
    std::string source{};
    StreamLimits limits{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return frame.seq.has_value(); }
};

/// `ff_append_frames`: up to 256 frames, all or none.
struct AppendFrames {
    struct Outcome {
        std::int64_t appended = 0;
        std::int64_t skipped = 0;
        std::string first_id{};
        std::string last_id{};
        std::int64_t frame_count = 0;
    };

    StreamAddress stream;
    Fence fence;
    std::vector<Frame> frames{};
    FrameMode mode = FrameMode::Durable;
    std::string source{};
    StreamLimits limits{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const;
};

/// `ff_append_system_frame`: an annotation of an operator, without a lease.
struct AppendSystemFrame {
    struct Outcome {
        std::string entry_id{};
        std::int64_t frame_count = 0;
    };

    StreamAddress stream;
    Frame frame{};
    /// `system` or `operator`.
    std::string source = "operator";

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

}  // namespace ff::engine
