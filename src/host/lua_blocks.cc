#include "host/lua_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace ff::host {

LuaBlocks::LuaBlocks() {
    void* region = mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) return;
    region_ = static_cast<char*>(region);
    rest_ = region_;
    end_ = region_ + kRegionBytes;
}

LuaBlocks::~LuaBlocks() {
    if (region_ != nullptr) munmap(region_, kRegionBytes);
}

void* LuaBlocks::cut(std::size_t bytes) {
    const std::size_t size = list_of(bytes) * kStep;
    if (static_cast<std::size_t>(end_ - rest_) < size) return take_large(bytes);
    char* block = rest_;
    rest_ += size;
    return block;
}

void* LuaBlocks::take_large(std::size_t bytes) {
    return std::malloc(bytes);
}

void LuaBlocks::give_large(void* block) {
    std::free(block);
}

void* LuaBlocks::resize(void* block, std::size_t former, std::size_t wanted) {
    if (owns(block)) {
        if (list_of(former) == list_of(wanted)) return block;
    } else if (wanted > kBlockBytesMax) {
        return std::realloc(block, wanted);
    }
    void* fresh = take(wanted);
    if (fresh == nullptr) return nullptr;
    std::memcpy(fresh, block, std::min(former, wanted));
    give(block, former);
    return fresh;
}

}  // namespace ff::host
