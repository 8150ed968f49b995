#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/call.h"
#include "api/fields.h"
#include "model/execution_id.h"

namespace ff::api {

/// What a `T::parse(text)` makes of a parameter of the path; `invalid_input` naming it.
template <class T>
Result<T> parse_path(const Call& call, std::string_view name) {
    auto parsed = T::parse(call.path(name));
    if (!parsed.has_value()) return within_field(std::move(parsed).error(), std::string(name));
    return *std::move(parsed);
}

/// The execution of the path, on a partition that exists.
inline Result<model::ExecutionId> parse_path_execution(const Call& call,
                                                       const model::PartitionConfig& partitions,
                                                       std::string_view name = "id") {
    auto parsed = model::parse_execution_id_at_ingress(call.path(name), partitions);
    if (!parsed.has_value()) return within_field(std::move(parsed).error(), std::string(name));
    return *std::move(parsed);
}

}  // namespace ff::api
