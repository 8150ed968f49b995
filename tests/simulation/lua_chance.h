#pragma once

#include <cstdint>

namespace ff::simulation {

/// LuaJIT draws the hash of its strings, and with it the order in which `each` walks a table, from
/// the system's random numbers. Here the seed of a run decides it: each Lua state that this thread
/// makes from now on is the next one of a sequence.
void decide_lua_order(std::uint64_t seed);

}  // namespace ff::simulation
