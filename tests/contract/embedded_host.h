#pragma once

#include <memory>

#include "contract/host.h"

namespace ff::contract {

struct EmbeddedMode {
    bool compile = true;
};

/// The store of this process, in memory, with several shards so that a call across partitions
/// shows.
std::unique_ptr<Host> start_embedded(EmbeddedMode mode);

}  // namespace ff::contract
