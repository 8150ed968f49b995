#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/random.h"
#include "base/task_group.h"
#include "net/address.h"
#include "valkey/event.h"
#include "valkey/options.h"
#include "valkey/pipeline.h"
#include "valkey/probe.h"
#include "valkey/session.h"

namespace ff::valkey {

struct ConnectionOptions {
    net::Address address{};
    SessionOptions session{};
    PipelineLimits limits{};
    BackoffOptions reconnect{};
    milliseconds silence_max{10'000};
    /// Requests wait while the server is away, until their deadlines; otherwise they fail at once,
    /// for callers that know other servers.
    bool hold_while_down = true;
};

/// One multiplexed connection to one server, kept up for ever. Requests of all callers share it:
/// what was asked for within one turn of the loop leaves in one write. Lives on one loop.
class Connection {
  public:
    /// `on_lost` is called after each break and each failed attempt to connect.
    Connection(boost::asio::any_io_executor loop, Random& random, Probe& probe,
               ConnectionOptions options, std::function<void()> on_lost);
    /// stop() first.
    ~Connection();

    /// The exchange is finished later, or at once if it cannot even wait.
    void submit(Exchange& exchange);

    /// Connects anew once what is under way has been answered: the server at this address may have
    /// become another one.
    void renew();

    /// No more requests; waits for those under way, at most `grace`, and closes.
    boost::asio::awaitable<void> stop(milliseconds grace);

    const net::Address& address() const { return options_.address; }
    bool is_up() const { return session_ != nullptr; }
    const Pipeline& pipeline() const { return pipeline_; }

  private:
    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> serve(std::shared_ptr<Session> session);
    Task<Done> read_replies(std::shared_ptr<Session> session);
    Result<Done> take_replies(Session& session);
    boost::asio::awaitable<void> write_rest(std::shared_ptr<Session> session);
    boost::asio::awaitable<void> watch();

    void on_refused(const Error& error);
    void on_broken(const Error& error);
    void schedule_flush();
    void flush();
    void break_off();
    bool silent_too_long(Pipeline::Time now) const;
    Pipeline::Time next_look() const;
    std::optional<Failure> refusal(const Exchange& exchange) const;
    void report() { probe_.in_flight(pipeline_.in_flight(), pipeline_.waiting()); }

    boost::asio::any_io_executor loop_;
    Random& random_;
    Probe& probe_;
    ConnectionOptions options_;
    std::function<void()> on_lost_;
    Pipeline pipeline_;
    std::shared_ptr<Session> session_{};

    /// Encoded and not yet given to the socket.
    std::string out_{};
    /// A coroutine of ours is writing; it takes along what comes meanwhile.
    bool writing_ = false;
    /// Replies are being handed out: what their callers ask next leaves in one write afterwards.
    bool in_batch_ = false;
    bool flush_posted_ = false;
    bool renewing_ = false;
    bool stopping_ = false;
    /// Why the last attempt to connect failed; none while connected or before the first.
    std::optional<Error> down_because_{};
    Pipeline::Time last_byte_{};
    /// When `watch` will look next.
    Pipeline::Time look_at_ = Pipeline::Time::max();

    Event pause_;
    Event look_;
    Event drained_;
    /// Tells callbacks posted to the loop whether this object still lives.
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    TaskGroup tasks_;
};

}  // namespace ff::valkey
