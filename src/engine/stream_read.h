#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "engine/stream.h"

namespace ff::engine {

/// How a stream stands.
struct StreamState {
    std::optional<Timestamp> closed_at{};
    std::string closed_reason{};
    std::string last_sequence{};
    std::int64_t frame_count = 0;

    bool closed() const { return closed_at.has_value(); }
};

/// `ff_open_stream`: registers interest before the first frame, so that a close is told.
struct OpenStream {
    using Outcome = StreamState;

    StreamAddress stream;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

struct StreamEntry {
    std::string id{};
    std::vector<std::pair<std::string, Bytes>> fields{};
};

/// `ff_read_attempt_stream`: a range of frames.
struct ReadAttemptStream {
    struct Outcome {
        std::vector<StreamEntry> entries{};
        StreamState state{};
        /// False: nobody has opened this stream.
        bool exists = false;
        /// Where to go on, exclusively; empty if nothing was examined.
        std::string next_id{};
        bool more = false;
    };

    StreamAddress stream;
    std::string from_id{};
    std::string to_id{};
    std::int64_t count_max = 100;
    bool exclude_best_effort = false;
    std::string frame_types_csv{};
    std::optional<std::int64_t> bytes_max{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_read_summary`.
struct ReadSummary {
    struct Outcome {
        std::string document{};  // empty: none yet
        std::int64_t version = 0;
        std::string patch_kind{};
        Timestamp last_updated{};
        Timestamp first_applied{};
        std::optional<Timestamp> closed_at{};
        std::string closed_reason{};
    };

    StreamAddress stream;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
