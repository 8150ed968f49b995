#include "host/resp_door_subscriptions.h"

#include <chrono>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/assert.h"
#include "base/task_group.h"
#include "host/resp_door_client.h"

namespace ff::host {
namespace asio = boost::asio;
namespace {

/// A wait is renewed after this long.
constexpr std::chrono::seconds kWait{30};

std::string message_frame(bool pattern, const std::string& name, const store::Notice& notice,
                          resp::Protocol protocol) {
    std::string frame;
    resp::ReplyWriter writer(frame, protocol);
    writer.push(pattern ? 4 : 3);
    writer.bulk(pattern ? "pmessage" : "message");
    if (pattern) writer.bulk(name);
    writer.bulk(notice.channel);
    writer.bulk(notice.message);
    return frame;
}

}  // namespace

struct DoorSubscriptions::Channel {
    Channel(asio::any_io_executor loop, Key channel_key, resp::Protocol spoken)
        : key(std::move(channel_key)), protocol(spoken), tasks(std::move(loop), "resp channel") {}

    Key key;
    resp::Protocol protocol;
    std::unique_ptr<store::Subscription> subscription;
    bool leaving = false;
    TaskGroup tasks;
};

DoorSubscriptions::DoorSubscriptions(asio::any_io_executor loop, store::Store& store,
                                     std::size_t most, Deliver deliver)
    : loop_(std::move(loop)), store_(store), most_(most), deliver_(std::move(deliver)) {}

DoorSubscriptions::~DoorSubscriptions() {
    FF_ASSERT(channels_.empty());
}

asio::awaitable<void> DoorSubscriptions::change(std::span<const std::string> words,
                                                resp::Protocol protocol, std::string& out) {
    std::string verb;
    for (const char c : words[0]) {
        verb += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const bool pattern = verb.starts_with("p");
    const bool adds = verb == "subscribe" || verb == "psubscribe";
    std::vector<Key> keys;
    for (const std::string& name : words.subspan(1)) keys.push_back({pattern, name});
    if (keys.empty() && adds) {
        resp::ReplyWriter(out, protocol)
            .error("ERR wrong number of arguments for '" + verb + "' command");
        co_return;
    }
    if (keys.empty()) {
        for (const auto& [key, channel] : channels_) {
            if (key.pattern == pattern) keys.push_back(key);
        }
        if (keys.empty()) confirm(verb, nullptr, protocol, out);
    }
    for (const Key& key : keys) {
        if (adds) {
            const Result<Done> added = co_await add(key, protocol);
            if (!added) {
                resp::ReplyWriter(out, protocol).error("ERR " + added.error().text());
                continue;
            }
        } else {
            co_await drop(key);
        }
        confirm(verb, &key, protocol, out);
    }
}

void DoorSubscriptions::confirm(std::string_view verb, const Key* key, resp::Protocol protocol,
                                std::string& out) const {
    resp::ReplyWriter writer(out, protocol);
    writer.push(3);
    writer.bulk(verb);
    if (key == nullptr) {
        writer.null();
    } else {
        writer.bulk(key->name);
    }
    writer.integer(static_cast<std::int64_t>(channels_.size()));
}

asio::awaitable<Result<Done>> DoorSubscriptions::add(Key key, resp::Protocol protocol) {
    if (channels_.contains(key)) co_return Done{};
    if (channels_.size() >= most_) {
        co_return Error{.code = "too_many_requests", .message = "too many subscriptions"};
    }
    store::Channels wanted;
    (key.pattern ? wanted.patterns : wanted.names).push_back(key.name);
    auto subscribed = co_await store_.subscribe(std::move(wanted));
    if (!subscribed) co_return std::move(subscribed).error();
    const auto channel = std::make_shared<Channel>(loop_, key, protocol);
    channel->subscription = *std::move(subscribed);
    channels_.emplace(std::move(key), channel);
    channel->tasks.spawn(pump(channel, deliver_));
    co_return Done{};
}

asio::awaitable<void> DoorSubscriptions::drop(Key key) {
    const auto at = channels_.find(key);
    if (at == channels_.end()) co_return;
    const std::shared_ptr<Channel> channel = at->second;
    channels_.erase(at);
    channel->leaving = true;
    channel->tasks.cancel();
    co_await channel->tasks.join();
}

/// A gap ends the connection, as Valkey ends one whose reader is too slow: the client must know.
asio::awaitable<void> DoorSubscriptions::pump(std::shared_ptr<Channel> channel, Deliver deliver) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!channel->leaving) {
        auto next = co_await channel->subscription->next(Deadline::after(kWait));
        if (!next || channel->leaving) break;
        if (!*next) continue;
        const store::Notice& notice = **next;
        std::string frame;
        if (notice.kind == store::Notice::Kind::Message) {
            frame =
                message_frame(channel->key.pattern, channel->key.name, notice, channel->protocol);
        }
        const bool goes_on = co_await deliver(std::move(frame));
        if (!goes_on) break;
    }
}

asio::awaitable<void> DoorSubscriptions::stop() {
    while (!channels_.empty()) {
        Key key = channels_.begin()->first;
        co_await drop(std::move(key));
    }
}

}  // namespace ff::host
