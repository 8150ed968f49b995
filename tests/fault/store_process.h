#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/resp_connection.h"

namespace ff::fault {

/// A store_server of its own; killed with this object.
class StoreProcess {
  public:
    /// Waits until it serves; throws if it does not come up.
    StoreProcess(const std::string& folder, const std::vector<std::string>& settings);

    std::uint16_t port() const { return port_; }
    testing::RespConnection connect() const { return testing::RespConnection::connect(port_); }
    testing::Process& process() { return process_; }

    /// Runs a store_server that is expected to end by itself.
    static testing::CommandResult run(const std::string& folder,
                                      const std::vector<std::string>& settings);

  private:
    testing::Process process_;
    std::uint16_t port_ = 0;
};

}  // namespace ff::fault
