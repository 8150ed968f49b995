#pragma once

#include <optional>
#include <string>
#include <vector>

struct lua_State;

namespace ff::host {

/// One redis.register_function of a library that is being loaded.
struct Registration {
    std::string name{};
    std::optional<std::string> description{};
    std::vector<std::string> flags{};
    /// Of the callback in the registry of the state.
    int reference = 0;
    /// Where the callback begins.
    int line = 0;

    bool may_write() const;
    /// Moves work on or ends it, and so runs where memory is short.
    bool allowed_when_full() const;
};

/// Adds redis.register_function to the table at the top; it appends to `registrations`, which
/// outlives every call of it.
void add_register_function(lua_State* lua, std::vector<Registration>& registrations);

}  // namespace ff::host
