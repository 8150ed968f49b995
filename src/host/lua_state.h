#pragma once

#include <cstddef>

#include "host/lua_blocks.h"

struct lua_State;

namespace ff::host {

/// Owns a Lua state and counts its memory. Lives on one thread.
class LuaState {
    struct Memory {
        LuaBlocks blocks{};
        std::size_t used = 0;
        std::size_t max = 0;
        bool limited = false;
    };

  public:
    /// Lua code that asks for more than `memory_max` bytes fails with "not enough memory".
    LuaState(std::size_t memory_max, bool compile);
    ~LuaState();
    LuaState(const LuaState&) = delete;
    LuaState& operator=(const LuaState&) = delete;

    lua_State* get() const { return lua_; }
    std::size_t memory_bytes() const { return memory_.used; }
    /// Whether the compiler takes things up after fewer runs than usual. Not without a compiler.
    void set_eager(bool eager);
    /// Lua code may run under the limit only when it can fail: inside lua_pcall.
    void set_limited(bool limited) { memory_.limited = limited; }
    bool over_limit() const { return memory_.used > memory_.max; }

    /// While one lives the limit does not hold, so that no Lua call below it can fail. C++ that
    /// owns something, or has half applied a command, must not be left by a Lua error.
    class Unlimited {
      public:
        explicit Unlimited(LuaState& state) : memory_(state.memory_), former_(memory_.limited) {
            memory_.limited = false;
        }
        ~Unlimited() { memory_.limited = former_; }
        Unlimited(const Unlimited&) = delete;
        Unlimited& operator=(const Unlimited&) = delete;

      private:
        Memory& memory_;
        bool former_;
    };

  private:
    static void* allocate(void* context, void* block, std::size_t former, std::size_t wanted);

    Memory memory_{};
    lua_State* lua_ = nullptr;
};

}  // namespace ff::host
