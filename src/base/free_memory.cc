#include "base/free_memory.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ff {

void give_back_free_memory([[maybe_unused]] std::size_t kept_bytes) {
#if defined(__GLIBC__)
    if (::mallinfo2().fordblks > kept_bytes) ::malloc_trim(kept_bytes);
#endif
}

}  // namespace ff
