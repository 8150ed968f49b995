#pragma once

#include <memory>
#include <string>

#include "base/random.h"
#include "fault/server_load.h"

namespace ff::fault {

/// A server with its store, of which something is killed again and again.
class KilledSystem {
  public:
    /// OneShard or FourShards of an embedded store; ValkeyWithAof; ClusterFailover.
    static std::unique_ptr<KilledSystem> make(const std::string& name);
    virtual ~KilledSystem() = default;

    /// The port where it serves.
    virtual std::uint16_t start() = 0;
    /// SIGKILL to a part of it. Returns when all of it runs again, and tells the load where.
    virtual void kill(ServerLoad& load, Random& random) = 0;
};

}  // namespace ff::fault
