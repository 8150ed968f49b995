#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

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
