#pragma once

#include <string_view>

#include "base/result.h"
#include "model/transport_kind.h"
#include "store/call.h"

namespace ff::store {

/// The kind of an error reply, by its first word (spec 01, section 10). `line` is the whole text
/// without the `-`.
model::TransportKind kind_of_error_reply(std::string_view line);

/// Whether an error reply to FCALL says that the function is not there.
bool says_function_unknown(std::string_view line);

/// The reply itself, or its error reply as a `storage_error` whose message is the text of the
/// store. A store that has no room for more answers `store_full`.
Result<Reply> without_error(Reply reply);

/// What a call answers once the store has been stopped.
Error shutting_down();

}  // namespace ff::store
