#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
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
///
/// The table may be one that an earlier answer was put into: records of one kind have the same
/// fields, and mostly the same short values, so little has to be made or collected then.
class LuaRecordSink final : public keyspace::ReplySink {
  public:
    explicit LuaRecordSink(lua_State* lua);

    /// Before answers of another keyspace come: its numbers mean other names.
    void forget_names();
    /// Pushes what the answer needs below it. `into`: where on the stack the table is that shall be
    /// filled; 0 makes one.
    void reset(int into);
    /// After the answer: fields that the table has from before are taken out.
    void settle();

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
    static constexpr std::uint16_t kNoField = 0xffff;

    /// What a field with a number has in the table, if it is short.
    class Held {
      public:
        bool is(std::string_view bytes) const {
            return size_ != kLong && size_ == bytes.size() &&
                   std::memcmp(bytes_.data(), bytes.data(), size_) == 0;
        }
        void set(std::string_view bytes) {
            size_ = bytes.size() <= bytes_.size() ? static_cast<std::uint8_t>(bytes.size()) : kLong;
            if (size_ != kLong && size_ > 0) std::memcpy(bytes_.data(), bytes.data(), size_);
        }

        /// Which filling of the table has left it there.
        std::uint32_t filling = 0;

      private:
        static constexpr std::uint8_t kLong = 0xff;
        std::uint8_t size_ = kLong;
        std::array<char, 27> bytes_{};
    };

    void push_name(std::string_view bytes, std::uint16_t number);
    void fill(std::string_view bytes);
    void settle_by_name();
    void empty(int table);

    lua_State* lua_;
    int names_ = 0;
    /// Keeps the table that was filled last, so that no other one can have its address.
    int kept_ = 0;
    /// Where the table of names lies on the stack.
    int names_at_ = 0;
    bool is_field_ = true;
    int into_ = 0;
    /// The field whose value comes next, if it has a number.
    std::uint16_t field_ = kNoField;
    std::string_view field_name_{};
    /// The table that was filled last, and with what: the numbers of fields, and other fields.
    const void* filled_ = nullptr;
    std::vector<std::uint16_t> numbers_{};
    std::vector<std::string> others_{};
    /// The same of the answer before, while one is under way.
    std::vector<std::uint16_t> former_numbers_{};
    std::vector<std::string> former_others_{};
    /// By number.
    std::vector<Held> held_{};
    std::uint32_t filling_ = 1;
};

/// Pushes the names that `send_lua_value` looks for in every table. They stay where they are: the
/// stack of the state begins with one other value and these.
void push_reply_names(lua_State* lua);
inline constexpr int kReplyNames = 6;

/// Knows what keys hold.
class ValueSource {
  public:
    virtual ~ValueSource() = default;
    /// Sends one text: what the key of these three parts holds, or an empty one if that is no
    /// text.
    virtual void send_value_of(std::string_view first, std::string_view second,
                               std::string_view third, keyspace::ReplySink& sink) = 0;
};

/// Sends the value at `index` to the sink by the rules for what a function returns: numbers are
/// truncated, an array ends at its first nil, tables with `ok`, `err`, `double`, `map`, `set` are
/// what they say; one with `ff_value_of` stands for what that key holds.
void send_lua_value(lua_State* lua, int index, keyspace::ReplySink& sink, ValueSource& values);

/// A double as Valkey's Lua would make it an integer: truncated, and the smallest one where the
/// type cannot hold it.
std::int64_t truncate_to_integer(double value);

}  // namespace ff::host
