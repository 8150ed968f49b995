#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/types.h"

namespace flowfabric {

/// A named result that belongs to an execution. Its first value stays, over attempts, suspensions
/// and takeovers.
struct Step {
    std::string name{};
    Bytes value{};
    /// What the writer said of the bytes; nobody interprets it.
    std::string encoding{};
    std::int64_t attempt_index = 0;
    std::int64_t recorded_at = 0;
};

struct StepPage {
    std::vector<Step> steps{};
    /// Empty at the end.
    std::string next_cursor{};
};

/// An execution that another one calls. The name is the call's: within one parent the same name is
/// the same child.
struct NewChild {
    std::string name{};
    std::string kind{};
    std::optional<Bytes> payload{};
    std::string payload_encoding{};
    /// Empty: the lane of the parent.
    std::string lane{};
    /// JSON text.
    std::string policy{};
    Tags tags{};
    std::optional<int> priority{};
};

struct ChildCalls {
    /// 1 to 256.
    std::vector<NewChild> children{};
    /// The parent goes on although a child failed, instead of failing with it.
    bool continue_on_failure = false;
};

struct CalledChild {
    std::string name{};
    std::string execution_id{};
    /// Empty while it has not ended.
    std::string outcome{};
    std::optional<Bytes> result{};
    std::string result_encoding{};
    std::string failure_reason{};
    std::string failure_category{};
};

struct ChildPage {
    std::vector<CalledChild> children{};
    /// Empty at the end.
    std::string next_cursor{};
};

struct ApprovalQuery {
    /// Empty: of all namespaces.
    std::string ns{};
    /// The `next_cursor` of the page before.
    std::string cursor{};
};

/// A suspended execution at which a person is asked; `raw` has prompt, form, context and due time.
struct WaitingApproval {
    std::string execution_id{};
    Waitpoint waitpoint{};
    Json raw{};
};

/// Soonest due first.
struct ApprovalPage {
    std::vector<WaitingApproval> approvals{};
    /// Empty at the end.
    std::string next_cursor{};
};

}  // namespace flowfabric
