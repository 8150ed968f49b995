#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/channel_hub.h"
#include "host/lua_host.h"
#include "keyspace/keyspace.h"
#include "resp/value.h"

namespace ff::host {

/// Executes one FCALL on a keyspace that is thrown away, and answers its reply.
using Stage = std::function<resp::Value(std::span<const std::string_view> argv)>;
/// Calls what will be called often, as it will be called.
using Rehearsal = std::function<Result<Done>(const Stage& stage)>;

struct ShardStateOptions {
    std::size_t lua_memory_max = 512U << 20;
    bool compile = true;
    std::function<bool(std::uint16_t slot)> is_local{};
    /// As LuaHostOptions has it.
    const MemoryGauge* memory = nullptr;
    /// As LuaHostOptions has it.
    std::function<std::chrono::microseconds(std::chrono::microseconds now)> lease_time{};
    /// The text of `INFO [section]`.
    std::function<std::string(std::string_view section)> info{};
    /// Called on the shard's thread for every call of a function that was undone.
    std::function<void(const UndoneCall& call)> on_undone{};
    /// Called with the text of a library before its FUNCTION LOAD is answered.
    std::function<Result<Done>(std::string_view name, std::string_view text)> keep_library{};
};

/// The data of one shard and the functions that work on it: executes every command of spec 01,
/// section 6 that needs no connection. Knows no threads and no files.
class ShardState {
  public:
    /// `hub` outlives the state.
    ShardState(ChannelHub& hub, ShardStateOptions options);
    ShardState(const ShardState&) = delete;
    ShardState& operator=(const ShardState&) = delete;

    /// One command as one unit; sends exactly one value. Its effects are left in the keyspace, its
    /// messages in `published`.
    void execute(std::span<const std::string_view> argv, std::chrono::microseconds now,
                 keyspace::ReplySink& reply);

    /// Lets a rehearsal call functions before there is work: the first calls of each are slow,
    /// because the compiler has yet to see what they do. None of the data is touched.
    void rehearse(const Rehearsal& rehearsal);

    keyspace::Keyspace& keyspace() { return keyspace_; }
    const keyspace::Keyspace& keyspace() const { return keyspace_; }
    LuaHost& lua() { return lua_; }
    /// Messages that wait for their writes to be stored.
    std::vector<Message>& published() { return published_; }

  private:
    using Args = std::span<const std::string_view>;
    void execute_own(Args argv, std::chrono::microseconds now, keyspace::ReplySink& reply);
    void call_function(Args argv, std::chrono::microseconds now, bool read_only,
                       keyspace::ReplySink& reply);
    void manage_functions(Args argv, keyspace::ReplySink& reply);
    void load_functions(Args argv, keyspace::ReplySink& reply);
    void list_functions(Args argv, keyspace::ReplySink& reply);
    std::int64_t publish(std::string_view channel, std::string_view message);

    ChannelHub& hub_;
    ShardStateOptions options_;
    keyspace::Keyspace keyspace_{};
    LuaHost lua_;
    std::vector<Message> published_{};
};

}  // namespace ff::host
