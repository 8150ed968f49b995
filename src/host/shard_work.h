#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "keyspace/reply_sink.h"

namespace ff::host {

/// What a shard offers to the work it executes. Used on the shard's thread only.
class CommandRunner {
  public:
    virtual ~CommandRunner() = default;
    /// Executes one command of spec 01, section 6.2 (FCALL included) whose keys belong to this
    /// shard, as one unit: what it writes is one record of the journal. Exactly one reply is sent.
    virtual void run(std::span<const std::string_view> argv, keyspace::ReplySink& reply) = 0;
};

/// Something for a shard to do: one call, or all that came with one read of a connection.
class ShardWork {
  public:
    virtual ~ShardWork() = default;
    /// On the shard's thread, together with whatever else is queued: one tick.
    virtual void execute(CommandRunner& runner) = 0;
    /// Once, when all that it did and saw is durable, or with the reason why that is not known.
    /// On the committer's or the shard's thread: must not wait. `self` is this object.
    virtual void release(std::unique_ptr<ShardWork> self, const Result<Done>& outcome) = 0;
};

/// Where work is handed in; any thread may call.
class ShardWorkTaker {
  public:
    virtual ~ShardWorkTaker() = default;
    virtual std::size_t shard_count() const = 0;
    /// The shard that holds the keys of a slot.
    virtual std::size_t shard_of(std::uint16_t slot) const = 0;
    /// Queues it. Refused when the queue is full, the journal cannot write or the store stops:
    /// then `work` is left alone and never runs.
    virtual Result<Done> submit(std::size_t shard, std::unique_ptr<ShardWork>& work) = 0;
};

}  // namespace ff::host
