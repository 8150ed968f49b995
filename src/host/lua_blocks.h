#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace ff::host {

/// Memory for what Lua makes and drops all the time: blocks of up to `kBlockBytesMax`, kept by size
/// in lists and cut from one region of addresses. Lua tells the size of what it gives back, so a
/// block needs no head, and taking and giving are a few instructions each. The region is bounded:
/// what it cannot serve, and what is larger, comes from the system. Lives on one thread.
class LuaBlocks {
  public:
    static constexpr std::size_t kBlockBytesMax = 2048;
    /// Of addresses; memory is used as far as blocks were ever needed at the same time.
    static constexpr std::size_t kRegionBytes = std::size_t{64} << 20U;

    LuaBlocks();
    ~LuaBlocks();
    LuaBlocks(const LuaBlocks&) = delete;
    LuaBlocks& operator=(const LuaBlocks&) = delete;

    /// As lua_Alloc says: `wanted` 0 gives back. nullptr if there is no memory.
    void* allocate(void* block, std::size_t former, std::size_t wanted) {
        if (block == nullptr) return wanted == 0 ? nullptr : take(wanted);
        if (wanted == 0) {
            give(block, former);
            return nullptr;
        }
        return resize(block, former, wanted);
    }

  private:
    static constexpr std::size_t kStep = 16;
    struct Free {
        Free* next = nullptr;
    };

    static std::size_t list_of(std::size_t bytes) { return (bytes + kStep - 1) / kStep; }
    bool owns(const void* block) const {
        return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(region_) <
               kRegionBytes;
    }
    void* take(std::size_t bytes) {
        if (bytes > kBlockBytesMax) return take_large(bytes);
        Free*& list = lists_[list_of(bytes)];
        if (list == nullptr) return cut(bytes);
        Free* block = list;
        list = block->next;
        // It was given back long ago and will be read at the next turn: let it come meanwhile.
        __builtin_prefetch(list, 1);
        return block;
    }
    void give(void* block, std::size_t bytes) {
        if (!owns(block)) return give_large(block);
        Free*& list = lists_[list_of(bytes)];
        list = new (block) Free{.next = list};
    }

    void* cut(std::size_t bytes);
    static void* take_large(std::size_t bytes);
    static void give_large(void* block);
    void* resize(void* block, std::size_t former, std::size_t wanted);

    char* region_ = nullptr;
    /// What was never cut yet.
    char* rest_ = nullptr;
    char* end_ = nullptr;
    std::array<Free*, kBlockBytesMax / kStep + 1> lists_{};
};

}  // namespace ff::host
