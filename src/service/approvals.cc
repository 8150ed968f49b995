#include "service/approvals.h"

#include <utility>

#include "base/log.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"
#include "service/merged_index.h"

namespace ff::service {
namespace {

/// Pages of the index that are read to fill one answer, when a namespace lets few pass.
constexpr int kReadsMost = 4;

std::vector<std::uint16_t> all_partitions(const model::PartitionConfig& config) {
    std::vector<std::uint16_t> partitions;
    for (std::uint32_t p = 0; p < config.num_flow_partitions(); ++p)
        partitions.push_back(static_cast<std::uint16_t>(p));
    return partitions;
}

}  // namespace

/// Nothing where nobody is asked any more: the index is a hint.
Task<std::optional<WaitingApproval>> Approvals::read(model::ExecutionId id) {
    const model::ExecKeys keys(id);
    std::vector<store::Call> calls;
    calls.push_back(execution_info_call(id));
    calls.push_back(store::plain({"HGET", keys.core(), "current_waitpoint_id"}, true));
    auto replies = co_await context_.store.pipeline(std::move(calls));
    for (auto& reply : replies)
        if (!reply.has_value()) co_return std::move(reply).error();
    FF_CO_TRY(std::optional<ExecutionInfo> info, read_execution_info(id, *replies[0]));
    const auto waitpoint = model::WaitpointId::parse(replies[1]->text().value_or(""));
    if (!info || !waitpoint.has_value()) co_return std::optional<WaitingApproval>();
    std::vector<model::WaitpointId> ids{*waitpoint};
    FF_CO_TRY(std::vector<hub::OpenWaitpoint> open, co_await waitpoints_.look(id, std::move(ids)));
    if (open.empty() || open.front().state != "active" || !open.front().question)
        co_return std::optional<WaitingApproval>();
    co_return std::optional(
        WaitingApproval{.execution = *std::move(info), .waitpoint = std::move(open.front())});
}

Task<ApprovalPage> Approvals::list(ApprovalQuery query) {
    FF_CO_TRY(std::optional<IndexPlace> place, place_of(query.cursor));
    MergedIndex index(context_.store, [](std::uint16_t partition) {
        return model::IndexKeys(partition).approvals();
    });
    ApprovalPage page;
    for (int reads = 0; reads < kReadsMost; ++reads) {
        std::vector<std::uint16_t> partitions = all_partitions(context_.rules.partitions);
        const std::size_t missing = query.limit - page.approvals.size();
        FF_CO_TRY(const std::vector<Scored> members,
                  co_await index.next(place, std::move(partitions), missing));
        for (const Scored& one : members) {
            place = IndexPlace{.score = one.score, .member = one.member};
            const auto id = model::ExecutionId::parse(one.member);
            if (!id) {
                log::warn("service", "index_member_skipped", {{"member", one.member}});
                continue;
            }
            FF_CO_TRY(std::optional<WaitingApproval> waiting, co_await read(*id));
            const bool wanted = waiting && (!query.ns || waiting->execution.ns == query.ns->text());
            if (wanted) page.approvals.push_back(*std::move(waiting));
        }
        if (members.size() < missing) co_return page;
        if (page.approvals.size() == query.limit) break;
    }
    if (place) page.next_cursor = place->encode();
    co_return page;
}

}  // namespace ff::service
