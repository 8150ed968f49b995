#pragma once

#include "model/ids.h"

namespace ff::engine {

/// What a worker presents to act on the execution it leases.
struct Fence {
    model::LeaseId lease_id;
    model::LeaseEpoch lease_epoch{};
    model::AttemptId attempt_id;

    friend bool operator==(const Fence&, const Fence&) = default;
};

}  // namespace ff::engine
