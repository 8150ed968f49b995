#include "engine/complete_and_claim.h"

#include "engine/fence_arguments.h"

namespace ff::engine {
namespace {

constexpr std::string_view kFunction = "ff_complete_and_claim";
// What a call takes roughly, so that its memory is allocated once.
constexpr std::size_t kClaimBytes = 1024;
constexpr std::size_t kClaimArguments = 30;
constexpr std::size_t kCompletionBytes = 160;
constexpr std::size_t kCompletionArguments = 6;
constexpr std::size_t kLeaseBytes = 72;
constexpr std::size_t kLeaseArguments = 2;

}  // namespace

void CompleteAndClaim::write(CallWriter& to) const {
    to.begin(kFunction, 1);
    std::size_t bytes = claim.leases.size() * kLeaseBytes;
    for (const CompleteExecution& completion : completions)
        bytes += kCompletionBytes + completion.result.size();
    to.expect(kClaimBytes + bytes, kClaimArguments + completions.size() * kCompletionArguments +
                                       claim.leases.size() * kLeaseArguments);
    claim.write_keys(to);
    to.arg("complete_count", static_cast<std::int64_t>(completions.size()));
    for (const CompleteExecution& completion : completions) {
        to.arg("execution_id", completion.execution_id);
        write_fence(to, completion.fence);
        to.arg("result_payload", completion.result);
        to.arg("result_encoding", completion.result_encoding);
    }
    if (!complete_only) claim.write_arguments(to);
}

Result<CompleteAndClaim::Outcome> CompleteAndClaim::read(store::Reply&& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kFunction, reply));
    FF_TRY(const auto items, reader.items(3, "items"));
    if (items.size() != completions.size()) return reader.fault("items");
    Outcome outcome;
    outcome.completed.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        outcome.completed.push_back(completions[i].read_item(kFunction, items[i]));
    }
    if (complete_only) return outcome;
    if (reader.size() < 4) return reader.fault("claim_reply");
    outcome.claimed = claim.read(std::move(reply.mutable_items()[3]));
    return outcome;
}

}  // namespace ff::engine
