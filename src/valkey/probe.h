#pragma once

#include <chrono>
#include <cstddef>

#include "model/transport_kind.h"

namespace ff::valkey {

/// What the client tells whoever keeps its figures. Called on the store's loop, often: an
/// implementation counts and returns. Does nothing unless overridden.
class Probe {
  public:
    virtual ~Probe() = default;
    /// A reply came for a request somebody still waits for.
    virtual void round_trip(std::chrono::steady_clock::duration) {}
    /// Requests on one connection, after a change: written and unanswered, and not yet written.
    virtual void in_flight(std::size_t /*sent*/, std::size_t /*waiting*/) {}
    virtual void connected() {}
    virtual void connection_lost() {}
    /// A call is sent again because of a reply (`moved`, `ask`, `try_again`, ...) or a failure.
    virtual void redirected(model::TransportKind) {}
    virtual void topology_refreshed() {}
    virtual void library_loaded() {}
};

}  // namespace ff::valkey
