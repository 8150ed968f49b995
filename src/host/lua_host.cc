#include "host/lua_host.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <lua.hpp>

#include "base/log.h"
#include "base/steady_clock.h"
#include "host/function_source.h"
#include "host/library_code.h"
#include "host/lua_commands.h"
#include "host/lua_convert.h"
#include "host/lua_globals.h"
#include "host/lua_pieces.h"
#include "host/lua_raise.h"
#include "host/lua_redis.h"
#include "host/lua_registration.h"
#include "host/lua_state.h"
#include "host/promise.h"
#include "model/function_catalogue.h"

namespace ff::host {
namespace {

/// The place of the handler of errors on the stack; it never leaves, nor do the names behind it.
constexpr int kHandler = 1;
constexpr int kStackBase = kHandler + kReplyNames;
constexpr const char* kChunkName = "@user_function";
/// The collector starts when the heap is half again what was alive, and then works ten times as
/// fast as Lua allocates. A cycle marks the whole library, however little garbage there is, and yet
/// this is faster than to let the garbage grow: it must fit the caches.
constexpr int kCollectAtPercent = 150;
constexpr int kCollectSpeedPercent = 1000;

/// Turns whatever was raised into a table with `err`, and notes where it happened.
int note_place(lua_State* lua) {
    if (!lua_istable(lua, 1)) {
        lua_settop(lua, 1);
        lua_pushliteral(lua, "ERR ");
        if (lua_isstring(lua, 1) != 0)
            lua_pushvalue(lua, 1);
        else
            lua_pushstring(lua, luaL_typename(lua, 1));
        lua_concat(lua, 2);
        lua_createtable(lua, 0, 3);
        lua_insert(lua, -2);
        lua_setfield(lua, -2, "err");
        lua_replace(lua, 1);
    }
    lua_settop(lua, 1);
    lua_Debug place;
    // Level 0 is this handler; what raised may be a C function such as redis.call itself.
    bool known = lua_getstack(lua, 1, &place) != 0 && lua_getinfo(lua, "Sl", &place) != 0;
    if (known && std::string_view(place.what) == "C")
        known = lua_getstack(lua, 2, &place) != 0 && lua_getinfo(lua, "Sl", &place) != 0;
    if (known) {
        lua_pushstring(lua, place.source);
        lua_setfield(lua, 1, "source");
        lua_pushinteger(lua, place.currentline);
        lua_setfield(lua, 1, "line");
    }
    return 1;
}

std::string text_at(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, index, &length);
    return bytes == nullptr ? std::string() : std::string(bytes, length);
}

std::string field_text(lua_State* lua, int table, const char* name) {
    lua_pushstring(lua, name);
    lua_rawget(lua, table);
    std::string text = text_at(lua, -1);
    lua_pop(lua, 1);
    return text;
}

/// What was raised is at the top: a table made by the handler, or a text if memory ran out.
std::string raised_text(lua_State* lua) {
    if (!lua_istable(lua, -1)) return "ERR " + text_at(lua, -1);
    const std::string text = field_text(lua, lua_gettop(lua), "err");
    return text.empty() ? "ERR unknown error" : text;
}

/// A place is lost when the call that failed stood in tail position: then it is the function's own.
std::string call_error(lua_State* lua, const Registration& function) {
    std::string text = raised_text(lua) + " script: " + function.name + ", on ";
    const int raised = lua_gettop(lua);
    const bool known = lua_istable(lua, raised) && !field_text(lua, raised, "source").empty();
    const std::string source = known ? field_text(lua, raised, "source") : kChunkName;
    const std::string line =
        known ? field_text(lua, raised, "line") : std::to_string(function.line);
    return text + source + ":" + line + ".";
}

/// Nothing of the call is left, so it may be sent again.
std::string promise_error(std::string_view function, std::string_view broken) {
    return std::string("TRYAGAIN postcondition_failed: ")
        .append(function)
        .append(" was undone because it had not done what it answered: ")
        .append(broken);
}

using Texts = std::span<const std::string_view>;

void push_texts(lua_State* lua, Texts texts) {
    lua_createtable(lua, static_cast<int>(texts.size()), 0);
    int index = 0;
    for (const std::string_view text : texts) {
        lua_pushlstring(lua, text.data(), text.size());
        lua_rawseti(lua, -2, ++index);
    }
}

/// The `__index` of a table that has only some of the texts: puts the wanted one there.
int text_on_demand(lua_State* lua) {
    const Texts& texts = *static_cast<Texts*>(lua_touserdata(lua, lua_upvalueindex(1)));
    const lua_Number place = lua_tonumber(lua, 2);
    if (!(place >= 1 && place <= static_cast<lua_Number>(texts.size()))) return 0;
    const std::string_view text = texts[static_cast<std::size_t>(place) - 1];
    lua_pushlstring(lua, text.data(), text.size());
    lua_pushvalue(lua, -1);
    lua_rawseti(lua, 1, static_cast<int>(place));
    return 1;
}

/// A reference to it.
int metatable_for(lua_State* lua, Texts& texts) {
    lua_createtable(lua, 0, 1);
    lua_pushlightuserdata(lua, &texts);
    lua_pushcclosure(lua, text_on_demand, 1);
    lua_setfield(lua, -2, "__index");
    return luaL_ref(lua, LUA_REGISTRYINDEX);
}

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>()(text);
    }
};

}  // namespace

struct LuaHost::Impl {
    Impl(keyspace::Keyspace& keyspace, LuaHostOptions given)
        : data(keyspace),
          options(std::move(given)),
          state(options.memory_max, options.compile),
          commands(state, keyspace, options) {
        lua_State* lua = state.get();
        lua_pushcfunction(lua, note_place);
        push_reply_names(lua);
        push_redis_library(lua, commands);
        if (options.compile) add_piece_functions(lua, commands);
        lua_pushlightuserdata(lua, this);
        lua_pushcclosure(lua, &Impl::promise_arguments, 1);
        lua_setfield(lua, -2, "ff_arguments_on_demand");
        push_function_globals(state);
        function_globals = luaL_ref(lua, LUA_REGISTRYINDEX);
        lua_newtable(lua);
        add_log_functions(lua);
        add_register_function(lua, registrations);
        push_library_globals(lua);
        library_globals = luaL_ref(lua, LUA_REGISTRYINDEX);
        argument_metatable = metatable_for(lua, arguments);
        lua_gc(lua, LUA_GCSETPAUSE, kCollectAtPercent);
        lua_gc(lua, LUA_GCSETSTEPMUL, kCollectSpeedPercent);
    }

    struct Library {
        std::string text{};
        std::vector<std::string> functions{};
    };
    struct Function {
        Registration registration{};
        std::string library{};
        Library* owner = nullptr;
        /// It knows that long ARGV may come on demand.
        bool arguments_on_demand = false;
        std::uint64_t calls = 0;
        std::uint64_t store_calls = 0;
        std::uint64_t last_store_calls = 0;
        std::uint64_t undone = 0;
        model::Promise promise = model::Promise::None;
    };
    bool refuses_growth(const Function& function) const {
        const bool full = options.memory != nullptr && options.memory->full();
        return full && !rehearsing && !function.registration.allowed_when_full();
    }
    Result<Done> run_library(std::string_view body);
    Result<Done> check_registrations(const std::string& library, bool replaces);
    void drop_registrations();
    void install(const std::string& name, std::string_view text);
    void note_undone(Function& function, const std::optional<std::string>& broken);
    /// All garbage at once.
    void collect();

    std::chrono::nanoseconds collector_time{0};
    void push_arguments(const Function& function, Texts given);
    static Impl& of(lua_State* lua) {
        return *static_cast<Impl*>(lua_touserdata(lua, lua_upvalueindex(1)));
    }
    static int promise_arguments(lua_State* lua);

    keyspace::Keyspace& data;
    bool rehearsing = false;
    LuaHostOptions options;
    LuaState state;
    LuaCommands commands;
    int function_globals = 0;
    int library_globals = 0;
    int argument_metatable = 0;
    Texts arguments{};
    Library* running = nullptr;
    std::vector<Registration> registrations{};
    std::unordered_map<std::string, Function, TextHash, std::equal_to<>> functions{};
    std::map<std::string, Library, std::less<>> libraries{};
};

LuaHost::LuaHost(keyspace::Keyspace& keyspace, LuaHostOptions options)
    : impl_(std::make_unique<Impl>(keyspace, std::move(options))) {}

LuaHost::~LuaHost() = default;
LuaHost::LuaHost(LuaHost&&) noexcept = default;

/// Runs the text of a library, which registers its functions.
Result<Done> LuaHost::Impl::run_library(std::string_view body) {
    lua_State* lua = state.get();
    lua_rawgeti(lua, LUA_REGISTRYINDEX, library_globals);
    push_environment(lua);
    const int environment = lua_gettop(lua);
    if (load_compiled(lua, body, kChunkName) != 0)
        return function_error("Error compiling function: " + text_at(lua, -1));
    lua_pushvalue(lua, environment);
    lua_setfenv(lua, -2);
    state.set_limited(true);
    const int failed = lua_pcall(lua, 0, 0, kHandler);
    state.set_limited(false);
    if (failed != 0) return function_error("Error registering functions: " + raised_text(lua));
    // From now on the functions see what functions see.
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function_globals);
    redirect_environment(lua, environment);
    return Done{};
}

Result<Done> LuaHost::Impl::check_registrations(const std::string& library, bool replaces) {
    if (registrations.empty()) return function_error("No functions registered");
    std::vector<std::string_view> seen;
    for (const Registration& registration : registrations) {
        if (!is_function_name(registration.name))
            return function_error(
                "Function names can only contain letters, numbers, or underscores(_) and must be "
                "at least one character long");
        if (std::ranges::find(seen, registration.name) != seen.end())
            return function_error("Function already exists in the library");
        seen.push_back(registration.name);
        const auto found = functions.find(registration.name);
        const bool own = replaces && found != functions.end() && found->second.library == library;
        if (found != functions.end() && !own)
            return function_error("Function " + registration.name + " already exists");
    }
    return Done{};
}

void LuaHost::Impl::drop_registrations() {
    for (const Registration& registration : registrations)
        luaL_unref(state.get(), LUA_REGISTRYINDEX, registration.reference);
    registrations.clear();
}

void LuaHost::Impl::install(const std::string& name, std::string_view text) {
    Library& library = libraries[name];
    for (const std::string& function : library.functions) {
        const auto found = functions.find(function);
        luaL_unref(state.get(), LUA_REGISTRYINDEX, found->second.registration.reference);
        functions.erase(found);
    }
    library = {.text = std::string(text)};
    for (Registration& registration : registrations) {
        library.functions.push_back(registration.name);
        const model::FunctionInfo* info = model::find_function(registration.name);
        Function function{.registration = std::move(registration),
                          .library = name,
                          .owner = &library,
                          .promise = info == nullptr ? model::Promise::None : info->promise};
        functions.emplace(library.functions.back(), std::move(function));
    }
    registrations.clear();
}

void LuaHost::Impl::collect() {
    const auto begun = SteadyClock::now();
    lua_gc(state.get(), LUA_GCCOLLECT, 0);
    collector_time += SteadyClock::now() - begun;
}

void LuaHost::Impl::note_undone(Function& function, const std::optional<std::string>& broken) {
    const std::string& name = function.registration.name;
    ++function.undone;
    if (broken.has_value())
        log::error("host", "postcondition_failed", {{"function", name}, {"missing", *broken}});
    if (options.on_undone)
        options.on_undone({.function = name, .broke_promise = broken.has_value()});
}

/// redis.ff_arguments_on_demand(name): that function of the same library can do with it.
int LuaHost::Impl::promise_arguments(lua_State* lua) {
    Impl& impl = of(lua);
    const auto found = impl.functions.find(std::string_view(luaL_checkstring(lua, 1)));
    if (found != impl.functions.end() && found->second.owner == impl.running)
        found->second.arguments_on_demand = true;
    return 0;
}

/// How many there are is at [0]. Long ones only pass through a function, from the caller to the
/// store: those it asks for become Lua strings, the others need no room, no copy and no collecting.
void LuaHost::Impl::push_arguments(const Function& function, Texts given) {
    constexpr std::size_t kLongBytes = 512;
    lua_State* lua = state.get();
    if (!function.arguments_on_demand) return push_texts(lua, given);
    lua_createtable(lua, static_cast<int>(given.size()), 0);
    lua_pushnumber(lua, static_cast<lua_Number>(given.size()));
    lua_rawseti(lua, -2, 0);
    int place = 0;
    bool complete = true;
    for (const std::string_view text : given) {
        ++place;
        if (text.size() >= kLongBytes) {
            complete = false;
            continue;
        }
        lua_pushlstring(lua, text.data(), text.size());
        lua_rawseti(lua, -2, place);
    }
    if (complete) return;
    arguments = given;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, argument_metatable);
    lua_setmetatable(lua, -2);
}

Result<std::string> LuaHost::load(std::string_view text, bool replace) {
    FF_TRY(const FunctionSource source, parse_function_source(text));
    const bool exists = impl_->libraries.contains(source.name);
    if (exists && !replace) return function_error("Library '" + source.name + "' already exists");
    Result<Done> fine = impl_->run_library(source.body);
    if (fine.has_value()) fine = impl_->check_registrations(source.name, exists);
    lua_settop(impl_->state.get(), kStackBase);
    if (fine.has_value())
        impl_->install(source.name, text);
    else
        impl_->drop_registrations();
    lua_gc(impl_->state.get(), LUA_GCCOLLECT, 0);
    if (!fine.has_value()) return std::move(fine).error();
    return source.name;
}

std::vector<LibraryFacts> LuaHost::libraries() const {
    std::vector<LibraryFacts> all;
    for (const auto& [name, library] : impl_->libraries) {
        LibraryFacts facts{.name = name, .text = library.text};
        for (const std::string& function : library.functions) {
            const Registration& known = impl_->functions.find(function)->second.registration;
            facts.functions.push_back(
                {.name = function, .description = known.description, .flags = known.flags});
        }
        all.push_back(std::move(facts));
    }
    return all;
}

bool LuaHost::call(const FunctionCall& call, keyspace::ReplySink& reply) {
    const auto found = impl_->functions.find(call.name);
    if (found == impl_->functions.end()) {
        reply.error("ERR Function not found");
        return true;
    }
    Impl::Function& function = found->second;
    const bool may_write = function.registration.may_write();
    if (call.read_only && may_write) {
        reply.error("ERR Can not execute a script with write flag using *_ro command.");
        return true;
    }
    if (impl_->refuses_growth(function)) {
        reply.error(
            "OOM the store has used the memory it may; work that is there can be ended, new work "
            "cannot be taken");
        return true;
    }
    LuaState& state = impl_->state;
    lua_State* lua = state.get();
    keyspace::Keyspace& keyspace = impl_->commands.keyspace();
    if (may_write) keyspace.begin_call();
    impl_->commands.begin(call.now, may_write, call.keys, call.args);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function.registration.reference);
    impl_->running = function.owner;
    push_texts(impl_->state.get(), call.keys);
    impl_->push_arguments(function, call.args);
    state.set_limited(true);
    const int failed = lua_pcall(lua, 2, 1, kHandler);
    state.set_limited(false);
    std::optional<std::string> broken;
    if (failed == 0 && may_write)
        broken = broken_promise(lua, lua_gettop(lua), function.promise, call, keyspace);
    const bool kept = failed == 0 && !broken.has_value();
    if (kept)
        send_lua_value(lua, lua_gettop(lua), reply, impl_->commands);
    else if (broken.has_value())
        reply.error(promise_error(function.registration.name, *broken));
    else
        reply.error(call_error(lua, function.registration));
    if (may_write) kept ? keyspace.keep_call() : keyspace.undo_call();
    lua_settop(lua, kStackBase);
    impl_->running = nullptr;
    impl_->arguments = {};
    if (failed == LUA_ERRMEM || state.over_limit()) impl_->collect();
    if (impl_->rehearsing) return kept;
    ++function.calls;
    if (!kept) impl_->note_undone(function, broken);
    function.last_store_calls = impl_->commands.count();
    function.store_calls += function.last_store_calls;
    return kept;
}

void LuaHost::rehearse(keyspace::Keyspace& stage, const std::function<void()>& calls) {
    impl_->rehearsing = true;
    impl_->commands.use(stage, true);
    // What is rehearsed will be called often: there is nothing to wait and see.
    if (impl_->options.compile) impl_->state.set_eager(true);
    calls();
    if (impl_->options.compile) impl_->state.set_eager(false);
    impl_->commands.use(impl_->data, false);
    impl_->rehearsing = false;
}

std::vector<FunctionCount> LuaHost::counts() const {
    std::vector<FunctionCount> all;
    for (const auto& [name, function] : impl_->functions) {
        all.push_back({.name = name,
                       .calls = function.calls,
                       .store_calls = function.store_calls,
                       .last_store_calls = function.last_store_calls,
                       .undone = function.undone});
    }
    std::ranges::sort(all, {}, &FunctionCount::name);
    return all;
}

std::size_t LuaHost::memory_bytes() const {
    return impl_->state.memory_bytes();
}

std::chrono::nanoseconds LuaHost::collector_time() const {
    return impl_->collector_time;
}

}  // namespace ff::host
