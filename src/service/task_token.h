#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "engine/fence.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::service {

/// Which store a token speaks of; the numbers are part of the token.
enum class TokenStore : std::uint8_t { Valkey = 1, Embedded = 16 };

/// A worker's lease in one opaque text, so that it needs to keep nothing else. No secret and no
/// proof: the functions check the fence on every call.
struct TaskToken {
    TokenStore store = TokenStore::Embedded;
    model::ExecutionId execution_id;
    model::AttemptIndex attempt_index{};
    engine::Fence fence;
    Millis lease_ttl{0};
    model::LaneId lane_id;
    model::WorkerInstanceId worker_instance_id;

    /// `invalid_input`, detail `task_token:<reason>`: `not_base64`, `truncated`, `trailing_bytes`,
    /// `unknown_format`, `unknown_version`, `unknown_store`, `not_utf8`, `bad_id`.
    static Result<TaskToken> decode(std::string_view text);
    std::string encode() const;

    friend bool operator==(const TaskToken&, const TaskToken&) = default;
};

}  // namespace ff::service
