#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/random.h"
#include "base/task.h"
#include "base/task_group.h"
#include "valkey/event.h"
#include "valkey/hub.h"
#include "valkey/options.h"
#include "valkey/router.h"
#include "valkey/session.h"

namespace ff::valkey {

/// The one connection that listens, for all subscriptions. It connects when somebody subscribes;
/// when it is lost it connects again, in a cluster to another node, subscribes again, and leaves a
/// Gap in every inbox. Lives on the store's loop.
class Subscriber {
  public:
    Subscriber(boost::asio::any_io_executor loop, Random& random, Router& router, Probe& probe,
               const Options& options);

    /// Returns when the server has confirmed the channels.
    Task<std::shared_ptr<Inbox>> subscribe(store::Channels channels);
    void unsubscribe(const std::shared_ptr<Inbox>& inbox);
    boost::asio::awaitable<void> stop();

  private:
    boost::asio::awaitable<void> run();
    Task<Done> connect_and_listen(Backoff& backoff);
    Task<Done> listen(std::shared_ptr<Session> session);
    Result<Done> take_values(Session& session);
    boost::asio::awaitable<void> keep_alive();
    boost::asio::awaitable<void> write_out(std::shared_ptr<Session> session);
    void send(std::string_view verb, const std::vector<std::string>& names);
    void send(const resp::Command& command);

    boost::asio::any_io_executor loop_;
    Random& random_;
    Router& router_;
    Probe& probe_;
    const Options& options_;
    Hub hub_{};
    std::shared_ptr<Session> session_{};
    net::Address address_{};
    std::string out_{};
    bool writing_ = false;
    bool stopping_ = false;
    /// A connection was lost since the last time everything was confirmed.
    bool gap_owed_ = false;
    std::size_t turn_ = 0;
    std::chrono::steady_clock::time_point last_byte_{};
    Event wanted_;
    Event pause_;
    Event tick_;
    TaskGroup tasks_;
};

}  // namespace ff::valkey
