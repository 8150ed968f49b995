#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_buffer.h"
#include "base/lent_pieces.h"
#include "base/result.h"
#include "base/time.h"
#include "keyspace/command_table.h"
#include "keyspace/reply_sink.h"

namespace ff::keyspace {

class BlockPool;
class Database;

struct KeyspaceOptions {
    /// `MAXLEN ~ n` drops entries in multiples of this many, so a stream holds fewer than n plus
    /// this many of them.
    std::uint32_t stream_trim_entries = 100;
};

/// The data of one shard in memory. Executes commands as Valkey 8.1 does and yields, for every
/// write, an effect that replays it. Lives on the thread of its shard; knows no files and no clock.
class Keyspace {
  public:
    explicit Keyspace(KeyspaceOptions options = {});
    ~Keyspace();
    Keyspace(Keyspace&&) noexcept;
    Keyspace& operator=(Keyspace&&) noexcept;

    /// argv[0] is the name of the command. `now` is the time since the epoch that decides expiry,
    /// `*` ids and TIME. The number of arguments is checked here; every refusal goes to the sink.
    void execute(const CommandSpec& command, std::span<const std::string_view> argv,
                 std::chrono::microseconds now, ReplySink& reply);

    /// What is executed from here on is one unit, until one of the others ends it: `keep_call`
    /// leaves it as it is, `undo_call` as if it had not been, its effects included. Calls do not
    /// nest, and nothing but `execute` and reading may come in between.
    void begin_call();
    void keep_call();
    void undo_call();

    /// Looks at a hash without a command: the values of these fields, empty where there is none.
    /// False if there is no such hash. They are valid until the next change. The names of the
    /// fields are known by their addresses, too, which makes literals fast.
    bool look_at_fields(std::string_view key, std::chrono::microseconds now,
                        std::span<const std::string_view> fields,
                        std::span<std::string_view> values);
    /// The size of a string; nothing if there is none.
    std::optional<std::size_t> string_size(std::string_view key,
                                           std::chrono::microseconds now) const;
    /// Whether the call under way, after begin_call, has changed this key, or any.
    bool has_written(std::string_view key) const;
    bool has_written() const;
    bool has(std::string_view key, std::chrono::microseconds now) const;

    /// Effects of everything executed since they were cleared, in order. The view is valid until
    /// the next call that writes. Clearing keeps the capacity.
    std::string_view effects() const;
    void clear_effects();
    /// Clears, and appends effects to that buffer from now on, where clearing leaves them; nullptr:
    /// no longer. `lent`: takes what stays (see below), if given.
    void write_effects_to(ByteBuffer* buffer, LentPieces* lent = nullptr);
    /// Where a string becomes these very bytes, the effects need no copy: they stay until the
    /// effects are stored. Holds until the next call of this.
    void set_staying(std::string_view bytes);

    /// Replays effects or loads a snapshot; logs nothing. Damaged bytes are an error with the code
    /// `corruption`: what came before the damage has been applied by then.
    Result<Done> apply(std::string_view effects);

    /// Deletes at most `limit` keys that are due at `now` and logs their deletion.
    std::size_t expire_due(std::chrono::microseconds now, std::size_t limit);
    /// No key expires before this time. A hint: nothing may be due then after all.
    std::optional<Timestamp> next_expiry() const;

    /// A snapshot in slices: what snapshot_step appends to `out` are effects that build exactly the
    /// content at begin_snapshot(), although writes go on in between. A step appends about
    /// `budget_bytes`, stands alone, and returns true when all is written.
    void begin_snapshot();
    bool snapshot_step(std::size_t budget_bytes, ByteBuffer& out);
    void abort_snapshot();

    /// Called with the key on every XADD, or when the call it belongs to is kept, so that a waiting
    /// XREAD can be answered. Must not call back into this object.
    void set_append_listener(std::function<void(std::string_view key)> listener);

    /// Counts keys that have expired but were not deleted yet.
    std::size_t key_count() const;
    /// An estimate of the heap in use, kept up to date at no cost.
    std::size_t memory_bytes() const;

    /// `type` is the name the TYPE command would give. For tests and diagnosis.
    void for_each_key(
        const std::function<void(std::string_view key, std::string_view type)>& visit) const;

  private:
    class Access;

    // What the database holds lies in the pool.
    std::unique_ptr<BlockPool> pool_;
    std::unique_ptr<Database> database_;
};

}  // namespace ff::keyspace
