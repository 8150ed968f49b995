#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/task.h"
#include "engine/approval_link.h"
#include "hub/waitpoints.h"
#include "model/approval_link.h"
#include "model/due_time.h"
#include "model/ids.h"
#include "service/context.h"
#include "service/execution_info.h"

namespace ff::service {

struct ApprovalQuery {
    std::optional<model::Namespace> ns{};
    std::size_t limit = 50;
    /// What the page before gave.
    std::string cursor{};
};

/// A suspended execution and the waitpoint at which a person is asked.
struct WaitingApproval {
    ExecutionInfo execution;
    hub::OpenWaitpoint waitpoint;
};

struct ApprovalPage {
    std::vector<WaitingApproval> approvals{};
    /// Empty at the end.
    std::string next_cursor{};
};

struct NewApprovalLink {
    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    model::DueTime expires_at;
    /// Whom it is for; the signal of the answer says so.
    std::string label{};
};

struct CreatedApprovalLink {
    model::ApprovalLink link;
    Timestamp expires_at{};
};

/// What the page behind a link may show.
struct ApprovalLinkView {
    engine::ReadApprovalLink::Outcome link;
    /// While it is open, and where somebody asked something.
    std::optional<hub::Question> question{};
    /// What the condition waits for; empty for anything.
    std::vector<std::string> signal_names{};
    /// Of an answered one: what was asked, and what was said with the answer.
    std::string prompt{};
    std::string form_json{};
    Bytes payload{};

    bool is_open() const { return link.state == "open"; }
};

struct ApprovalLinkAnswer {
    bool approved = false;
    std::string signal_name{};
    Bytes payload{};
};

/// What people are asked, over all executions. Lives on the context's loop.
class Approvals {
  public:
    explicit Approvals(const Context& context)
        : context_(context), waitpoints_(context.random, context.store) {}

    /// What is due first comes first; what has no time comes last, in the order of its coming. A
    /// page may hold fewer than asked for and still have another behind it.
    Task<ApprovalPage> list(ApprovalQuery query);

    /// For an open waitpoint; `waitpoint_closed` for any other.
    Task<CreatedApprovalLink> create_link(NewApprovalLink request);
    /// One link, or all of the waitpoint; how many it ended.
    Task<std::int64_t> revoke_links(model::ExecutionId execution_id,
                                    model::WaitpointId waitpoint_id,
                                    std::optional<std::string> link_id);
    /// `link_not_found` for a secret that opens nothing.
    Task<ApprovalLinkView> open_link(model::ApprovalLink link);
    /// Once; `link_not_open` ever after. The function decides.
    Task<engine::SignalReceipt> answer_link(model::ApprovalLink link, ApprovalLinkAnswer answer);

  private:
    Task<std::optional<WaitingApproval>> read(model::ExecutionId id);
    Task<Done> add_answer(const model::ApprovalLink& link, ApprovalLinkView& view);

    Context context_;
    hub::Waitpoints waitpoints_;
};

}  // namespace ff::service
