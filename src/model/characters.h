#pragma once

#include <string_view>

namespace ff::model {

/// Which characters text contains that ids may forbid. Well-formed UTF-8 is looked at by code
/// point, so U+0085 is a control and U+00A0 white space; stray bytes count only as bytes.
struct Characters {
    bool control = false;
    bool whitespace = false;
};

Characters characters_of(std::string_view text);

}  // namespace ff::model
