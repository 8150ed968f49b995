#pragma once

#include <cstddef>

namespace ff {

/// Gives memory that was freed back to the system, if the allocator holds more than `kept_bytes` of
/// it. Takes as long as the system needs for that much: some 100 ms for a gigabyte.
void give_back_free_memory(std::size_t kept_bytes);

}  // namespace ff
