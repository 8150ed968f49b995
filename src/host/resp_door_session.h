#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "host/resp_door.h"
#include "host/resp_door_batch.h"
#include "host/resp_door_client.h"
#include "host/resp_door_subscriptions.h"
#include "resp/request_parser.h"

namespace ff::host {

/// What was received and not consumed yet.
class DoorInput {
  public:
    explicit DoorInput(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    std::string_view bytes() const { return {block_.data(), end_}; }
    std::size_t start() const { return start_; }
    void consume(std::size_t bytes) { start_ += bytes; }
    /// Room for at least `need` more bytes behind what there is, which may move; empty if that
    /// would be more than one request may have.
    std::span<char> room(std::size_t need);
    void received(std::size_t bytes) { end_ += bytes; }

  private:
    std::size_t bytes_max_;
    std::vector<char> block_;
    std::size_t start_ = 0;
    std::size_t end_ = 0;
};

/// One connection of the door, on the loop of the door.
class DoorSession {
  public:
    DoorSession(boost::asio::ip::tcp::socket socket, store::Store& store, ShardWorkTaker& shards,
                const RespDoorOptions& options, std::uint64_t id);

    /// Serves until either side closes.
    boost::asio::awaitable<void> run();

  private:
    /// What to do after looking at the input.
    enum class Next : std::uint8_t {
        Read,   // nothing whole is left
        Batch,  // execute the batch
        Alone,  // the request in the parser
        Fail,   // the input cannot be understood
    };

    Next gather();
    bool joins_batch(std::span<const std::string_view> argv) const;
    boost::asio::awaitable<bool> read();
    /// Sends all that is in `out_`; false when the connection is gone.
    boost::asio::awaitable<bool> flush();
    boost::asio::awaitable<bool> serve();
    boost::asio::awaitable<void> serve_alone(std::vector<std::string> words);
    boost::asio::awaitable<void> call_store(resp::Command command);
    boost::asio::awaitable<void> read_streams(resp::Command command);
    /// Returns when the other side has closed, and else only when cancelled.
    boost::asio::awaitable<void> until_gone();

    boost::asio::ip::tcp::socket socket_;
    store::Store& store_;
    DoorClient client_;
    resp::RequestParser parser_;
    DoorInput input_;
    DoorBatch batch_;
    DoorSubscriptions subscriptions_;

    std::string out_;
    std::string sending_;
    bool is_sending_ = false;
    bool is_broken_ = false;
    boost::asio::steady_timer sent_;  // cancelled when a send is over
};

}  // namespace ff::host
