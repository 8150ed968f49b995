#include "host/promise.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <lua.hpp>

namespace ff::host {
namespace {

using Broken = std::optional<std::string>;

// Places in ARGV, counted from 0 (spec 02 section 4.1, 03 section 6.1, 06 section 12).
constexpr std::size_t kPayloadAt = 7;
constexpr std::size_t kCountAt = 0;
constexpr std::size_t kStrideAt = 1;
constexpr std::size_t kFirstItemAt = 2;
constexpr std::size_t kIdempotencyKeyAt = 17;
/// Stands where a caller has no key to name (spec 01 section 5.2).
constexpr std::string_view kNoKey = "ff:noop:";

/// Words of a reply behind which an execution has ended, and those behind which it goes on.
constexpr std::array<std::string_view, 4> kEndWords = {"completed", "cancelled", "expired",
                                                       "terminal_failed"};
constexpr std::string_view kRetryWord = "retry_scheduled";

/// A value of a table on the stack, as long as it is needed.
class Item {
  public:
    Item(lua_State* lua, int table, int place) : lua_(lua) {
        if (lua_type(lua, table) == LUA_TTABLE)
            lua_rawgeti(lua, table, place);
        else
            lua_pushnil(lua);
    }
    ~Item() { lua_pop(lua_, 1); }
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;

    int index() const { return lua_gettop(lua_); }
    bool is_table() const { return lua_type(lua_, -1) == LUA_TTABLE; }
    bool is_one() const { return lua_type(lua_, -1) == LUA_TNUMBER && lua_tonumber(lua_, -1) == 1; }

  private:
    lua_State* lua_;
};

/// The table keeps it alive. Empty if it is no text.
std::string_view text_of(lua_State* lua, int table, int place) {
    const Item item(lua, table, place);
    if (lua_type(lua, -1) != LUA_TSTRING) return {};
    std::size_t size = 0;
    const char* bytes = lua_tolstring(lua, -1, &size);
    return {bytes, size};
}

class Check {
  public:
    Check(lua_State* lua, const FunctionCall& call, keyspace::Keyspace& keyspace)
        : lua_(lua), call_(call), keyspace_(keyspace) {
        const auto ms = std::chrono::floor<std::chrono::milliseconds>(call.now).count();
        const char* end = std::to_chars(now_.data(), now_.data() + now_.size(), ms).ptr;
        now_size_ = static_cast<std::size_t>(end - now_.data());
    }

    Broken run(int reply, model::Promise promise) {
        switch (promise) {
            case model::Promise::None:
                return std::nullopt;
            case model::Promise::Key:
                return key_is_there();
            case model::Promise::Counted:
                return number_in(kCountAt) == 0 ? std::nullopt : key_is_there();
            case model::Promise::Core:
                return look_at_core(Field::State) ? std::nullopt : not_written();
            case model::Promise::Suspended:
                if (is_repeated_suspend() || look_at_core(Field::State)) return std::nullopt;
                return not_written();
            case model::Promise::AsTold:
                return as_told(text_of(lua_, reply, 3));
            case model::Promise::Created:
                return created(reply, kPayloadAt);
            case model::Promise::CreatedEach:
                return created_each(reply);
            case model::Promise::Leased:
                if (!look_at_core(Field::Lease)) return not_written();
                return leased(text_of(lua_, reply, 3));
            case model::Promise::LeasedEach:
                return leased_each(reply);
            case model::Promise::EndedAndLeasedEach:
                return ended_and_leased_each(reply);
        }
        return std::nullopt;
    }

  private:
    /// What is looked at besides when it was written.
    enum class Field : std::uint8_t { State, Lease, Phase };
    static constexpr std::array<std::array<std::string_view, 2>, 3> kFields = {
        {{"last_mutation_at", "public_state"},
         {"last_mutation_at", "current_lease_id"},
         {"last_mutation_at", "lifecycle_phase"}}};
    static constexpr std::size_t kKeyBytesMax = 256;

    static Broken missing(std::string_view what, std::string_view how) {
        return std::string(what).append(how);
    }
    Broken not_written() const { return missing(key_, " was not written"); }

    /// 0 if there is none.
    std::size_t number_in(std::size_t place) const {
        std::size_t number = 0;
        if (place >= call_.args.size()) return number;
        const std::string_view text = call_.args[place];
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }

    /// Of the execution with this id: the head of its keys is the same for all of a call.
    std::string_view key_of(std::string_view id, std::string_view part) {
        constexpr std::string_view kHead = "ff:exec:";
        const std::size_t tag = id.find('}') + 1;
        if (tag == 0 || kHead.size() + tag + 1 + id.size() + part.size() > kKeyBytesMax) return {};
        char* to = key_room_.data();
        for (const std::string_view piece :
             {kHead, id.substr(0, tag), std::string_view(":"), id, part}) {
            std::memcpy(to, piece.data(), piece.size());
            to += piece.size();
        }
        return {key_room_.data(), static_cast<std::size_t>(to - key_room_.data())};
    }
    /// True if it was written by this call; then `value_` is that of the field. The time tells it
    /// at no cost; some callers bring a time of their own, and then the notes of the call tell.
    bool look_at_core(std::string_view key, Field field) {
        key_ = key;
        std::array<std::string_view, 2> values;
        const auto& fields = kFields[static_cast<std::size_t>(field)];
        if (key.empty() || !keyspace_.look_at_fields(key, call_.now, fields, values)) return false;
        value_ = values[1];
        return values[0] == std::string_view(now_.data(), now_size_) || keyspace_.has_written(key);
    }
    bool look_at_core(Field field) {
        return look_at_core(call_.keys.empty() ? "" : call_.keys[0], field);
    }
    /// One that is repeated with its idempotency key gets the answer that was kept.
    bool is_repeated_suspend() const {
        return call_.args.size() > kIdempotencyKeyAt && !call_.args[kIdempotencyKeyAt].empty() &&
               !keyspace_.has_written();
    }
    Broken key_is_there() const {
        if (call_.keys.empty() || call_.keys[0].starts_with(kNoKey)) return std::nullopt;
        if (keyspace_.has(call_.keys[0], call_.now)) return std::nullopt;
        return missing(call_.keys[0], " is not there");
    }

    Broken as_told(std::string_view word) {
        const bool ends = std::ranges::find(kEndWords, word) != kEndWords.end();
        if (!ends && word != kRetryWord) return std::nullopt;
        if (!look_at_core(Field::Phase)) return not_written();
        return ends ? ended() : std::nullopt;
    }
    Broken ended() const {
        if (value_ == "terminal") return std::nullopt;
        return missing(key_, " has not ended");
    }
    Broken leased(std::string_view lease) const {
        if (!lease.empty() && value_ == lease) return std::nullopt;
        return missing(key_, " does not hold the lease of the reply");
    }
    Broken created(int reply, std::size_t payload_at) {
        const std::string_view id = text_of(lua_, reply, 3);
        if (!look_at_core(key_of(id, ":core"), Field::State))
            return missing(id, ": the core was not written");
        if (value_ != text_of(lua_, reply, 4))
            return missing(key_, " says another state than the reply");
        const std::size_t size = payload_at < call_.args.size() ? call_.args[payload_at].size() : 0;
        if (size == 0 || keyspace_.string_size(key_of(id, ":payload"), call_.now) == size)
            return std::nullopt;
        return missing(id, ": the payload was not stored");
    }
    Broken created_each(int reply) {
        const std::size_t stride = number_in(kStrideAt);
        const std::size_t count = lua_objlen(lua_, reply) - 2;
        for (std::size_t i = 0; i < count; ++i) {
            const Item item(lua_, reply, static_cast<int>(i) + 3);
            if (!acknowledges(lua_, item.index())) continue;
            const std::size_t at = kFirstItemAt + stride * i + kPayloadAt;
            if (Broken broken = created(item.index(), at)) return broken;
        }
        return std::nullopt;
    }
    Broken leased_each(int reply) {
        const Item claimed(lua_, reply, 3);
        if (!claimed.is_table()) return std::nullopt;
        const int list = claimed.index();
        const auto count = static_cast<int>(lua_objlen(lua_, list));
        for (int i = 1; i <= count; ++i) {
            const Item item(lua_, list, i);
            const std::string_view id = text_of(lua_, item.index(), 1);
            if (!look_at_core(key_of(id, ":core"), Field::Lease))
                return missing(id, ": the core was not written");
            if (Broken broken = leased(text_of(lua_, item.index(), 2))) return broken;
        }
        return std::nullopt;
    }
    Broken ended_and_leased_each(int reply) {
        {
            const Item items(lua_, reply, 3);
            const int list = items.index();
            const int count = items.is_table() ? static_cast<int>(lua_objlen(lua_, list)) : 0;
            for (int i = 1; i <= count; ++i) {
                const Item item(lua_, list, i);
                if (!Item(lua_, item.index(), 2).is_one()) continue;
                const std::string_view id = text_of(lua_, item.index(), 1);
                if (!look_at_core(key_of(id, ":core"), Field::Phase))
                    return missing(id, ": the core was not written");
                if (Broken broken = ended()) return broken;
            }
        }
        const Item claim(lua_, reply, 4);
        if (!acknowledges(lua_, claim.index())) return std::nullopt;
        return leased_each(claim.index());
    }

  public:
    /// {1, "OK", ...}
    static bool acknowledges(lua_State* lua, int reply) {
        return lua_type(lua, reply) == LUA_TTABLE && Item(lua, reply, 1).is_one() &&
               text_of(lua, reply, 2) == "OK";
    }

  private:
    lua_State* lua_;
    const FunctionCall& call_;
    keyspace::Keyspace& keyspace_;
    std::array<char, 24> now_{};
    std::size_t now_size_ = 0;
    std::array<char, kKeyBytesMax> key_room_;  // NOLINT(*-member-init): written before it is read
    std::string_view key_{};
    std::string_view value_{};
};

}  // namespace

std::optional<std::string> broken_promise(lua_State* lua, int reply, model::Promise promise,
                                          const FunctionCall& call, keyspace::Keyspace& keyspace) {
    if (promise == model::Promise::None || !Check::acknowledges(lua, reply)) return std::nullopt;
    return Check(lua, call, keyspace).run(reply, promise);
}

}  // namespace ff::host
