#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "resp/writer.h"
#include "store/store.h"

namespace ff::host {

/// The channels and patterns that one connection listens to. Lives on the loop of the connection.
class DoorSubscriptions {
  public:
    /// `deliver` takes a message for the connection and sends it; false: stop, nobody listens.
    using Deliver = std::function<boost::asio::awaitable<bool>(std::string frame)>;
    DoorSubscriptions(boost::asio::any_io_executor loop, store::Store& store, std::size_t most,
                      Deliver deliver);
    ~DoorSubscriptions();

    /// SUBSCRIBE, PSUBSCRIBE, UNSUBSCRIBE or PUNSUBSCRIBE, with its replies.
    boost::asio::awaitable<void> change(std::span<const std::string> words, resp::Protocol protocol,
                                        std::string& out);
    bool empty() const { return channels_.empty(); }
    boost::asio::awaitable<void> stop();

  private:
    struct Channel;
    /// Patterns and channels have names of their own.
    struct Key {
        bool pattern = false;
        std::string name{};
        auto operator<=>(const Key&) const = default;
    };
    boost::asio::awaitable<Result<Done>> add(Key key, resp::Protocol protocol);
    boost::asio::awaitable<void> drop(Key key);
    void confirm(std::string_view verb, const Key* key, resp::Protocol protocol,
                 std::string& out) const;
    static boost::asio::awaitable<void> pump(std::shared_ptr<Channel> channel, Deliver deliver);

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    std::size_t most_;
    Deliver deliver_;
    std::map<Key, std::shared_ptr<Channel>> channels_;  // shared with the pump of each
};

}  // namespace ff::host
