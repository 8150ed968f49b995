#pragma once

struct lua_State;

namespace ff::host {

class LuaCommands;

/// Adds to the table at the top what compiled Lua writes with: `ff_text(text)`,
/// `ff_number(number)`, `ff_argument(place)` and `ff_entry_id(ms, ordinal)` add a piece of a
/// command, `ff_run()` runs it and answers whether it went well, `ff_raise()` raises why it did
/// not; `ff_argument_size(place)`, and `ff_value_of(key)` for replies (lua_convert.h). They go
/// through LuaJIT's foreign functions, which the compiler calls directly: a tenth of what the Lua
/// stack costs for each argument. Not compiled they are slow, so there are none where Lua is only
/// interpreted.
void add_piece_functions(lua_State* lua, LuaCommands& commands);

}  // namespace ff::host
