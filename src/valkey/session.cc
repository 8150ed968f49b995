#include "valkey/session.h"

#include <utility>

#include "model/transport_kind.h"
#include "net/connect.h"
#include "store/reply_errors.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;
using model::TransportKind;

constexpr std::size_t kReadBytes = std::size_t{16} << 10;

Error from_net(const Error& error) {
    const bool settings = error.code == "invalid_client_config";
    return model::storage_error(
        settings ? TransportKind::InvalidClientConfig : TransportKind::IoError, error.message);
}

resp::Command hello(const SessionOptions& options) {
    resp::Command command("HELLO");
    command.arg("3");
    if (!options.password.empty()) {
        const std::string user = options.user.empty() ? "default" : options.user;
        command.arg("AUTH").arg(user).arg(options.password);
    }
    if (!options.client_name.empty()) command.arg("SETNAME").arg(options.client_name);
    return command;
}

/// A refused greeting: nothing of a caller has been sent yet.
Error refused(const resp::Value& reply) {
    const std::string line(reply.error_text());
    const std::string_view word = reply.error_code();
    const TransportKind kind = store::kind_of_error_reply(line);
    const bool old_server = line.find("unknown command") != std::string::npos;
    if (word == "NOPROTO" || old_server)
        return model::storage_error(TransportKind::InvalidClientConfig,
                                    "the server does not speak RESP3: " + line);
    // Such as "max number of clients reached".
    if (kind == TransportKind::ResponseError)
        return model::storage_error(TransportKind::IoError, "HELLO: " + line);
    return model::storage_error(kind, line);
}

}  // namespace

Task<std::shared_ptr<Session>> Session::open(asio::any_io_executor loop, net::Address address,
                                             SessionOptions options, Deadline deadline) {
    net::Target target{.address = std::move(address), .tls = options.tls};
    auto stream = co_await net::connect(loop, std::move(target), deadline);
    if (!stream.has_value()) co_return from_net(stream.error());
    const net::CloseAt guard(loop, *stream, deadline);
    auto session = std::make_shared<Session>(*std::move(stream));
    FF_CO_CHECK(co_await session->write(std::string(hello(options).wire())));
    FF_CO_TRY(const resp::Value reply, co_await session->read());
    if (reply.is_error()) co_return refused(reply);
    co_return session;
}

Task<Done> Session::fill() {
    const std::span<char> room = parser_.prepare(kReadBytes);
    const Result<std::size_t> count = co_await stream_->read_some(room);
    if (!count.has_value()) co_return from_net(count.error());
    parser_.commit(*count);
    co_return Done{};
}

Task<resp::Value> Session::read() {
    while (true) {
        Result<std::optional<resp::Value>> value = parser_.next();
        if (!value.has_value())
            co_return model::storage_error(TransportKind::ParseError, value.error().message);
        if (value->has_value()) co_return std::move(**value);
        FF_CO_CHECK(co_await fill());
    }
}

Task<Done> Session::write(std::string bytes) {
    const Result<Done> written = co_await stream_->write_all(bytes);
    if (!written.has_value()) co_return from_net(written.error());
    co_return Done{};
}

}  // namespace ff::valkey
