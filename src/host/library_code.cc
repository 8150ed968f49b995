#include "host/library_code.h"

#include <mutex>
#include <string>
#include <utility>

#include <lua.hpp>

namespace ff::host {
namespace {

struct LastCode {
    std::mutex mutex{};
    std::string text{};
    std::string code{};
};

LastCode& last_code() {
    static LastCode last;
    return last;
}

int append(lua_State* /*lua*/, const void* piece, std::size_t size, void* code) {
    static_cast<std::string*>(code)->append(static_cast<const char*>(piece), size);
    return 0;
}

}  // namespace

int load_compiled(lua_State* lua, std::string_view text, const char* chunk_name) {
    LastCode& last = last_code();
    const std::lock_guard lock(last.mutex);
    if (!last.code.empty() && last.text == text)
        return luaL_loadbuffer(lua, last.code.data(), last.code.size(), chunk_name);
    const int failed = luaL_loadbuffer(lua, text.data(), text.size(), chunk_name);
    if (failed != 0) return failed;
    std::string code;
    if (lua_dump(lua, append, &code) != 0) return 0;
    last.text = text;
    last.code = std::move(code);
    return 0;
}

}  // namespace ff::host
