#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace ff::hub {

/// What is told for metrics. Every method may be left as it is.
class Probe {
  public:
    virtual ~Probe() = default;
    /// A reader was told that so many frames of its stream are gone.
    virtual void frames_lost(std::uint64_t /*frames*/) {}
    /// An event reached a subscriber; its age by the clocks of store and server.
    virtual void feed_delivered(std::string_view /*family*/, Millis /*lag*/) {}
    /// A subscriber of that family was told that so many entries are gone.
    virtual void feed_lost(std::string_view /*family*/, std::uint64_t /*entries*/) {}
    /// `ok`, `failed` or `malformed`; the lag counts from the message to the end of its cascade.
    virtual void completion_dispatched(std::string_view /*result*/, Millis /*lag*/) {}
};

/// For whoever keeps no figures.
Probe& no_probe();

}  // namespace ff::hub
