#pragma once

#include <string>
#include <string_view>

#include "support/resp_connection.h"

namespace ff::twin {

// Each Lua state walks the fields of a table in an order of its own, so two states that agree may
// still tell the fields of a record in different orders. A state also keeps what it has put
// together for calls before, so that members go to an index at once in one and in two parts in the
// other. These texts do not tell the order where it means nothing, nor the parts.

/// A JSON object or list, whose members may stand in any order; any other text as it is.
std::string canonical_text(std::string_view text);

/// The reply of this function or command.
std::string canonical_reply(std::string_view name, const testing::RespValue& reply);

/// What a key of this type holds, as its reading command answers.
std::string canonical_content(std::string_view type, const testing::RespValue& content);

/// Effects as the keyspace yields them: key by key, for each in their order, a line for each.
std::string canonical_effects(std::string_view effects);

}  // namespace ff::twin
