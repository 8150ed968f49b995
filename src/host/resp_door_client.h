#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "resp/writer.h"

namespace ff::host {

/// What a request needs.
enum class DoorPath : std::uint8_t {
    Local,      // answered by DoorClient::answer
    Shard,      // a command with keys, or a function: goes to a shard with its neighbours
    Store,      // a command of the whole store
    Read,       // XREAD, which may wait
    Subscribe,  // changes the subscriptions of the connection
};

/// How the door treats a command.
struct DoorCommand {
    DoorPath path = DoorPath::Local;
    /// Its key is the first argument, and it has no other.
    bool one_key = false;
};
/// Any letter case; what nobody knows is Local, and answered there with an error.
DoorCommand door_command(std::string_view name);

/// The same text, as far as letters differ in case only. `lower` is in lower case.
bool is_word(std::string_view text, std::string_view lower);

/// The error reply for a failure of the store, without the `-`: its own words where it has spoken.
std::string error_line(const Error& error);

/// The state of one connection that commands change without the store, and those commands: HELLO,
/// AUTH, PING, ECHO, CLIENT, SELECT, RESET, QUIT. Knows no sockets.
class DoorClient {
  public:
    DoorClient(std::uint64_t id, std::string_view password) : id_(id), password_(password) {}

    /// False: the request is refused, and the refusal is in `out`. Without a password, and after
    /// AUTH, everything passes.
    bool admit(std::span<const std::string_view> argv, std::string& out);
    void answer(std::span<const std::string_view> argv, std::string& out);
    /// In RESP2 a connection that has subscribed may only ping, leave or change that.
    void answer_subscribed(std::span<const std::string_view> argv, std::string& out);
    /// Whether any request passes.
    bool admitted() const { return password_.empty() || authenticated_; }

    resp::Protocol protocol() const { return protocol_; }
    /// After QUIT: send what there is and close.
    bool leaving() const { return leaving_; }

  private:
    using Args = std::span<const std::string_view>;

    void hello(Args argv, resp::ReplyWriter& reply);
    /// Empty if user and password are right, else the refusal.
    std::string_view authenticate(std::string_view user, std::string_view password);
    void auth(Args argv, resp::ReplyWriter& reply);
    void client(Args argv, resp::ReplyWriter& reply);
    void describe(resp::ReplyWriter& reply) const;

    std::uint64_t id_;
    std::string_view password_;
    bool authenticated_ = false;
    bool leaving_ = false;
    resp::Protocol protocol_ = resp::Protocol::Resp2;
    std::string name_;
};

}  // namespace ff::host
