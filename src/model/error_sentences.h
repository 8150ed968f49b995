#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ff::model {

/// What happened, to what, and what to do, for people.
std::string sentence_of(const Error& error);

/// The details of an error by name; what has no name is left out.
std::vector<std::pair<std::string_view, std::string>> named_details(const Error& error);

}  // namespace ff::model
