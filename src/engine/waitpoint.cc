#include "engine/waitpoint.h"

#include "engine/fence_arguments.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kCreatePending = "ff_create_pending_waitpoint";
constexpr std::string_view kClose = "ff_close_waitpoint";
constexpr std::string_view kRemint = "ff_remint_waitpoint_token";
constexpr std::string_view kInit = "ff_init_waitpoint_hmac_secret";
constexpr std::string_view kRotate = "ff_rotate_waitpoint_hmac_secret";
constexpr std::string_view kListKids = "ff_list_waitpoint_hmac_kids";

}  // namespace

void CreatePendingWaitpoint::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kCreatePending, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("attempt_index", attempt_index.to_string());
    to.arg("waitpoint_id", waitpoint_id.to_string());
    to.arg("waitpoint_key", waitpoint_key.text());
    to.arg("expires_at", expires_at.to_string());
    write_fence(to, fence);
    if (approval) approval->write(to);
}

Result<BoundWaitpoint> CreatePendingWaitpoint::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCreatePending, reply));
    FF_TRY(const model::WaitpointId id, reader.parsed<model::WaitpointId>(3, "waitpoint_id"));
    FF_TRY(const std::string_view key, reader.text(4, "waitpoint_key"));
    FF_TRY(model::WaitpointToken token, reader.parsed<model::WaitpointToken>(5, "waitpoint_token"));
    return BoundWaitpoint{.id = id, .key = std::string(key), .token = std::move(token)};
}

void CloseWaitpoint::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kClose, 1);
    to.key("exec_core", keys.core());
    to.arg("waitpoint_id", waitpoint_id.to_string());
    to.arg("reason", reason);
}

Result<CloseWaitpoint::Outcome> CloseWaitpoint::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kClose, reply));
    return Outcome{.already = std::string(reader.text_or_empty(3))};
}

void ExpirePendingWaitpoint::write(CallWriter& to) const {
    const model::IndexKeys keys(partition);
    to.begin(kClose, 1);
    // Only the waitpoint is known, and only it is looked at.
    to.key("exec_core", keys.noop());
    to.arg("waitpoint_id", waitpoint_id.to_string());
    to.arg("reason", "never_committed");
}

Result<CloseWaitpoint::Outcome> ExpirePendingWaitpoint::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kClose, reply));
    return Outcome{.already = std::string(reader.text_or_empty(3))};
}

void RemintWaitpointToken::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRemint, 1);
    to.key("wp", keys.waitpoint(waitpoint_id));
    to.arg("execution_id", keys.id());
    to.arg("waitpoint_id", waitpoint_id.to_string());
}

Result<model::WaitpointToken> RemintWaitpointToken::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRemint, reply));
    return reader.parsed<model::WaitpointToken>(3, "waitpoint_token");
}

void InitWaitpointSecret::write(CallWriter& to) const {
    to.begin(kInit, 1);
    to.key("secrets", model::IndexKeys(partition).waitpoint_hmac());
    to.arg("kid", kid);
    to.arg("secret_hex", secret_hex);
}

Result<InitWaitpointSecret::Outcome> InitWaitpointSecret::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kInit, reply));
    FF_TRY(const std::string_view result, reader.text(3, "outcome"));
    FF_TRY(const std::string_view current, reader.text(4, "current_kid"));
    return Outcome{.result = std::string(result), .current_kid = std::string(current)};
}

void RotateWaitpointSecret::write(CallWriter& to) const {
    const model::IndexKeys index(partition);
    to.begin(kRotate, 2);
    to.key("secrets", index.waitpoint_hmac());
    to.key("rotate_lock", index.rotate_lock());
    to.arg("new_kid", new_kid);
    to.arg("new_secret_hex", new_secret_hex);
    to.arg("grace_ms", grace);
    to.arg("lock_token", lock_token);
}

Result<RotateWaitpointSecret::Outcome> RotateWaitpointSecret::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRotate, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    if (result == "noop") return Outcome{};
    if (result != "rotated") return reader.fault("result");
    FF_TRY(const std::string_view previous, reader.text(4, "previous_kid"));
    FF_TRY(const std::int64_t collected, reader.integer(6, "collected"));
    return Outcome{.rotated = true, .previous_kid = std::string(previous), .collected = collected};
}

void ListWaitpointKids::write(CallWriter& to) const {
    to.begin(kListKids, 1);
    to.key("secrets", model::IndexKeys(partition).waitpoint_hmac());
}

Result<ListWaitpointKids::Outcome> ListWaitpointKids::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kListKids, reply));
    FF_TRY(const std::string_view current, reader.text(3, "current_kid"));
    FF_TRY(const std::int64_t count, reader.integer(4, "n"));
    Outcome outcome{.current_kid = std::string(current)};
    for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t at = 5 + 2 * static_cast<std::size_t>(i);
        FF_TRY(const std::string_view kid, reader.text(at, "kid"));
        FF_TRY(const Timestamp expires, reader.time(at + 1, "expires_at"));
        outcome.retired.push_back(Kid{.kid = std::string(kid), .expires_at = expires});
    }
    return outcome;
}

}  // namespace ff::engine
