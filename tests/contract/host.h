#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "support/resp_connection.h"

namespace ff::contract {

using testing::RespValue;
using List = std::vector<std::string>;

enum class HostKind : std::uint8_t { Valkey, Cluster, Redis7 };

std::string_view to_string(HostKind kind);
void PrintTo(HostKind kind, std::ostream* out);

/// A store with the library loaded, as a contract test sees it. Lives as long as the program and is
/// shared by all its tests, which keep apart by using partitions of their own.
class Host {
  public:
    virtual ~Host() = default;

    /// Runs a command on the node that holds its first key; an error reply is a value.
    virtual RespValue command(const List& args) = 0;

    RespValue fcall(std::string_view function, const List& keys, const List& args);

    /// Everything stored under a hash tag: key -> type and content. For tests that nothing changed.
    virtual std::map<std::string, std::string> contents(const std::string& tag) = 0;

    /// A connection that may subscribe; on a cluster any node hears every message.
    virtual testing::RespConnection subscriber() = 0;

    /// The store's clock in ms.
    std::int64_t now();
};

/// Starts it at the first call.
Host& host_of(HostKind kind);

/// The kinds every contract suite runs on.
std::vector<HostKind> all_hosts();

}  // namespace ff::contract
