// The frames of all attempts of an execution as one sequence.
#include <algorithm>
#include <utility>

#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "service/streams.h"

namespace ff::service {
namespace {

/// Summaries of so many attempts are asked for at once.
constexpr std::int64_t kSummariesAtOnce = 16;

std::int64_t bytes_of(const engine::StreamEntry& frame) {
    std::int64_t bytes = 0;
    for (const auto& [name, value] : frame.fields) bytes += std::ssize(value);
    return bytes;
}

std::int64_t bytes_of(const MergedPage& page) {
    std::int64_t bytes = 0;
    for (const MergedFrame& frame : page.frames) bytes += bytes_of(frame.frame);
    return bytes;
}

}  // namespace

Result<MergedCursor> MergedCursor::parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return model::make_error("invalid_cursor");
    const auto index = model::AttemptIndex::parse(text.substr(0, colon));
    const auto id = hub::EntryId::parse(text.substr(colon + 1));
    if (!index.has_value() || !id) return model::make_error("invalid_cursor");
    return MergedCursor{.attempt_index = *index, .id = *id};
}

std::string MergedCursor::to_string() const {
    return attempt_index.to_string() + ":" + id.to_string();
}

Task<MergedPage> Streams::merged(MergedRequest request) {
    FF_CO_TRY(const Standing now, co_await standing_of(context_.store, request.execution_id));
    const std::int64_t attempts = now.total_attempts;
    MergedPage page;
    if (request.cursor) page.next = *request.cursor;
    if (request.latest_attempt_only && attempts > page.next.attempt_index.value + 1)
        page.next = {.attempt_index = {static_cast<std::uint32_t>(attempts - 1)}};
    while (std::cmp_less(page.next.attempt_index.value, attempts)) {
        FF_CO_CHECK(co_await merge_attempt(request, page));
        const bool full =
            std::ssize(page.frames) >= request.limit || bytes_of(page) >= kStreamAnswerBytesMax;
        const bool last = std::cmp_greater_equal(page.next.attempt_index.value + 1, attempts);
        page.more = page.more || (full && !last);
        if (full || page.more || last) break;
        page.next = {.attempt_index = {page.next.attempt_index.value + 1}};
    }
    FF_CO_TRY(page.latest_summary, co_await latest_summary(request.execution_id, attempts));
    co_return page;
}

Task<Done> Streams::merge_attempt(const MergedRequest& request, MergedPage& page) {
    const model::AttemptIndex index = page.next.attempt_index;
    engine::ReadAttemptStream read{
        .stream = {.execution_id = request.execution_id, .attempt_index = index},
        .from_id = "(" + page.next.id.to_string(),
        .count_max = request.limit - std::ssize(page.frames),
        .bytes_max = std::max<std::int64_t>(kStreamAnswerBytesMax - bytes_of(page), 1)};
    FF_CO_TRY(engine::ReadAttemptStream::Outcome found,
              co_await engine::run(context_.store, std::move(read)));
    for (engine::StreamEntry& frame : found.entries)
        page.frames.push_back({.attempt_index = index, .frame = std::move(frame)});
    if (const auto next = hub::EntryId::parse(found.next_id)) page.next.id = *next;
    page.more = found.more;
    co_return Done{};
}

Task<std::optional<engine::ReadSummary::Outcome>> Streams::latest_summary(
    model::ExecutionId execution_id, std::int64_t attempts) {
    for (std::int64_t end = attempts; end > 0; end -= kSummariesAtOnce) {
        std::vector<engine::ReadSummary> reads;
        for (std::int64_t i = end - 1; i >= std::max<std::int64_t>(end - kSummariesAtOnce, 0); --i)
            reads.push_back({.stream = {.execution_id = execution_id,
                                        .attempt_index = {static_cast<std::uint32_t>(i)}}});
        auto summaries = co_await engine::run_all(context_.store, std::move(reads));
        for (auto& summary : summaries) {
            if (!summary.has_value()) co_return std::move(summary).error();
            if (summary->version > 0) co_return std::optional(*std::move(summary));
        }
    }
    co_return std::optional<engine::ReadSummary::Outcome>();
}

}  // namespace ff::service
