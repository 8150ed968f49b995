#include "host/resp_door_session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace ff::host {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kReadBytes = 64U << 10;
/// More requests than this of one connection do not hold up the others.
constexpr std::size_t kBatchRequestsMax = 1024;
/// Replies beyond this are sent before more requests are served.
constexpr std::size_t kFlushBytes = 256U << 10;
/// A reply buffer that grew beyond this is given back after use.
constexpr std::size_t kKeptBytes = 1U << 20;
/// XREAD may wait for ever; its connection stays busy meanwhile.
constexpr std::chrono::hours kReadPatience{24 * 365};

bool lies_in(std::string_view inner, std::string_view outer) {
    const std::less_equal<const char*> before;
    return before(outer.data(), inner.data()) &&
           before(inner.data() + inner.size(), outer.data() + outer.size());
}

/// What XREAD answers is a map in RESP3, and a list of pairs in RESP2.
void write_streams(const resp::Value& streams, resp::ReplyWriter& writer) {
    if (streams.is_null()) return writer.null_array();
    if (writer.protocol() == resp::Protocol::Resp3 || streams.type() != resp::Type::Map) {
        return writer.write_value(streams);
    }
    const std::span<const resp::Value> items = streams.items();
    writer.array(items.size() / 2);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i % 2 == 0) writer.array(2);
        writer.write_value(items[i]);
    }
}

resp::RequestLimits limits_of(const RespDoorOptions& options) {
    return {.bulk_bytes_max = options.request_bytes_max};
}

}  // namespace

std::span<char> DoorInput::room(std::size_t need) {
    if (start_ > 0) {
        std::memmove(block_.data(), block_.data() + start_, end_ - start_);
        end_ -= start_;
        start_ = 0;
    }
    // A short read costs as much as a long one.
    const std::size_t least = std::max(need, std::min(kReadBytes, bytes_max_));
    if (end_ + need > bytes_max_ + kReadBytes) return {};
    if (block_.size() - end_ < need || block_.empty()) block_.resize(end_ + least);
    if (end_ == 0 && block_.size() > kKeptBytes && need <= kReadBytes) {
        block_.resize(kReadBytes);
        block_.shrink_to_fit();
    }
    return std::span(block_).subspan(end_);
}

DoorSession::DoorSession(asio::ip::tcp::socket socket, store::Store& store, ShardWorkTaker& shards,
                         const RespDoorOptions& options, std::uint64_t id)
    : socket_(std::move(socket)),
      store_(store),
      client_(id, options.password),
      parser_(limits_of(options)),
      input_(options.request_bytes_max),
      batch_(shards),
      subscriptions_(socket_.get_executor(), store, options.subscriptions_max,
                     [this](std::string frame) -> asio::awaitable<bool> {
                         if (frame.empty()) is_broken_ = true;
                         out_ += frame;
                         return flush();
                     }),
      sent_(socket_.get_executor()) {}

asio::awaitable<void> DoorSession::run() {
    // A cancelled connection ends here, with what it has under way answered, not by an exception.
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    bool open = true;
    while (open && cancellation.cancelled() == asio::cancellation_type::none) {
        open = co_await serve();
    }
    co_await subscriptions_.stop();
    boost::system::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
}

/// One turn; false when the connection is over.
asio::awaitable<bool> DoorSession::serve() {
    switch (gather()) {
        case Next::Batch:
            co_await batch_.run(client_.protocol(), out_);
            break;
        case Next::Alone: {
            std::vector<std::string> words(parser_.argv().begin(), parser_.argv().end());
            input_.consume(parser_.consumed());
            co_await serve_alone(std::move(words));
            break;
        }
        case Next::Read: {
            const bool sent = co_await flush();
            if (!sent) co_return false;
            const bool got = co_await read();
            co_return got;
        }
        case Next::Fail:
            resp::ReplyWriter(out_, client_.protocol()).error(parser_.error());
            co_await flush();
            co_return false;
    }
    if (out_.size() < kFlushBytes && !client_.leaving()) co_return !is_broken_;
    const bool sent = co_await flush();
    co_return sent && !client_.leaving();
}

/// Takes requests into the batch for as long as they can go there together.
DoorSession::Next DoorSession::gather() {
    while (batch_.size() < kBatchRequestsMax) {
        const resp::RequestStatus status = parser_.parse(input_.bytes(), input_.start());
        if (status == resp::RequestStatus::NeedMore) {
            return batch_.empty() ? Next::Read : Next::Batch;
        }
        if (status == resp::RequestStatus::Error) return batch_.empty() ? Next::Fail : Next::Batch;
        const std::span<const std::string_view> argv = parser_.argv();
        if (argv.empty()) {
            input_.consume(parser_.consumed());
            continue;
        }
        const DoorCommand command = door_command(argv[0]);
        if (command.path != DoorPath::Shard || !joins_batch(argv)) {
            return batch_.empty() ? Next::Alone : Next::Batch;
        }
        batch_.add(argv, command.one_key);
        input_.consume(parser_.consumed());
    }
    return Next::Batch;
}

/// Not the rare request whose quotes were taken off: its bytes live in the parser only.
bool DoorSession::joins_batch(std::span<const std::string_view> argv) const {
    if (!client_.admitted()) return false;
    if (!subscriptions_.empty() && client_.protocol() == resp::Protocol::Resp2) return false;
    return std::ranges::all_of(
        argv, [this](std::string_view arg) { return lies_in(arg, input_.bytes()); });
}

asio::awaitable<bool> DoorSession::read() {
    const std::span<char> room = input_.room(std::max<std::size_t>(parser_.need(), 1));
    if (room.empty()) {
        resp::ReplyWriter(out_, client_.protocol()).error("ERR Protocol error: request too large");
        co_await flush();
        co_return false;
    }
    const auto buffer = asio::buffer(room.data(), room.size());
    const auto [failure, bytes] = co_await socket_.async_read_some(buffer, kAsTuple);
    if (failure) co_return false;
    input_.received(bytes);
    co_return true;
}

/// The connection's own turn and the subscriptions' may meet here: one sends, the other waits and
/// then sends what was added meanwhile.
asio::awaitable<bool> DoorSession::flush() {
    while (is_sending_) {
        sent_.expires_at(asio::steady_timer::time_point::max());
        boost::system::error_code cancelled;
        co_await sent_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
    if (is_broken_ || out_.empty()) co_return !is_broken_;
    is_sending_ = true;
    sending_.clear();
    if (sending_.capacity() > kKeptBytes) sending_.shrink_to_fit();
    std::swap(out_, sending_);
    const auto buffer = asio::buffer(sending_);
    const auto [failure, bytes] = co_await asio::async_write(socket_, buffer, kAsTuple);
    is_sending_ = false;
    sent_.cancel();
    if (failure) is_broken_ = true;
    co_return !is_broken_;
}

asio::awaitable<void> DoorSession::serve_alone(std::vector<std::string> words) {
    const std::vector<std::string_view> argv(words.begin(), words.end());
    if (!client_.admit(argv, out_)) co_return;
    const DoorCommand command_facts = door_command(argv[0]);
    const DoorPath path = command_facts.path;
    if (path == DoorPath::Subscribe) {
        co_await subscriptions_.change(words, client_.protocol(), out_);
        co_return;
    }
    const bool only_subscribed =
        !subscriptions_.empty() && client_.protocol() == resp::Protocol::Resp2;
    if (only_subscribed) {
        client_.answer_subscribed(argv, out_);
    } else if (path == DoorPath::Local) {
        client_.answer(argv, out_);
    } else if (path == DoorPath::Shard) {
        batch_.add(argv, command_facts.one_key);
        co_await batch_.run(client_.protocol(), out_);
    } else if (path == DoorPath::Read) {
        resp::Command command(argv);
        co_await read_streams(std::move(command));
    } else {
        resp::Command command(argv);
        co_await call_store(std::move(command));
    }
}

asio::awaitable<void> DoorSession::call_store(resp::Command command) {
    store::Call call{.command = std::move(command)};
    const Result<store::Reply> reply = co_await store_.call(std::move(call));
    resp::ReplyWriter writer(out_, client_.protocol());
    if (reply) {
        writer.write_value(*reply);
    } else {
        writer.error(error_line(reply.error()));
    }
}

/// It may take long: what was answered before it must not wait with it, and a client that leaves
/// meanwhile ends it.
asio::awaitable<void> DoorSession::read_streams(resp::Command command) {
    using asio::experimental::awaitable_operators::operator||;
    const bool sent = co_await flush();
    if (!sent) co_return;
    store::Call call{.command = std::move(command)};
    call.deadline = Deadline::after(kReadPatience);
    auto either = store_.blocking_read(std::move(call)) || until_gone();
    const auto outcome = co_await std::move(either);
    const Result<store::Reply>* reply = std::get_if<0>(&outcome);
    if (reply == nullptr) {
        is_broken_ = true;
        co_return;
    }
    resp::ReplyWriter writer(out_, client_.protocol());
    if (*reply) {
        write_streams(**reply, writer);
    } else {
        writer.error(error_line(reply->error()));
    }
}

asio::awaitable<void> DoorSession::until_gone() {
    const auto [failure] = co_await socket_.async_wait(tcp::socket::wait_read, kAsTuple);
    if (failure) co_return;
    char byte = 0;
    boost::system::error_code problem;
    socket_.non_blocking(true, problem);
    socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, problem);
    if (problem && problem != asio::error::would_block) co_return;
    // More requests have come; behind them nothing can be seen.
    asio::steady_timer forever(socket_.get_executor(), asio::steady_timer::time_point::max());
    co_await forever.async_wait(kAsTuple);
}

}  // namespace ff::host
