#include "service/streams.h"

#include <algorithm>
#include <utility>

#include "engine/operation.h"
#include "hub/feed_event.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "model/execution_policy.h"

namespace ff::service {
namespace {

constexpr std::size_t kPoliciesMost = 4096;
constexpr std::int64_t kWaitPage = 64;

engine::FrameMode mode_of(std::string_view text) {
    if (text == "summary") return engine::FrameMode::Summary;
    return text == "best_effort" ? engine::FrameMode::BestEffort : engine::FrameMode::Durable;
}

/// What tells producers apart and is nobody else's business.
bool is_private(std::string_view field) {
    return field.starts_with("last_client_");
}

bool has_summary_delta(const hub::TailPage& page) {
    return std::ranges::any_of(page.frames(), [](const engine::StreamEntry& frame) {
        return std::ranges::any_of(frame.fields, [](const auto& field) {
            return field.first == "mode" && field.second == "summary";
        });
    });
}

}  // namespace

Streams::Streams(const Context& context, hub::StreamHub& streams, hub::FeedHub& feeds)
    : context_(context), streams_(streams), feeds_(feeds) {}

Streams::~Streams() = default;

Task<Streams::Policy> Streams::policy_of(model::ExecutionId execution_id) {
    const auto known = policies_.find(execution_id);
    if (known != policies_.end()) co_return known->second;
    const std::string key = model::ExecKeys(execution_id).policy();
    store::Call call = store::plain({"GET", key}, true);
    FF_CO_TRY(const store::Reply text, co_await context_.store.call(std::move(call)));
    Policy policy;
    const auto parsed = model::ExecutionPolicy::parse(text.text().value_or(""));
    if (parsed.has_value() && parsed->stream_policy) {
        policy.mode = mode_of(parsed->stream_policy->frame_mode());
        policy.frames_max = parsed->stream_policy->retention_maxlen;
    }
    if (!policies_.try_emplace(execution_id, policy).second) co_return policy;
    remembered_.push_back(execution_id);
    if (remembered_.size() > kPoliciesMost) {
        policies_.erase(remembered_.front());
        remembered_.pop_front();
    }
    co_return policy;
}

Task<AppendedFrames> Streams::append(FrameBatch batch) {
    FF_CO_TRY(const Policy policy, co_await policy_of(batch.stream.execution_id));
    const engine::FrameMode mode = batch.mode.value_or(policy.mode);
    if (batch.frames.size() == 1) co_return co_await append_one(std::move(batch), policy, mode);
    if (mode == engine::FrameMode::Summary)
        co_return invalid_input("frames", "mode summary takes exactly one");
    engine::AppendFrames append{
        .stream = batch.stream,
        .fence = batch.fence,
        .frames = std::move(batch.frames),
        .mode = mode,
        .limits = {.frames_max = policy.frames_max, .best_effort_ttl = batch.best_effort_ttl}};
    FF_CO_TRY(engine::AppendFrames::Outcome outcome,
              co_await engine::run(context_.store, std::move(append)));
    co_return AppendedFrames{.first_id = std::move(outcome.first_id),
                             .last_id = std::move(outcome.last_id),
                             .frame_count = outcome.frame_count,
                             .duplicates = outcome.skipped};
}

Task<AppendedFrames> Streams::append_one(FrameBatch batch, const Policy& policy,
                                         engine::FrameMode mode) {
    engine::AppendFrame append{
        .stream = batch.stream,
        .fence = batch.fence,
        .frame = std::move(batch.frames.front()),
        .mode = mode,
        .limits = {.frames_max = policy.frames_max, .best_effort_ttl = batch.best_effort_ttl}};
    FF_CO_TRY(engine::AppendFrame::Outcome outcome,
              co_await engine::run(context_.store, std::move(append)));
    co_return AppendedFrames{.first_id = outcome.entry_id,
                             .last_id = outcome.entry_id,
                             .frame_count = outcome.frame_count,
                             .summary_version = std::move(outcome.summary_version),
                             .duplicates = outcome.duplicate ? 1 : 0};
}

Task<engine::AppendSystemFrame::Outcome> Streams::annotate(engine::AppendSystemFrame annotation) {
    return engine::run(context_.store, std::move(annotation));
}

Task<Done> Streams::require_attempt(engine::StreamAddress stream) {
    FF_CO_TRY(const Standing now, co_await standing_of(context_.store, stream.execution_id));
    if (std::cmp_greater(stream.attempt_index.value, now.total_attempts))
        co_return model::make_error("attempt_not_found");
    co_return Done{};
}

Task<engine::ReadAttemptStream::Outcome> Streams::read(engine::ReadAttemptStream request) {
    const engine::StreamAddress stream = request.stream;
    if (!request.bytes_max) request.bytes_max = kStreamAnswerBytesMax;
    FF_CO_TRY(engine::ReadAttemptStream::Outcome page,
              co_await engine::run(context_.store, std::move(request)));
    if (!page.exists) FF_CO_CHECK(co_await require_attempt(stream));
    co_return page;
}

void Streams::note_lost(std::uint64_t frames) {
    streams_.note_lost(frames);
}

Task<hub::TailPage> Streams::tail(hub::TailRequest request) {
    const engine::StreamAddress stream = request.stream;
    FF_CO_TRY(hub::TailPage page, co_await streams_.tail(std::move(request)));
    if (!page.read->exists) FF_CO_CHECK(co_await require_attempt(stream));
    co_return page;
}

Task<RecordFields> Streams::info(engine::StreamAddress stream) {
    FF_CO_CHECK(co_await require_attempt(stream));
    const model::ExecKeys keys(stream.execution_id);
    store::Call call = store::plain({"HGETALL", keys.stream_meta(stream.attempt_index)}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    RecordFields fields = fields_of(reply);
    if (fields.empty()) co_return model::make_error("stream_not_found");
    std::erase_if(fields, [](const auto& field) { return is_private(field.first); });
    co_return fields;
}

Task<engine::ReadSummary::Outcome> Streams::summary(SummaryRequest request) {
    if (request.after_version && !request.until.passed())
        co_return co_await await_summary(std::move(request));
    const engine::ReadSummary read{.stream = request.stream};
    FF_CO_TRY(engine::ReadSummary::Outcome summary, co_await engine::run(context_.store, read));
    if (summary.version == 0) FF_CO_CHECK(co_await require_attempt(request.stream));
    co_return summary;
}

/// The place in the stream is taken before the document is read, so that no delta in between is
/// slept through.
Task<engine::ReadSummary::Outcome> Streams::await_summary(SummaryRequest request) {
    const engine::OpenStream open{.stream = request.stream};
    FF_CO_TRY(const engine::StreamState state, co_await engine::run(context_.store, open));
    hub::TailRequest tail{.stream = request.stream,
                          .after = state.last_sequence.empty() ? "0-0" : state.last_sequence,
                          .until = request.until,
                          .count_max = kWaitPage};
    const engine::ReadSummary read{.stream = request.stream};
    bool last_look = state.closed();
    while (true) {
        FF_CO_TRY(engine::ReadSummary::Outcome summary, co_await engine::run(context_.store, read));
        const bool later = summary.version > *request.after_version;
        if (later || summary.closed_at || last_look) co_return summary;
        while (true) {
            hub::TailRequest again = tail;
            FF_CO_TRY(const hub::TailPage page, co_await streams_.tail(std::move(again)));
            tail.after = page.next;
            last_look = page.ended() || page.stopped || request.until.passed();
            if (last_look || has_summary_delta(page)) break;
        }
    }
}

Task<std::string> Streams::attempt_type(engine::StreamAddress stream) {
    const model::ExecKeys keys(stream.execution_id);
    store::Call call =
        store::plain({"HGET", keys.attempt(stream.attempt_index), "attempt_type"}, true);
    FF_CO_TRY(const store::Reply type, co_await context_.store.call(std::move(call)));
    co_return std::string(type.text().value_or(""));
}

Task<Standing> Streams::standing(model::ExecutionId execution_id) {
    return standing_of(context_.store, execution_id);
}

Task<Ending> Streams::wait_for_terminal(model::ExecutionId execution_id, Deadline until) {
    FF_CO_TRY(Standing standing, co_await standing_of(context_.store, execution_id));
    if (standing.terminal()) co_return Ending{.standing = std::move(standing)};
    if (until.passed()) co_return Ending{.standing = std::move(standing), .timed_out = true};
    const hub::FeedFilter filter{.families = {hub::FeedFamily::Completion},
                                 .execution_id = execution_id};
    FF_CO_TRY(hub::FeedCursor now, co_await feeds_.now(filter));
    hub::FeedSubscription subscription(filter, std::move(now));
    bool waits = true;
    while (true) {
        FF_CO_TRY(standing, co_await standing_of(context_.store, execution_id));
        if (standing.terminal()) co_return Ending{.standing = std::move(standing)};
        if (!waits) co_return Ending{.standing = std::move(standing), .timed_out = true};
        FF_CO_TRY(const hub::FeedPage page, co_await feeds_.next(subscription, 1, until));
        waits = !page.stopped && !until.passed();
    }
}

}  // namespace ff::service
