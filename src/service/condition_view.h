#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/records.h"

namespace ff::service {

/// One node of a tree condition, as far as signals have brought it.
struct ConditionNode {
    /// Empty for the root, `members[0].members[1]` below.
    std::string path{};
    std::string kind{};
    bool satisfied = false;
    /// Satisfiers or members still needed; nothing where no signal helps.
    std::optional<std::int64_t> remaining{};
    /// Of a count of distinct sources: how many of each type were counted.
    std::map<std::string, std::int64_t> sources_by_type{};
    bool counts_sources = false;
};

struct MatcherView {
    /// Empty: any signal.
    std::string name{};
    bool satisfied = false;
    std::string signal_id{};
};

/// How far an open suspension is from its resume (spec 03, section 7.5).
struct ConditionView {
    std::string suspension_id{};
    /// As the worker gave it.
    std::string condition_json{};
    std::string condition_type{};
    std::string match_mode{};
    /// Of the whole condition; nothing where no signal helps.
    std::optional<std::int64_t> remaining{};
    /// Of a tree, parents before their members.
    std::vector<ConditionNode> nodes{};
    /// Of a flat condition, in order.
    std::vector<MatcherView> matchers{};
};

/// What is stored of a condition that is still open. The functions alone decide by it; this reads
/// what they wrote.
struct ConditionRecords {
    RecordFields suspension{};
    /// Of the primary waitpoint.
    RecordFields condition{};
    /// Members of the satisfied set; empty for flat conditions.
    std::vector<std::string> satisfied{};
};

/// `corruption` when the stored tree cannot be read.
Result<ConditionView> view_condition(const ConditionRecords& records);

}  // namespace ff::service
