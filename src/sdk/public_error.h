#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "flowfabric/json.h"
#include "flowfabric/result.h"
#include "sdk/door.h"

namespace ff::sdk {

std::optional<flowfabric::ErrorClass> class_named(std::string_view name);
/// {"code","class","retryable","error"} of one item in a batch.
flowfabric::Error error_of_item(const flowfabric::Json& item);
/// Of a reply that is no success.
flowfabric::Error error_of_reply(const DoorReply& reply);
flowfabric::Error malformed_response(std::string_view operation, std::string_view why);
flowfabric::Error to_public(const ff::Error& error);

}  // namespace ff::sdk

/// FF_SDK_TRY(auto reply, door.send(request)); leaves the function with the error, if any.
#define FF_SDK_TRY_INNER(result, declaration, expression)      \
    auto result = (expression);                                \
    if (!result.has_value()) return std::move(result).error(); \
    declaration = *std::move(result)
#define FF_SDK_CAT_INNER(a, b) a##b
#define FF_SDK_CAT(a, b) FF_SDK_CAT_INNER(a, b)
#define FF_SDK_TRY(declaration, ...) \
    FF_SDK_TRY_INNER(FF_SDK_CAT(sdk_result_, __LINE__), declaration, __VA_ARGS__)
