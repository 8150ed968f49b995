#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/request_reader.h"
#include "http/response_head.h"
#include "http/server.h"
#include "http/wire_stream.h"

namespace ff::http {

/// Names for requests whose client gave none: unlike any other server's, and counted.
class RequestIds {
  public:
    RequestIds();
    std::string next();

  private:
    std::string prefix_;
    std::uint64_t count_ = 0;
};

/// The Date header, written anew once a second.
class DateText {
  public:
    const std::string& now();

  private:
    std::int64_t second_ = -1;
    std::string text_{};
};

/// What a session shares with its server; owned by the server, which outlives its sessions.
struct SessionContext {
    ServerOptions options{};
    Handler& handler;
    RequestIds ids{};
    DateText date{};
    bool draining = false;  // no further request is read once this is set
    bool crowded = false;   // a connection waits for room: whoever is done makes some
};

/// One connection: reads requests and writes their responses, in order, one at a time. Requests
/// that a client sends ahead wait in the buffer and in the socket.
class Session {
  public:
    using IdleClock = std::chrono::steady_clock;

    /// `socket` is of TCP or of a unix socket.
    Session(WireStream::Socket socket, SessionContext& context);
    ~Session();

    boost::asio::awaitable<void> run();

    /// From when on it may be ended to make room for another connection: at once when it is idle,
    /// after a while when its client is slow to send or to read, never while it waits for its
    /// handler. Of several, whoever has this earliest goes first.
    IdleClock::time_point dispensable_from() const;
    /// Waiting for the first byte of a request.
    bool idle() const { return stage_ == Stage::Idle; }
    /// Ends the session if it is idle.
    void interrupt_idle();
    /// Closes the connection, whatever it is doing.
    void cut();

  private:
    class Client;
    enum class Stage : std::uint8_t { Idle, Reading, Answering };

    void enter(Stage stage);
    /// False when the client cannot speak TLS with us.
    boost::asio::awaitable<bool> greet();
    boost::asio::awaitable<void> say_goodbye();
    boost::asio::awaitable<bool> await_first_byte();
    /// Whether the connection goes on to the next request.
    boost::asio::awaitable<bool> serve_one();
    /// `held` is what the admission of the request has to be kept for.
    boost::asio::awaitable<RequestReader::Read> read(RequestReader& reader,
                                                     std::shared_ptr<void>& held);
    /// Whether everything could be written.
    boost::asio::awaitable<bool> write(Response& response, HeadFacts facts, bool head_only);
    boost::asio::awaitable<void> linger();

    WireStream wire_;
    std::unique_ptr<Client> client_;
    SessionContext& context_;
    Stage stage_ = Stage::Reading;
    IdleClock::time_point stage_since_ = IdleClock::now();
    bool more_to_come_ = false;  // the client is still sending what was refused
};

}  // namespace ff::http
