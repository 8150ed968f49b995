#include "keyspace/quick_hash.h"

#include "base/random.h"

namespace ff::keyspace {

const std::uint64_t kHashSeed = SecureRandom().u64();

}  // namespace ff::keyspace
