#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/types.h"

namespace ff::sdk {

/// One question to the engine, in the words of the HTTP API.
struct DoorRequest {
    /// The operation's name, as layers see it. A literal.
    std::string_view operation{};
    std::string method = "GET";
    std::string target{};
    std::string body{};
    std::string content_type = "application/json";
    /// Of calls whose body is bytes.
    std::string task_token{};
    flowfabric::Millis timeout{30'000};
    /// Asking twice does no more than asking once.
    bool repeatable = false;
    /// Gives up waiting for the answer.
    std::stop_token stop{};
};

struct DoorReply {
    unsigned status = 0;
    std::string content_type{};
    std::string body{};
};

struct HotClaim;
struct HotClaimed;
class StoreAccess;
using CreatedItems = std::vector<flowfabric::Result<flowfabric::CreatedExecution>>;

/// The way to an engine: over HTTP, or into one that lives in this process. Both take the same
/// requests and give the same replies; the few operations that make up nearly all calls may have a
/// shorter way through the second. Any thread; blocks until the answer is there.
class Door {
  public:
    virtual ~Door() = default;
    /// Any status is a reply; an Error means that there is none.
    virtual flowfabric::Result<DoorReply> send(const DoorRequest& request) = 0;
    /// Claims, and completes before that what is finished. By default through `send`.
    virtual flowfabric::Result<HotClaimed> claim(const HotClaim& request);
    /// Creates, each for itself; nothing where `send` is the only way, for these or at all: so it
    /// is behind layers, which are asked once for each call.
    virtual std::optional<flowfabric::Result<CreatedItems>> create(
        const std::vector<flowfabric::NewExecution>& /*executions*/) {
        return std::nullopt;
    }
    /// A reply may get lost on the way, so that claims need an id to be asked for again.
    virtual bool loses_replies() const { return true; }
    /// The store behind the door, where a worker may use it.
    virtual StoreAccess* store_access() { return nullptr; }
};

/// What a reply says: the body of a success, or the error it names.
flowfabric::Result<DoorReply> success_of(flowfabric::Result<DoorReply> reply);

}  // namespace ff::sdk
