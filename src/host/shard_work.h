#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "host/work.h"
#include "keyspace/reply_sink.h"

namespace ff::host {

/// What a shard offers to the work it executes. Used on the shard's thread only.
class CommandRunner {
  public:
    virtual ~CommandRunner() = default;
    /// Executes one command of spec 01, section 6.2 (FCALL included) whose keys belong to this
    /// shard, as one unit: what it writes is one record of the journal. Exactly one reply is sent.
    /// What `argv` refers to stays until the work is released.
    virtual void run(std::span<const std::string_view> argv, keyspace::ReplySink& reply) = 0;
};

/// Where work for the shards is handed in; any thread may call.
class ShardWorkTaker {
  public:
    virtual ~ShardWorkTaker() = default;
    virtual std::size_t shard_count() const = 0;
    /// The shard that holds the keys of a slot.
    virtual std::size_t shard_of(std::uint16_t slot) const = 0;
    /// Queues it; the maker keeps it alive until it is released. Refused when the queue is full,
    /// the journal cannot write or the store stops: then it is left alone.
    virtual Result<Done> submit(std::size_t shard, Work& work) = 0;
};

}  // namespace ff::host
