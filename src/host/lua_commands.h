#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/lua_convert.h"
#include "host/lua_host.h"
#include "host/lua_state.h"
#include "resp/writer.h"

namespace ff::host {

/// Keeps nothing of an answer but an error.
class PieceSink final : public keyspace::ReplySink {
  public:
    void reset() { failed_ = false; }
    void fail(std::string_view text) {
        failed_ = true;
        text_ = text;
    }
    bool failed() const { return failed_; }
    const std::string& text() const { return text_; }

    bool resp3() const override { return false; }
    void null() override {}
    void null_array() override {}
    void integer(std::int64_t) override {}
    void real(double) override {}
    void bulk(std::string_view) override {}
    void status(std::string_view) override {}
    void error(std::string_view text) override { fail(text); }
    void array(std::size_t) override {}
    void map(std::size_t) override {}
    void set(std::size_t) override {}

  private:
    bool failed_ = false;
    std::string text_{};
};

/// redis.call and redis.pcall: takes a command from the Lua stack, executes it on the keyspace and
/// leaves its answer there.
class LuaCommands final : public ValueSource {
  public:
    LuaCommands(LuaState& state, keyspace::Keyspace& keyspace, const LuaHostOptions& options);
    LuaCommands(const LuaCommands&) = delete;
    LuaCommands& operator=(const LuaCommands&) = delete;

    /// Commands work on this keyspace from now on. While rehearsing nothing leaves it: there are no
    /// messages, and every slot is local.
    void use(keyspace::Keyspace& keyspace, bool rehearsing);
    /// What holds for the function call under way.
    void begin(std::chrono::microseconds now, bool may_write,
               std::span<const std::string_view> keys, std::span<const std::string_view> args);
    std::uint64_t count() const { return count_; }
    keyspace::Keyspace& keyspace() { return *keyspace_; }

    /// The whole Lua stack is the command. True: the answer is at its top; false: an error table.
    bool run();
    /// The first argument is a key: leaves its hash as a table field -> value, or nil if there is
    /// none or another type. The second may be the table, if only this function ever fills it; then
    /// the third and fourth may be the rest of the key. False: an error table.
    bool read_hash();

    /// A command piece by piece, for compiled Lua, which calls these without the Lua stack: first
    /// its name, then the arguments, then `run_pieces`. Its answer is dropped. What the pieces
    /// point to stays until then. False: `piece_error` says why.
    void add_text(std::string_view text);
    void add_number(double number);
    /// An argument of the call under way, which are counted from 1 on. One of a command may be
    /// long.
    void add_argument(double place);
    /// The id of a stream's entry, of two integers from 0 on.
    void add_entry_id(double ms, double ordinal);
    /// One piece of three texts: keys are made of such, and are no use to Lua by themselves.
    void add_joined(std::string_view first, std::string_view second, std::string_view third);
    /// Whether there is a key of three texts.
    bool exists(std::string_view first, std::string_view second, std::string_view third);
    std::size_t argument_size(double place) const { return argument(place).size(); }
    bool run_pieces();
    const std::string& piece_error() const { return piece_sink_.text(); }
    void send_value_of(std::string_view first, std::string_view second, std::string_view third,
                       keyspace::ReplySink& sink) override;
    /// Nothing when leases are judged by the time of the call.
    std::optional<std::int64_t> held_lease_time_ms() const;
    LuaState& state() { return state_; }

  private:
    /// Which of a command's arguments are keys.
    enum class Keys : std::uint8_t { None, First, FirstTwo, All };
    struct Known {
        const char* name = nullptr;
        const keyspace::CommandSpec* spec = nullptr;
        Keys keys = Keys::None;
    };

    /// False if an argument is neither text nor number.
    bool read_arguments();
    const Known* find();
    const Known* find_known(const char* name) const;
    Known look_up(std::string_view name) const;
    /// The name is at the top of the Lua stack, which loses it.
    void remember(const Known& known);
    /// The error text, or nothing if the command may run.
    std::string_view refusal(const Known* known);
    std::string_view check_keys(Keys keys);
    std::string_view check_key(std::string_view key);
    void execute(const keyspace::CommandSpec& spec);
    void execute_pieces(const keyspace::CommandSpec& spec);
    /// Empty where there is none.
    std::string_view argument(double place) const;
    /// Valid until `forget_joined`.
    std::string_view joined(std::string_view first, std::string_view second,
                            std::string_view third);
    void forget_joined();

    LuaState& state_;
    keyspace::Keyspace* keyspace_;
    bool rehearsing_ = false;
    const LuaHostOptions& options_;
    LuaReplySink sink_;
    LuaRecordSink record_sink_;
    const keyspace::CommandSpec& hgetall_;
    const keyspace::CommandSpec& get_;
    const keyspace::CommandSpec& exists_;

    std::chrono::microseconds now_{};
    /// The number that functions write most, spelled once for all commands of the call.
    double now_ms_ = 0;
    std::string_view now_text_{};
    std::array<char, resp::kDoubleTextMax> now_room_{};
    bool may_write_ = false;
    std::uint64_t count_ = 0;
    std::span<const std::string_view> args_{};
    /// The slot all keys of the call must have, and the tag that was last found to have it.
    std::optional<std::uint16_t> slot_{};
    std::string_view tag_{};
    std::string tag_text_{};

    /// The command under way, and the room for it.
    std::span<const std::string_view> argv_{};
    std::vector<std::string_view> room_{};
    /// Texts of number arguments.
    std::vector<char> numbers_{};
    /// How many pieces of a command there are; more than fit are only counted.
    std::size_t pieces_ = 0;
    /// The argument among them.
    std::string_view staying_{};
    /// Texts that were joined; what does not fit is kept beside.
    std::array<char, 1024> joined_{};
    std::size_t joined_bytes_ = 0;
    std::deque<std::string> joined_beside_{};
    PieceSink piece_sink_{};
    /// Names are found again by the address of their Lua string, which the registry keeps alive.
    std::vector<Known> known_{};
    std::size_t remembered_ = 0;
    Known found_{};
};

}  // namespace ff::host
