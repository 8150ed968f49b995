#pragma once

#include <vector>

#include "keyspace/byte_string.h"

namespace ff::keyspace {

/// Only ever appended to and read.
using ListValue = std::vector<ByteString, MeteredAllocator<ByteString>>;

}  // namespace ff::keyspace
