#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keyspace/reply_sink.h"

struct lua_State;

namespace ff::host {

/// Pushes a command's answer onto a Lua stack as a function sees it: nil bulk is false, a status a
/// table with `ok`, aggregates are arrays. An error is kept aside, because whether it is raised or
/// returned is the caller's choice; then nothing is on the stack.
class LuaReplySink final : public keyspace::ReplySink {
  public:
    explicit LuaReplySink(lua_State* lua) : lua_(lua) {}

    void reset();
    bool failed() const { return failed_; }
    const std::string& error_text() const { return error_text_; }

    bool resp3() const override { return false; }
    void null() override;
    void null_array() override { null(); }
    void integer(std::int64_t value) override;
    void real(double value) override;
    void bulk(std::string_view bytes) override;
    void status(std::string_view text) override;
    void error(std::string_view text) override;
    void array(std::size_t size) override;
    void map(std::size_t pairs) override { array(pairs * 2); }
    void set(std::size_t size) override { array(size); }

  private:
    struct Open {
        std::size_t left = 0;
        int next = 1;
    };
    /// A value is complete on top of the stack: puts it where it belongs.
    void settle();

    lua_State* lua_;
    std::vector<Open> open_{};
    bool failed_ = false;
    std::string error_text_{};
};

/// Pushes the answer of HGETALL as one table field -> value; nil for an empty one or an error. The
/// Lua strings of fields are kept by their numbers.
class LuaRecordSink final : public keyspace::ReplySink {
  public:
    explicit LuaRecordSink(lua_State* lua);

    /// Pushes what the answer needs below it.
    void reset();

    bool resp3() const override { return false; }
    void null() override;
    void null_array() override { null(); }
    void integer(std::int64_t) override { null(); }
    void real(double) override { null(); }
    void bulk(std::string_view bytes) override;
    void name(std::string_view bytes, std::uint16_t number) override;
    void status(std::string_view) override { null(); }
    void error(std::string_view) override { null(); }
    void array(std::size_t size) override;
    void map(std::size_t pairs) override { array(pairs * 2); }
    void set(std::size_t) override { null(); }

  private:
    lua_State* lua_;
    int names_ = 0;
    /// Where the table of names lies on the stack.
    int names_at_ = 0;
    bool is_field_ = true;
};

/// Pushes the names that `send_lua_value` looks for in every table. They stay where they are: the
/// stack of the state begins with one other value and these.
void push_reply_names(lua_State* lua);
inline constexpr int kReplyNames = 5;

/// Sends the value at `index` to the sink by the rules for what a function returns: numbers are
/// truncated, an array ends at its first nil, tables with `ok`, `err`, `double`, `map`, `set` are
/// what they say.
void send_lua_value(lua_State* lua, int index, keyspace::ReplySink& sink);

/// A double as Valkey's Lua would make it an integer: truncated, and the smallest one where the
/// type cannot hold it.
std::int64_t truncate_to_integer(double value);

}  // namespace ff::host
