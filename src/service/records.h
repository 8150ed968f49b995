#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/task.h"
#include "base/time.h"
#include "model/execution_id.h"
#include "store/store.h"

namespace ff::service {

/// The fields of a stored hash, or of a stream entry, in the order they came.
using RecordFields = std::vector<std::pair<std::string, Bytes>>;

/// From the reply to HGETALL.
RecordFields fields_of(const store::Reply& reply);
/// Empty if there is none of that name.
std::string_view field_of(const RecordFields& fields, std::string_view name);
std::optional<Timestamp> time_of(const RecordFields& fields, std::string_view name);

/// How an execution stands.
struct Standing {
    std::string lifecycle_phase{};
    std::string public_state{};
    std::string terminal_outcome{};
    std::optional<Timestamp> completed_at{};
    std::int64_t total_attempts = 0;

    bool terminal() const { return lifecycle_phase == "terminal"; }
};

/// `execution_not_found` also of one that is being purged.
Task<Standing> standing_of(store::Store& store, model::ExecutionId execution_id);
Task<Done> require_execution(store::Store& store, model::ExecutionId execution_id);

}  // namespace ff::service
