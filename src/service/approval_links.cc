#include <utility>

#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "service/approvals.h"

namespace ff::service {
namespace {

std::string text_of(const store::Reply& reply) {
    return std::string(reply.text().value_or(""));
}

}  // namespace

Task<CreatedApprovalLink> Approvals::create_link(NewApprovalLink request) {
    const auto link =
        model::ApprovalLink::mint(request.execution_id, request.waitpoint_id, context_.random);
    engine::CreateApprovalLink create{.execution_id = request.execution_id,
                                      .waitpoint_id = request.waitpoint_id,
                                      .link_id = link.id(),
                                      .digest = link.digest(),
                                      .expires_at = request.expires_at,
                                      .label = std::move(request.label)};
    FF_CO_TRY(const engine::CreateApprovalLink::Outcome created,
              co_await engine::run(context_.store, std::move(create)));
    co_return CreatedApprovalLink{.link = link, .expires_at = created.expires_at};
}

Task<std::int64_t> Approvals::revoke_links(model::ExecutionId execution_id,
                                           model::WaitpointId waitpoint_id,
                                           std::optional<std::string> link_id) {
    engine::RevokeApprovalLinks revoke{
        .execution_id = execution_id, .waitpoint_id = waitpoint_id, .link_id = std::move(link_id)};
    FF_CO_TRY(const engine::RevokeApprovalLinks::Outcome outcome,
              co_await engine::run(context_.store, std::move(revoke)));
    co_return outcome.revoked;
}

Task<ApprovalLinkView> Approvals::open_link(model::ApprovalLink link) {
    // Whoever made the address up may have named a partition that is not there.
    if (!model::check_in_range(link.execution_id(), context_.rules.partitions).has_value())
        co_return model::make_error("link_not_found");
    engine::ReadApprovalLink read{.execution_id = link.execution_id(),
                                  .waitpoint_id = link.waitpoint_id(),
                                  .link_id = link.id(),
                                  .digest = link.digest()};
    FF_CO_TRY(engine::ReadApprovalLink::Outcome found,
              co_await engine::run(context_.store, std::move(read)));
    ApprovalLinkView view{.link = std::move(found)};
    if (view.link.state == "answered") {
        FF_CO_CHECK(co_await add_answer(link, view));
    }
    if (!view.is_open()) co_return view;
    std::vector<model::WaitpointId> ids{link.waitpoint_id()};
    FF_CO_TRY(std::vector<hub::OpenWaitpoint> open,
              co_await waitpoints_.look(link.execution_id(), std::move(ids)));
    if (open.empty()) {
        view.link.state = "closed";
        co_return view;
    }
    view.question = std::move(open.front().question);
    view.signal_names = std::move(open.front().required_signal_names);
    co_return view;
}

Task<Done> Approvals::add_answer(const model::ApprovalLink& link, ApprovalLinkView& view) {
    const auto signal = model::SignalId::parse(view.link.signal_id);
    if (!signal.has_value()) co_return Done{};
    const model::ExecKeys keys(link.execution_id());
    std::vector<store::Call> calls;
    calls.push_back(
        store::plain({"HMGET", keys.waitpoint(link.waitpoint_id()), "prompt", "form"}, true));
    calls.push_back(store::plain({"GET", keys.signal_payload(*signal)}, true));
    const std::vector<Result<store::Reply>> replies =
        co_await context_.store.pipeline(std::move(calls));
    for (const auto& reply : replies)
        if (!reply.has_value()) co_return reply.error();
    const auto asked = replies[0]->items();
    if (asked.size() == 2) {
        view.prompt = text_of(asked[0]);
        view.form_json = text_of(asked[1]);
    }
    view.payload = text_of(*replies[1]);
    co_return Done{};
}

Task<engine::SignalReceipt> Approvals::answer_link(model::ApprovalLink link,
                                                   ApprovalLinkAnswer answer) {
    engine::AnswerApprovalLink said{.execution_id = link.execution_id(),
                                    .waitpoint_id = link.waitpoint_id(),
                                    .link_id = link.id(),
                                    .digest = link.digest(),
                                    .signal_id = model::SignalId::mint(context_.random),
                                    .approved = answer.approved,
                                    .signal_name = std::move(answer.signal_name),
                                    .payload = std::move(answer.payload)};
    co_return co_await engine::run(context_.store, std::move(said));
}

}  // namespace ff::service
