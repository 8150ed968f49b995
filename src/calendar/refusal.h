#pragma once

#include <string>
#include <string_view>

#include "model/error_catalogue.h"

namespace ff::calendar {

/// `invalid_schedule`: where in the request, and why.
inline Error refuse(std::string_view place, std::string why) {
    return model::make_error("invalid_schedule", {std::string(place), std::move(why)});
}

}  // namespace ff::calendar
