#pragma once

#include "keyspace/byte_string.h"
#include "keyspace/dense_index.h"

namespace ff::keyspace {

struct SetMember {
    ByteString bytes;
    std::string_view key() const { return bytes.view(); }
};

using SetValue = DenseIndex<SetMember>;

}  // namespace ff::keyspace
