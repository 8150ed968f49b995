#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "keyspace/block_pool.h"

namespace ff::keyspace {

/// Bytes that values have taken on this thread, less those given back. The keyspace adds the
/// difference over each of its calls to its own sum: values need no pointer to a counter.
inline thread_local std::int64_t metered_bytes = 0;

/// Where values take their blocks from: the keyspace makes its pool the current one for each of
/// its calls. A value lives and goes under the pool under which it was made, or without any.
inline thread_local BlockPool* current_pool = nullptr;

/// Sanitizers know the life of every block of the heap, of those in a pool they know nothing.
#if defined(FF_SANITIZED)
inline constexpr bool kUsePool = false;
#else
inline constexpr bool kUsePool = true;
#endif

/// Small blocks from the current pool, others from the heap, with the meter running.
template <class T>
struct MeteredAllocator {
    using value_type = T;

    MeteredAllocator() = default;
    template <class U>
    MeteredAllocator(const MeteredAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t n) {
        metered_bytes += static_cast<std::int64_t>(n * sizeof(T));
        if (is_pooled(n)) return static_cast<T*>(current_pool->take(n * sizeof(T)));
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* at, std::size_t n) {
        metered_bytes -= static_cast<std::int64_t>(n * sizeof(T));
        if (is_pooled(n)) return current_pool->give(at, n * sizeof(T));
        std::allocator<T>().deallocate(at, n);
    }
    bool operator==(const MeteredAllocator&) const = default;

  private:
    static bool is_pooled(std::size_t n) {
        static_assert(alignof(T) <= 16);
        return kUsePool && n <= BlockPool::kBlockBytesMax / sizeof(T) && current_pool != nullptr;
    }
};

struct MeteredDelete {
    template <class T>
    void operator()(T* at) const {
        std::destroy_at(at);
        MeteredAllocator<T>().deallocate(at, 1);
    }
};

/// A sole owner of one metered object.
template <class T>
using Owned = std::unique_ptr<T, MeteredDelete>;

template <class T, class... Args>
Owned<T> make_owned(Args&&... args) {
    T* at = MeteredAllocator<T>().allocate(1);
    return Owned<T>(std::construct_at(at, std::forward<Args>(args)...));
}

}  // namespace ff::keyspace
