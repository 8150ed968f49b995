#include "sched/rotation.h"

#include <algorithm>

#include "model/partition.h"

namespace ff::sched {
namespace {

constexpr unsigned kCursorBits = 16;
constexpr std::uint64_t kCursorMask = (std::uint64_t{1} << kCursorBits) - 1;

}  // namespace

std::vector<std::uint16_t> Rotation::window(std::string_view worker_instance_id, Timestamp now,
                                            std::uint16_t count) {
    const std::uint32_t start =
        (std::uint32_t{model::fnv16(worker_instance_id, count)} + cursor_at(now, count)) % count;
    std::vector<std::uint16_t> partitions;
    for (std::uint32_t i = 0; i < std::min(kWindow, count); ++i) {
        partitions.push_back(static_cast<std::uint16_t>((start + i) % count));
    }
    return partitions;
}

std::uint16_t Rotation::cursor_at(Timestamp now, std::uint16_t count) {
    const std::uint64_t step =
        static_cast<std::uint64_t>(to_ms(now)) / static_cast<std::uint64_t>(kStep.count());
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    while ((seen >> kCursorBits) < step) {
        // The first caller of a new step moves the window on for everybody.
        const std::uint64_t cursor = ((seen & kCursorMask) + kWindow) % count;
        const std::uint64_t next = (step << kCursorBits) | cursor;
        if (state_.compare_exchange_weak(seen, next, std::memory_order_relaxed)) {
            return static_cast<std::uint16_t>(cursor);
        }
    }
    return static_cast<std::uint16_t>((seen & kCursorMask) % count);
}

}  // namespace ff::sched
