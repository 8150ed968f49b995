#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "support/resp_connection.h"

namespace ff::contract {

using testing::RespValue;
using List = std::vector<std::string>;

/// `Interpreted` is the embedded store without its compiler.
enum class HostKind : std::uint8_t { Embedded, Interpreted, Valkey, Cluster, Redis7 };

std::string_view to_string(HostKind kind);
void PrintTo(HostKind kind, std::ostream* out);

/// Hears one channel from the moment it was made.
class Listener {
  public:
    virtual ~Listener() = default;
    /// The next message; throws when none comes.
    virtual std::string next() = 0;
};

/// A store with the library loaded, as a contract test sees it. Lives as long as the program and is
/// shared by all its tests, which keep apart by using partitions of their own.
class Host {
  public:
    virtual ~Host() = default;

    /// Runs a command on the node that holds its first key; an error reply is a value.
    virtual RespValue command(const List& args) = 0;

    RespValue fcall(std::string_view function, const List& keys, const List& args);

    /// The keys under a hash tag and the type of each, as TYPE names it.
    virtual std::map<std::string, std::string> keys(const std::string& tag) = 0;

    /// What a key of that type holds. Fields of hashes and members of sets are in order.
    RespValue content(const std::string& key, std::string_view type);

    /// Everything stored under a hash tag, in whatever form tells that nothing changed.
    virtual std::map<std::string, std::string> contents(const std::string& tag);

    virtual std::unique_ptr<Listener> listen(const std::string& channel) = 0;

    /// What is left of a key's life; nothing where the store does not tell (PTTL is no command of
    /// the specification).
    virtual std::optional<std::int64_t> ttl_ms(const std::string& key);

    /// Grows with every change of data; nothing where nobody counts them.
    virtual std::optional<std::uint64_t> changes() { return std::nullopt; }

    /// Store calls that a function has made so far; nothing where nobody counts them.
    virtual std::optional<std::uint64_t> store_calls(std::string_view function);

    /// The store's clock in ms.
    std::int64_t now();
};

/// Starts it at the first call.
Host& host_of(HostKind kind);

/// The kinds every contract suite runs on.
std::vector<HostKind> all_hosts();

}  // namespace ff::contract
