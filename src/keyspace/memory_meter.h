#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ff::keyspace {

/// Bytes that values have taken from the heap on this thread, less those given back. The keyspace
/// adds the difference over each of its calls to its own sum: values need no pointer to a counter.
inline thread_local std::int64_t metered_bytes = 0;

/// The standard allocator, with the meter running.
template <class T>
struct MeteredAllocator {
    using value_type = T;

    MeteredAllocator() = default;
    template <class U>
    MeteredAllocator(const MeteredAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t n) {
        metered_bytes += static_cast<std::int64_t>(n * sizeof(T));
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* at, std::size_t n) {
        metered_bytes -= static_cast<std::int64_t>(n * sizeof(T));
        std::allocator<T>().deallocate(at, n);
    }
    bool operator==(const MeteredAllocator&) const = default;
};

}  // namespace ff::keyspace
