#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "resp/value.h"

namespace ff::engine {

/// Executes a command and answers its reply.
using Stage = std::function<resp::Value(std::span<const std::string_view> argv)>;

/// Calls the functions of a task's life, through `stage`, as workers and submitters will: one by
/// one and in batches. A host that compiles what is called often has then done so before the first
/// real task comes; its first thousand would otherwise take two to three times as long.
Result<Done> rehearse(const Stage& stage);

}  // namespace ff::engine
