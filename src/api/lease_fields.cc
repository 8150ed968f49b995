#include "api/lease_fields.h"

#include "api/fields.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

constexpr std::string_view kTokenHeader = "FF-Task-Token";

using Found = Result<std::optional<PresentedLease>>;

Found from_token(std::string_view text, const model::ExecutionId& execution_id) {
    FF_TRY(const service::TaskToken token, service::TaskToken::decode(text));
    if (token.execution_id != execution_id) {
        return invalid_input("task_token", "other_execution");
    }
    return std::optional(PresentedLease{.fence = token.fence,
                                        .attempt_index = token.attempt_index,
                                        .lease_ttl = token.lease_ttl,
                                        .lane = token.lane_id});
}

template <class Id>
Result<std::optional<Id>> id_member(const json::Value& from, std::string_view name) {
    const auto member = from.find(name);
    if (!member) return std::optional<Id>();
    const auto text = member->as_string();
    if (!text) return invalid_input(name, "not_string");
    auto id = Id::parse(*text);
    if (!id) return invalid_input(name, "bad_id");
    return std::optional<Id>(*std::move(id));
}

Result<std::optional<std::uint64_t>> number_member(const json::Value& from, std::string_view name,
                                                   std::int64_t most) {
    const auto member = from.find(name);
    if (!member) return std::optional<std::uint64_t>();
    const auto number = member->as_integer();
    if (!number || *number < 0 || *number > most) return invalid_input(name, "not_integer");
    return std::optional(static_cast<std::uint64_t>(*number));
}

Found from_members(const json::Value& from) {
    FF_TRY(const auto lease_id, id_member<model::LeaseId>(from, "lease_id"));
    FF_TRY(const auto epoch, number_member(from, "lease_epoch", (std::int64_t{1} << 53) - 1));
    FF_TRY(const auto attempt_id, id_member<model::AttemptId>(from, "attempt_id"));
    FF_TRY(const auto index, number_member(from, "attempt_index", 0xffffffffLL));
    // The index alone names no lease: other routes have a member of that name.
    if (!lease_id && !epoch && !attempt_id) return std::optional<PresentedLease>();
    if (!lease_id || !epoch || !attempt_id) return model::make_error("partial_fence_triple");
    PresentedLease lease{
        .fence = {.lease_id = *lease_id, .lease_epoch = {*epoch}, .attempt_id = *attempt_id}};
    if (index) lease.attempt_index = model::AttemptIndex{static_cast<std::uint32_t>(*index)};
    return std::optional(lease);
}

/// Keeps what both say; refuses what they do not agree on.
Result<Done> join(std::optional<PresentedLease>& into, const std::optional<PresentedLease>& more) {
    if (!more) return Done{};
    if (!into) {
        into = more;
        return Done{};
    }
    const bool same_index = !into->attempt_index || !more->attempt_index ||
                            *into->attempt_index == *more->attempt_index;
    if (into->fence != more->fence || !same_index) return invalid_input("lease", "ambiguous");
    if (!into->attempt_index) into->attempt_index = more->attempt_index;
    if (!into->lease_ttl) into->lease_ttl = more->lease_ttl;
    if (!into->lane) into->lane = more->lane;
    return Done{};
}

}  // namespace

Found find_lease(const json::Value& body, std::optional<std::string_view> header,
                 const model::ExecutionId& execution_id) {
    std::optional<PresentedLease> lease;
    if (header) {
        FF_TRY(lease, from_token(*header, execution_id));
    }
    if (const auto token = body.find("task_token")) {
        const auto text = token->as_string();
        if (!text) return invalid_input("task_token", "not_string");
        FF_TRY(const auto found, from_token(*text, execution_id));
        FF_CHECK(join(lease, found));
    }
    if (const auto object = body.find("lease")) {
        if (!object->is_object()) return invalid_input("lease", "not_object");
        FF_CHECK(Fields(*object, "lease.")
                     .only({"lease_id", "lease_epoch", "attempt_id", "attempt_index"}));
        FF_TRY(const auto found, from_members(*object));
        if (!found) return model::make_error("partial_fence_triple");
        FF_CHECK(join(lease, found));
    }
    FF_TRY(const auto found, from_members(body));
    FF_CHECK(join(lease, found));
    return lease;
}

Result<PresentedLease> required_lease(Call& call, const model::ExecutionId& execution_id) {
    FF_TRY(const json::Value body, call.object());
    FF_TRY(const auto lease, find_lease(body, call.request().header(kTokenHeader), execution_id));
    if (!lease) return model::make_error("fence_required");
    return *lease;
}

Result<PresentedLease> header_lease(const Call& call, const model::ExecutionId& execution_id) {
    const auto header = call.request().header(kTokenHeader);
    if (!header) return model::make_error("fence_required");
    FF_TRY(const auto lease, from_token(*header, execution_id));
    return *lease;
}

}  // namespace ff::api
