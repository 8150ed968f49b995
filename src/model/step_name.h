#pragma once

#include "model/ids.h"

namespace ff::model {

/// Of a recorded step: 1..256 bytes without control characters.
struct StepNameRules : KeyRules {
    static constexpr std::string_view kField = "name";
};

using StepName = TextId<StepNameRules>;

}  // namespace ff::model
