#include <cstdint>
#include <string_view>

#include "keyspace/keyspace.h"

// Whatever bytes are replayed: an answer comes, and the keyspace that is left can be saved, and
// loaded from what was saved.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ff::keyspace::Keyspace keyspace;
    const bool whole = keyspace.apply({reinterpret_cast<const char*>(data), size}).has_value();
    if (!whole && size == 0) __builtin_trap();
    ff::ByteBuffer snapshot;
    keyspace.begin_snapshot();
    while (!keyspace.snapshot_step(256, snapshot)) {
    }
    ff::keyspace::Keyspace loaded;
    if (!loaded.apply(snapshot.view()).has_value()) __builtin_trap();
    if (loaded.key_count() != keyspace.key_count()) __builtin_trap();
    return 0;
}
