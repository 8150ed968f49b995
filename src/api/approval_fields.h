#pragma once

#include <optional>

#include "api/fields.h"
#include "api/route.h"
#include "engine/suspend_execution.h"
#include "hub/waitpoints.h"

namespace ff::api {

/// `approval`: what a person needs to answer (chapter 03 section 3.7).
Result<std::optional<engine::ApprovalRequest>> parse_approval(const Fields& body);
/// The member of the same name and shape, where somebody is asked.
void write_approval(json::Writer& out, const std::optional<hub::Question>& question);

FieldDoc doc_approval();

}  // namespace ff::api
