#pragma once

#include <memory>

#include "contract/host.h"

namespace ff::contract {

/// The store of this process, in memory, with several shards so that a call across partitions
/// shows.
std::unique_ptr<Host> start_embedded();

}  // namespace ff::contract
