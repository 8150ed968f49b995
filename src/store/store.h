#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/task.h"
#include "store/call.h"

namespace ff::store {

struct Channels {
    std::vector<std::string> names{};
    /// As of PSUBSCRIBE: `ff:wake:*`.
    std::vector<std::string> patterns{};
};

/// What a subscription yields.
struct Notice {
    enum class Kind : std::uint8_t {
        Message,
        /// Messages may have been missed before this point: the connection was lost and is back,
        /// or the reader was too slow. Whoever relies on the messages looks for itself now.
        Gap,
    };
    Kind kind = Kind::Message;
    std::string channel{};
    std::string message{};
};

/// The messages of some channels, from the moment it was made. Its buffer is bounded: a reader
/// that falls behind finds a Gap where messages were dropped. Destroying it ends it.
class Subscription {
  public:
    virtual ~Subscription() = default;
    /// The next notice, or nothing at the deadline. One caller at a time. `shutting_down` once the
    /// store has stopped.
    virtual Task<std::optional<Notice>> next(Deadline deadline) = 0;
};

/// Executes Valkey commands: the only port below the engine. Every implementation answers the
/// commands of spec 01, section 6 with the same values. Replies have the shapes of RESP3.
///
/// Methods may be awaited on any executor; the caller goes on where it was. An error reply of the
/// store comes back as `storage_error` with its transport kind (spec 01, section 10). Keys of
/// several slots in one command are refused with kind `cross_slot` before anything is sent.
class Store {
  public:
    virtual ~Store() = default;

    virtual Task<Reply> call(Call call) = 0;

    /// As `call`, for a command made by `function_command`. A function that the store does not
    /// know is loaded with its library, and called once more.
    virtual Task<Reply> fcall(Call call) = 0;

    /// Independent commands, on any slots, at the price of one wait. Commands of one slot run in
    /// order; there is no atomicity between them. As many results as commands, in their order.
    virtual boost::asio::awaitable<std::vector<Result<Reply>>> pipeline(
        std::vector<Call> calls) = 0;

    /// An XREAD with or without BLOCK, on a way of its own where it holds up nobody. Null when
    /// nothing came within its BLOCK time, or by its deadline if that is earlier.
    virtual Task<Reply> blocking_read(Call call) = 0;

    /// Returns when the channels are subscribed: what is published after that is yielded.
    virtual Task<std::unique_ptr<Subscription>> subscribe(Channels channels) = 0;

    /// Ends waits with `shutting_down`, lets calls under way finish, and closes. No call may
    /// follow; calls that do get `shutting_down`.
    virtual boost::asio::awaitable<void> stop() = 0;
};

}  // namespace ff::store
