#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "store/store.h"

namespace ff::testing {

/// A small function library of ours for tests of stores: t_incr, t_echo, t_many, t_publish, t_fail,
/// and the two functions by which a loader knows it.
std::string suite_library(std::int64_t version);
std::string suite_digest(std::int64_t version);
constexpr std::int64_t kSuiteVersion = 1000;

/// A store of one kind with everything below it, on a loop of its own.
class StoreHost {
  public:
    virtual ~StoreHost() = default;
    virtual store::Store& store() = 0;
    /// Every node of a server ends its connections of one type, `normal` or `pubsub`. False where
    /// there are none, as inside this process.
    virtual bool cut(const std::string& /*type*/) { return false; }
    boost::asio::io_context& loop() { return loop_; }

  protected:
    boost::asio::io_context loop_{1};
};

/// `embedded`, `valkey`, `valkey_unix`, `valkey_tls`, `valkey_password`, `redis7`, `cluster`.
const std::vector<std::string>& host_names();
/// A function library for a host, with what its functions answer about it.
struct HostLibrary {
    std::string source{};
    std::int64_t version = 0;
    std::string digest{};
};

/// Throws when it does not come up. Without a library of its own it has that of the suite.
std::unique_ptr<StoreHost> start_host(std::string_view name);
std::unique_ptr<StoreHost> start_host(std::string_view name, const HostLibrary& library);

}  // namespace ff::testing
