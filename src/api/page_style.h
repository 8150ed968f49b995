#pragma once

#include <string>
#include <string_view>

namespace ff::api {

/// The style sheet of the pages that people open by an address.
std::string_view page_style();
/// The policy under which they run: no script, this style sheet and no other, forms to this server
/// alone, in no frame.
const std::string& page_policy();

}  // namespace ff::api
