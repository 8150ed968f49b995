#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/deadline.h"
#include "base/task.h"
#include "engine/fence.h"
#include "engine/stream.h"
#include "engine/stream_read.h"
#include "hub/entry_id.h"
#include "hub/feed_hub.h"
#include "hub/stream_hub.h"
#include "model/execution_id.h"
#include "service/context.h"
#include "service/records.h"

namespace ff::service {

/// The most payload that one answer carries, unless a single frame is larger.
constexpr std::int64_t kStreamAnswerBytesMax = std::int64_t{8} << 20;

struct FrameBatch {
    engine::StreamAddress stream;
    engine::Fence fence;
    std::vector<engine::Frame> frames{};
    /// What the execution's policy says if absent, or else durable.
    std::optional<engine::FrameMode> mode{};
    std::optional<Millis> best_effort_ttl{};
};

struct AppendedFrames {
    std::string first_id{};
    std::string last_id{};
    std::int64_t frame_count = 0;
    std::string summary_version{};
    std::int64_t duplicates = 0;
};

struct SummaryRequest {
    engine::StreamAddress stream;
    /// Waits for a later one, or for the end of the stream.
    std::optional<std::int64_t> after_version{};
    Deadline until = Deadline::after(Millis(0));
};

/// A place in the frames of all attempts: `<attempt_index>:<id>`.
struct MergedCursor {
    model::AttemptIndex attempt_index{};
    hub::EntryId id{};

    /// `invalid_cursor` if it is none.
    static Result<MergedCursor> parse(std::string_view text);
    std::string to_string() const;
};

struct MergedRequest {
    model::ExecutionId execution_id;
    bool latest_attempt_only = false;
    std::optional<MergedCursor> cursor{};
    std::int64_t limit = 100;
};

struct MergedFrame {
    model::AttemptIndex attempt_index{};
    engine::StreamEntry frame{};
};

struct MergedPage {
    std::vector<MergedFrame> frames{};
    MergedCursor next{};
    bool more = false;
    /// Of the highest attempt that has one.
    std::optional<engine::ReadSummary::Outcome> latest_summary{};
};

struct Ending {
    Standing standing{};
    bool timed_out = false;
};

/// What attempts put out, and when executions end. Lives on the context's loop, as the hubs do.
class Streams {
  public:
    Streams(const Context& context, hub::StreamHub& streams, hub::FeedHub& feeds);
    ~Streams();

    /// All frames or none; one frame in any mode, several in all but summary.
    Task<AppendedFrames> append(FrameBatch batch);
    Task<engine::AppendSystemFrame::Outcome> annotate(engine::AppendSystemFrame annotation);
    /// `attempt_not_found` beyond the next attempt, here and below.
    Task<engine::ReadAttemptStream::Outcome> read(engine::ReadAttemptStream request);
    Task<hub::TailPage> tail(hub::TailRequest request);
    /// A reader has been told that so many frames are gone.
    void note_lost(std::uint64_t frames);
    /// The stored metadata; `stream_not_found` of a stream nobody has opened.
    Task<RecordFields> info(engine::StreamAddress stream);
    Task<engine::ReadSummary::Outcome> summary(SummaryRequest request);
    Task<MergedPage> merged(MergedRequest request);
    /// initial, retry, ...; empty of an attempt that has not begun.
    Task<std::string> attempt_type(engine::StreamAddress stream);

    Task<Standing> standing(model::ExecutionId execution_id);
    /// Answers when the execution is terminal, or as it stands at the deadline or a stop.
    Task<Ending> wait_for_terminal(model::ExecutionId execution_id, Deadline until);

  private:
    struct Policy {
        engine::FrameMode mode = engine::FrameMode::Durable;
        std::optional<std::int64_t> frames_max{};
    };
    /// Policies do not change, so each is read once while it is remembered.
    Task<Policy> policy_of(model::ExecutionId execution_id);
    Task<AppendedFrames> append_one(FrameBatch batch, const Policy& policy, engine::FrameMode mode);
    Task<Done> require_attempt(engine::StreamAddress stream);
    Task<engine::ReadSummary::Outcome> await_summary(SummaryRequest request);
    Task<Done> merge_attempt(const MergedRequest& request, MergedPage& page);
    Task<std::optional<engine::ReadSummary::Outcome>> latest_summary(
        model::ExecutionId execution_id, std::int64_t attempts);

    Context context_;
    hub::StreamHub& streams_;
    hub::FeedHub& feeds_;
    std::unordered_map<model::ExecutionId, Policy> policies_{};
    /// In the order of their coming, to forget the oldest.
    std::deque<model::ExecutionId> remembered_{};
};

}  // namespace ff::service
