#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/memory_gauge.h"
#include "keyspace/keyspace.h"
#include "keyspace/reply_sink.h"

namespace ff::host {

/// A call that was undone, for whoever counts: its function raised an error, or it broke the
/// promise that the catalogue of functions makes for it.
struct UndoneCall {
    std::string_view function{};
    bool broke_promise = false;
};

struct LuaHostOptions {
    /// Bytes that the functions of one shard may hold, garbage included.
    std::size_t memory_max = 512U << 20;
    /// Compile hot code to machine code.
    bool compile = true;
    /// PUBLISH of a function; answers the number of receivers.
    std::function<std::int64_t(std::string_view channel, std::string_view message)> publish{};
    /// Whether the keys of a slot live in this keyspace. Empty: all do.
    std::function<bool(std::uint16_t slot)> is_local{};
    /// Whether the store has no room for more; outlives the host. Null: it always has.
    const MemoryGauge* memory = nullptr;
    std::function<void(const UndoneCall& call)> on_undone{};
    /// What leases are judged by at that time, where it is not the time itself. Empty: it is.
    std::function<std::chrono::microseconds(std::chrono::microseconds now)> lease_time{};
};

struct FunctionCall {
    std::string_view name{};
    std::span<const std::string_view> keys{};
    std::span<const std::string_view> args{};
    /// Of FCALL_RO: functions that may write are refused.
    bool read_only = false;
    /// Frozen for the whole call.
    std::chrono::microseconds now{};
};

/// How often a function was called, and what it asked of the store. Every redis.call counts as one.
struct FunctionCount {
    std::string name{};
    std::uint64_t calls = 0;
    std::uint64_t store_calls = 0;
    /// Of the last call alone.
    std::uint64_t last_store_calls = 0;
    /// Calls that failed, and left nothing behind.
    std::uint64_t undone = 0;
};

/// What FUNCTION LIST tells of a library.
struct LibraryFacts {
    struct Function {
        std::string name{};
        std::optional<std::string> description{};
        std::vector<std::string> flags{};
    };
    std::string name{};
    std::string text{};
    std::vector<Function> functions{};
};

/// Runs the functions of loaded libraries in LuaJIT on one keyspace, as Valkey 8.1 does with FCALL
/// (spec 01, section 6.3). Lives on the thread of its shard.
class LuaHost {
  public:
    /// `keyspace` outlives the host.
    LuaHost(keyspace::Keyspace& keyspace, LuaHostOptions options);
    ~LuaHost();
    LuaHost(LuaHost&&) noexcept;
    LuaHost& operator=(LuaHost&&) = delete;

    /// Loads a library and answers its name. Refused as a whole, with a message that is the reply
    /// of Valkey without its "ERR "; then nothing has changed.
    Result<std::string> load(std::string_view text, bool replace);
    std::vector<LibraryFacts> libraries() const;

    /// Sends exactly one value. False: the function raised an error or has not written what its
    /// reply says (promise.h), and nothing of what it wrote is left; what it published is the
    /// caller's to drop.
    bool call(const FunctionCall& call, keyspace::ReplySink& reply);

    /// While `calls` runs, functions work on `stage` and not on the keyspace, nothing of what they
    /// do leaves it, and they are not counted. What remains is what the compiler has learnt.
    void rehearse(keyspace::Keyspace& stage, const std::function<void()>& calls);

    /// In order of name.
    std::vector<FunctionCount> counts() const;
    std::size_t memory_bytes() const;
    /// Spent so far on collecting all garbage at once, which calls that met a limit end with.
    std::chrono::nanoseconds collector_time() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ff::host
