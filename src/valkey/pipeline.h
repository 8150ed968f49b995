#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "resp/value.h"
#include "valkey/exchange.h"

namespace ff::valkey {

struct PipelineLimits {
    /// Requests written and not answered.
    std::size_t in_flight_max = 4096;
    /// Requests that wait to be written.
    std::size_t waiting_max = 65536;
    /// No more is encoded while so many bytes wait for the socket.
    std::size_t write_bytes_max = std::size_t{1} << 20;
};

/// Matches replies to requests on one connection, which answers in order. Decides only: whoever
/// owns the socket moves the bytes. Finishing an exchange resumes its coroutine at once, which may
/// call back into this object; every method leaves itself consistent before it does so.
class Pipeline {
  public:
    using Time = std::chrono::steady_clock::time_point;

    explicit Pipeline(PipelineLimits limits) : limits_(limits) {}

    /// Takes a request in. False if too many wait: nothing was taken.
    bool add(Exchange& exchange);

    /// Encodes requests that wait behind `out`, as many as the limits let.
    void encode(std::string& out, Time now);
    /// So many more encoded bytes were given to the socket.
    void handed_over(std::size_t bytes) { handed_ += bytes; }

    /// The reply to the oldest request; how long it took, unless nobody waits for it any more.
    /// False in `matched` if none was asked for.
    struct Matched {
        bool matched = false;
        std::optional<std::chrono::steady_clock::duration> round_trip{};
    };
    Matched on_reply(resp::Value reply, Time now);

    /// The connection is gone, with encoded bytes that were never handed over. Requests of which
    /// all bytes had been handed over fail as possibly executed with `error`; the others wait
    /// again, in their order, before all newer ones. `worth_retrying` as in Failure.
    void on_broken(const Error& error, bool worth_retrying = true);
    /// Fails what waits, none of it executed.
    void refuse_waiting(const Error& error, bool worth_retrying = true);

    /// Fails what is past its deadline. A reply that comes later is dropped.
    void expire(Time now);
    /// The coroutine of the exchange gives up: it is finished with `error`.
    void abandon(Exchange& exchange, const Error& error);

    /// The earliest deadline, or `Time::max()`.
    Time next_deadline() const;
    /// When the request was encoded whose reply is owed next; nothing if none is owed.
    std::optional<Time> oldest_sent() const;

    std::size_t in_flight() const { return sent_.size(); }
    std::size_t waiting() const { return waiting_.size(); }
    bool empty() const { return sent_.empty() && waiting_.empty(); }
    /// Nobody waits for anything; replies may still be owed.
    bool unwanted() const;

  private:
    struct Entry {
        /// Null: the reply is nobody's, as that to ASKING or one that came too late.
        Exchange* exchange = nullptr;
        Time at{};
        /// Count of encoded bytes up to the end of this request.
        std::uint64_t end = 0;
    };
    struct Ended {
        Exchange* exchange = nullptr;
        Failure failure{};
    };
    static void finish_all(std::vector<Ended>& ended);

    PipelineLimits limits_;
    std::deque<Exchange*> waiting_{};
    std::deque<Entry> sent_{};
    /// Bytes encoded, and of those given to the socket, on the present connection.
    std::uint64_t encoded_ = 0;
    std::uint64_t handed_ = 0;
};

}  // namespace ff::valkey
