#include "simulation/lua_chance.h"

#include "base/random.h"

namespace ff::simulation {
namespace {

thread_local SeededRandom lua_random{0};

}  // namespace

void decide_lua_order(std::uint64_t seed) {
    lua_random = SeededRandom(seed);
}

}  // namespace ff::simulation

/// Stands for LuaJIT's own function of that name without the prefix (the linker sees to that).
/// Its state is four numbers, none of which may be small.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __wrap_lj_prng_seed_secure(std::uint64_t* state) {
    constexpr std::uint64_t kNeverSmall = std::uint64_t{1} << 32U;
    for (int i = 0; i < 4; ++i) state[i] = ff::simulation::lua_random.u64() | kNeverSmall;
    return 1;
}
