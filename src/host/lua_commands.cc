#include "host/lua_commands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <lua.hpp>

#include "host/lua_raise.h"
#include "model/slot.h"
#include "store/command_keys.h"

namespace ff::host {
namespace {

/// A power of two, well above twice the commands there are.
constexpr std::size_t kKnownPlaces = 512;
/// One name may come in many spellings; beyond this many they are looked up each time.
constexpr std::size_t kKnownMax = 200;
constexpr std::size_t kNumberBytes = 2 * resp::kDoubleTextMax;
/// More than a command of our library ever has (lua/lib/issue.lua splits them).
constexpr std::size_t kPiecesMax = 1024;
/// Found from the start, because a command in pieces leaves no trace that could be remembered.
constexpr std::array kWrites = {"DEL", "HDEL", "HSET", "HINCRBY", "PEXPIREAT", "SADD",
                                "SET", "SREM", "XADD", "XTRIM",   "ZADD",      "ZREM"};

constexpr keyspace::CommandSpec kPublish{
    .name = "publish", .arity = 3, .write = true, .in_functions = true};

bool is_publish(std::string_view name) {
    constexpr std::string_view kName = "publish";
    if (name.size() != kName.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
        if ((name[i] | 0x20) != kName[i]) return false;
    return true;
}

/// Integers in plain digits as long as they fit 64 bits, everything else as Valkey spells scores.
std::string_view number_text(double number, char* to) {
    constexpr double kIntegerEnd = 9223372036854775808.0;
    if (number > -kIntegerEnd && number < kIntegerEnd && number == std::trunc(number)) {
        const auto integer = static_cast<std::int64_t>(number);
        const char* end = std::to_chars(to, to + kNumberBytes, integer).ptr;
        return {to, static_cast<std::size_t>(end - to)};
    }
    return {to, resp::format_double(number, to)};
}

/// Hands on a text; anything else is an empty one.
class TextSink final : public keyspace::ReplySink {
  public:
    explicit TextSink(keyspace::ReplySink& to) : to_(to) {}

    bool resp3() const override { return false; }
    void null() override { to_.bulk({}); }
    void null_array() override { null(); }
    void integer(std::int64_t) override { null(); }
    void real(double) override { null(); }
    void bulk(std::string_view bytes) override { to_.bulk(bytes); }
    void status(std::string_view) override { null(); }
    void error(std::string_view) override { null(); }
    void array(std::size_t) override { null(); }
    void map(std::size_t) override { null(); }
    void set(std::size_t) override { null(); }

  private:
    keyspace::ReplySink& to_;
};

/// Keeps an integer; anything else is 1.
class CountSink final : public keyspace::ReplySink {
  public:
    std::int64_t value() const { return value_; }

    bool resp3() const override { return false; }
    void null() override {}
    void null_array() override {}
    void integer(std::int64_t value) override { value_ = value; }
    void real(double) override {}
    void bulk(std::string_view) override {}
    void status(std::string_view) override {}
    void error(std::string_view) override {}
    void array(std::size_t) override {}
    void map(std::size_t) override {}
    void set(std::size_t) override {}

  private:
    std::int64_t value_ = 1;
};

std::size_t place_of(const char* name) {
    // Lua strings are aligned, so the low bits say nothing.
    return (reinterpret_cast<std::uintptr_t>(name) >> 4) & (kKnownPlaces - 1);
}

}  // namespace

LuaCommands::LuaCommands(LuaState& state, keyspace::Keyspace& keyspace,
                         const LuaHostOptions& options)
    : state_(state),
      keyspace_(&keyspace),
      options_(options),
      sink_(state.get()),
      record_sink_(state.get()),
      hgetall_(*keyspace::find_command("HGETALL")),
      get_(*keyspace::find_command("GET")),
      exists_(*keyspace::find_command("EXISTS")) {
    known_.resize(kKnownPlaces);
    room_.resize(kPiecesMax);
    numbers_.resize(kPiecesMax * kNumberBytes);
    for (const char* name : kWrites) {
        lua_pushstring(state.get(), name);
        Known known = look_up(name);
        known.name = lua_tostring(state.get(), -1);
        remember(known);
    }
}

void LuaCommands::use(keyspace::Keyspace& keyspace, bool rehearsing) {
    keyspace_ = &keyspace;
    rehearsing_ = rehearsing;
    record_sink_.forget_names();
}

void LuaCommands::begin(std::chrono::microseconds now, bool may_write,
                        std::span<const std::string_view> keys,
                        std::span<const std::string_view> args) {
    now_ = now;
    now_ms_ = static_cast<double>(std::chrono::floor<std::chrono::milliseconds>(now_).count());
    now_text_ = number_text(now_ms_, now_room_.data());
    may_write_ = may_write;
    count_ = 0;
    args_ = args;
    pieces_ = 0;
    staying_ = {};
    forget_joined();
    slot_.reset();
    tag_ = {};
    if (keys.empty()) return;
    tag_ = model::hash_tag(keys.front());
    slot_ = model::slot_of(keys.front());
}

bool LuaCommands::read_arguments() {
    lua_State* lua = state_.get();
    const int count = lua_gettop(lua);
    const auto size = static_cast<std::size_t>(count);
    if (room_.size() < size) {
        room_.resize(size);
        numbers_.resize(size * kNumberBytes);
    }
    std::string_view* to = room_.data();
    for (int i = 1; i <= count; ++i, ++to) {
        const int type = lua_type(lua, i);
        if (type == LUA_TSTRING) {
            std::size_t length = 0;
            const char* bytes = lua_tolstring(lua, i, &length);
            *to = {bytes, length};
        } else if (type == LUA_TNUMBER) {
            const double number = lua_tonumber(lua, i);
            char* room = numbers_.data() + static_cast<std::size_t>(i - 1) * kNumberBytes;
            *to = number == now_ms_ ? now_text_ : number_text(number, room);
        } else {
            return false;
        }
    }
    argv_ = std::span(room_).first(size);
    return true;
}

std::optional<std::int64_t> LuaCommands::held_lease_time_ms() const {
    if (rehearsing_ || !options_.lease_time) return std::nullopt;
    const std::chrono::microseconds held = options_.lease_time(now_);
    if (held >= now_) return std::nullopt;
    return std::chrono::floor<std::chrono::milliseconds>(held).count();
}

const LuaCommands::Known* LuaCommands::find_known(const char* name) const {
    for (std::size_t place = place_of(name); known_[place].name != nullptr;
         place = (place + 1) & (kKnownPlaces - 1)) {
        if (known_[place].name == name) return &known_[place];
    }
    return nullptr;
}

LuaCommands::Known LuaCommands::look_up(std::string_view name) const {
    const keyspace::CommandSpec* spec = is_publish(name) ? &kPublish : keyspace::find_command(name);
    if (spec == nullptr || !spec->in_functions) return {};
    const std::array<std::string_view, 4> probe = {name, "a", "b", "c"};
    constexpr std::array kShapes = {Keys::None, Keys::First, Keys::FirstTwo, Keys::All};
    return {.name = name.data(), .spec = spec, .keys = kShapes[store::keys_of(probe).size()]};
}

const LuaCommands::Known* LuaCommands::find() {
    const std::string_view name = argv_.front();
    // Only a text is a Lua string with an address of its own; a number never names a command.
    if (lua_type(state_.get(), 1) != LUA_TSTRING) return nullptr;
    if (const Known* known = find_known(name.data())) return known;
    found_ = look_up(name);
    if (found_.spec == nullptr) return nullptr;
    if (remembered_ < kKnownMax) {
        lua_pushvalue(state_.get(), 1);
        remember(found_);
    }
    return &found_;
}

void LuaCommands::remember(const Known& known) {
    ++remembered_;
    std::size_t place = place_of(known.name);
    while (known_[place].name != nullptr) place = (place + 1) & (kKnownPlaces - 1);
    known_[place] = known;
    // The string stays, and so its address never means another name.
    luaL_ref(state_.get(), LUA_REGISTRYINDEX);
}

std::string_view LuaCommands::check_key(std::string_view key) {
    const std::string_view tag = model::hash_tag(key);
    if (slot_.has_value() && tag == tag_) return {};
    const std::uint16_t slot = model::slot_of(key);
    if (!slot_.has_value()) {
        slot_ = slot;
        // The key is a Lua string that may be gone at the next command.
        tag_text_ = tag;
        tag_ = tag_text_;
        if (options_.is_local && !rehearsing_ && !options_.is_local(slot))
            return "ERR Script attempted to access a non local key in a cluster node";
    } else if (slot != *slot_) {
        return "ERR Script attempted to access keys that do not hash to the same slot";
    }
    return {};
}

std::string_view LuaCommands::check_keys(Keys keys) {
    std::size_t count = 0;
    switch (keys) {
        case Keys::None:
            return {};
        case Keys::First:
            return check_key(argv_[1]);
        case Keys::FirstTwo:
            count = 2;
            break;
        case Keys::All:
            count = argv_.size() - 1;
            break;
    }
    for (std::size_t i = 1; i <= count; ++i) {
        const std::string_view why = check_key(argv_[i]);
        if (!why.empty()) return why;
    }
    return {};
}

std::string_view LuaCommands::refusal(const Known* known) {
    if (known == nullptr) return "ERR Unknown command called from script";
    if (!known->spec->accepts(argv_.size()))
        return "ERR Wrong number of args calling command from script";
    if (known->spec->write && !may_write_)
        return "ERR Write commands are not allowed from read-only scripts.";
    return check_keys(known->keys);
}

void LuaCommands::execute(const keyspace::CommandSpec& spec) {
    sink_.reset();
    if (&spec == &kPublish)
        sink_.integer(options_.publish && !rehearsing_ ? options_.publish(argv_[1], argv_[2]) : 0);
    else
        keyspace_->execute(spec, argv_, now_, sink_);
}

bool LuaCommands::run() {
    const LuaState::Unlimited unlimited(state_);
    lua_State* lua = state_.get();
    ++count_;
    if (lua_gettop(lua) == 0) {
        push_error_table(lua, "ERR Please specify at least one argument for this call");
        return false;
    }
    // The answer needs a few slots beside the arguments.
    constexpr int kSlots = 24;
    if (lua_checkstack(lua, kSlots) == 0) {
        push_error_table(lua, "ERR reached lua stack limit");
        return false;
    }
    if (!read_arguments()) {
        push_error_table(lua, "ERR Command arguments must be strings or integers");
        return false;
    }
    const Known* known = find();
    const std::string_view why = refusal(known);
    if (!why.empty()) {
        push_error_table(lua, why);
        return false;
    }
    execute(*known->spec);
    if (sink_.failed()) {
        push_error_table(lua, sink_.error_text());
        return false;
    }
    return true;
}

bool LuaCommands::read_hash() {
    const LuaState::Unlimited unlimited(state_);
    lua_State* lua = state_.get();
    ++count_;
    const int count = lua_gettop(lua);
    const bool is_joined =
        count == 4 && lua_type(lua, 3) == LUA_TSTRING && lua_type(lua, 4) == LUA_TSTRING;
    const bool fills = (count == 2 || is_joined) && lua_type(lua, 2) == LUA_TTABLE;
    if ((count != 1 && !fills) || lua_type(lua, 1) != LUA_TSTRING) {
        push_error_table(lua, "ERR wrong number or type of arguments");
        return false;
    }
    const auto text = [lua](int index) {
        std::size_t length = 0;
        const char* bytes = lua_tolstring(lua, index, &length);
        return std::string_view(bytes, length);
    };
    forget_joined();
    const std::array<std::string_view, 2> argv = {
        "HGETALL", is_joined ? joined(text(1), text(3), text(4)) : text(1)};
    const std::string_view why = check_key(argv[1]);
    if (!why.empty()) {
        push_error_table(lua, why);
        return false;
    }
    record_sink_.reset(fills ? 2 : 0);
    keyspace_->execute(hgetall_, argv, now_, record_sink_);
    record_sink_.settle();
    return true;
}

void LuaCommands::add_text(std::string_view text) {
    if (pieces_ < kPiecesMax) room_[pieces_] = text;
    ++pieces_;
}

void LuaCommands::add_number(double number) {
    if (pieces_ < kPiecesMax) {
        char* room = numbers_.data() + pieces_ * kNumberBytes;
        room_[pieces_] = number == now_ms_ ? now_text_ : number_text(number, room);
    }
    ++pieces_;
}

void LuaCommands::add_entry_id(double ms, double ordinal) {
    if (pieces_ < kPiecesMax) {
        char* const room = numbers_.data() + pieces_ * kNumberBytes;
        std::size_t size = number_text(ms, room).size();
        room[size++] = '-';
        size += number_text(ordinal, room + size).size();
        room_[pieces_] = {room, size};
    }
    ++pieces_;
}

std::string_view LuaCommands::argument(double place) const {
    if (!(place >= 1 && place <= static_cast<double>(args_.size()))) return {};
    return args_[static_cast<std::size_t>(place) - 1];
}

void LuaCommands::add_argument(double place) {
    staying_ = argument(place);
    add_text(staying_);
}

void LuaCommands::add_joined(std::string_view first, std::string_view second,
                             std::string_view third) {
    add_text(joined(first, second, third));
}

std::string_view LuaCommands::joined(std::string_view first, std::string_view second,
                                     std::string_view third) {
    const std::size_t size = first.size() + second.size() + third.size();
    char* to = nullptr;
    if (size <= joined_.size() - joined_bytes_) {
        to = joined_.data() + joined_bytes_;
        joined_bytes_ += size;
    } else {
        to = joined_beside_.emplace_back(size, '\0').data();
    }
    char* end = to;
    for (const std::string_view part : {first, second, third})
        end = std::copy(part.begin(), part.end(), end);
    return {to, size};
}

void LuaCommands::forget_joined() {
    joined_bytes_ = 0;
    if (!joined_beside_.empty()) joined_beside_.clear();
}

bool LuaCommands::exists(std::string_view first, std::string_view second, std::string_view third) {
    ++count_;
    forget_joined();
    const std::array<std::string_view, 2> argv = {"EXISTS", joined(first, second, third)};
    CountSink count;
    // Whoever goes on hears why not.
    if (!check_key(argv[1]).empty()) return true;
    keyspace_->execute(exists_, argv, now_, count);
    return count.value() != 0;
}

void LuaCommands::send_value_of(std::string_view first, std::string_view second,
                                std::string_view third, keyspace::ReplySink& sink) {
    ++count_;
    forget_joined();
    const std::string_view key = joined(first, second, third);
    const std::array<std::string_view, 2> argv = {"GET", key};
    TextSink text(sink);
    if (check_key(key).empty())
        keyspace_->execute(get_, argv, now_, text);
    else
        text.null();
}

void LuaCommands::execute_pieces(const keyspace::CommandSpec& spec) {
    const std::string_view staying = std::exchange(staying_, {});
    if (staying.empty()) return keyspace_->execute(spec, argv_, now_, piece_sink_);
    keyspace_->set_staying(staying);
    keyspace_->execute(spec, argv_, now_, piece_sink_);
    keyspace_->set_staying({});
}

bool LuaCommands::run_pieces() {
    ++count_;
    piece_sink_.reset();
    const std::size_t count = std::exchange(pieces_, 0);
    if (count == 0 || count > kPiecesMax) {
        piece_sink_.fail("ERR a command of no or of too many pieces");
        return false;
    }
    argv_ = std::span(room_).first(count);
    const Known* known = find_known(argv_.front().data());
    if (known == nullptr) {
        found_ = look_up(argv_.front());
        if (found_.spec != nullptr) known = &found_;
    }
    const std::string_view why = refusal(known);
    if (!why.empty())
        piece_sink_.fail(why);
    else if (known->spec == &kPublish)
        piece_sink_.fail("ERR PUBLISH does not come in pieces");
    else
        execute_pieces(*known->spec);
    forget_joined();
    return !piece_sink_.failed();
}

}  // namespace ff::host
