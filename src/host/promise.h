#pragma once

#include <optional>
#include <string>

#include "host/lua_host.h"
#include "model/function_catalogue.h"

struct lua_State;

namespace ff::host {

/// Looks whether a function has written what its reply says (model::Promise). `reply`: where on the
/// stack it lies; it is left as it is. Answers what is missing, in words without payloads; nothing
/// if all is there, or the reply acknowledges nothing.
std::optional<std::string> broken_promise(lua_State* lua, int reply, model::Promise promise,
                                          const FunctionCall& call, keyspace::Keyspace& keyspace);

}  // namespace ff::host
