#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/index_keys.h"
#include "model/state.h"
#include "service/execution_info.h"

namespace ff::service {

/// The indexes of a lane that can be listed.
enum class ListState : std::uint8_t {
    Eligible,
    Delayed,
    Terminal,
    Suspended,
    Active,
    BlockedDependencies,
    BlockedBudget,
    BlockedQuota,
    BlockedRoute,
    BlockedOperator,
};

std::optional<ListState> parse_list_state(std::string_view text);
/// The index that holds the executions of a lane in this state.
std::string index_of(const model::LaneKeys& keys, ListState state);
/// Whether an execution with this vector stands in that index.
bool stands_in(const model::StateVector& vector, ListState state);

struct ListRequest {
    /// Absent with `partition` and without `ns`: eligible, lane `default`.
    std::optional<model::LaneId> lane{};
    std::optional<ListState> state{};
    /// Filters by what people read instead; only with `ns` or `every_namespace`.
    std::optional<model::PublicState> public_state{};
    /// Absent: all partitions, merged by score.
    std::optional<std::uint16_t> partition{};
    std::optional<model::Namespace> ns{};
    /// The newest of all namespaces, instead of one of them or of a lane's index.
    bool every_namespace = false;
    /// Only with `ns`.
    std::optional<std::pair<std::string, std::string>> tag{};
    std::size_t limit = 50;
    /// Only with `partition`.
    std::size_t offset = 0;
    /// What the page before gave.
    std::string cursor{};
};

struct ListedExecution {
    std::string execution_id{};
    std::string ns{};
    std::string lane_id{};
    std::string execution_kind{};
    model::PublicState public_state = model::PublicState::Waiting;
    std::int64_t priority = 0;
    Timestamp created_at{};
    std::optional<Timestamp> ended_at{};
    std::optional<Millis> own_retention{};
    Life life{};
};

struct ExecutionPage {
    std::vector<ListedExecution> executions{};
    /// Empty at the end.
    std::string next_cursor{};
};

struct IdPage {
    std::vector<std::string> ids{};
    std::string next_cursor{};
};

/// A place in an index: behind a member with a score. Its text is opaque to clients.
struct IndexPlace {
    std::string score{};
    std::string member{};

    std::string encode() const;
    /// `invalid_cursor` if the text is none of ours.
    static Result<IndexPlace> decode(std::string_view cursor);
};

}  // namespace ff::service
