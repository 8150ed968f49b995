#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.h"

namespace ff::valkey {

/// A completion handler that waits to be called once, without its type. Small handlers, such as the
/// one of a waiting coroutine, live inside: a round trip costs no allocation for it.
class Resumption {
  public:
    Resumption() = default;
    Resumption(const Resumption&) = delete;
    Resumption& operator=(const Resumption&) = delete;
    ~Resumption() { reset(); }

    template <class Handler>
    void set(Handler handler) {
        FF_ASSERT(call_ == nullptr);
        if constexpr (kFits<Handler>) {
            new (static_cast<void*>(room_)) Handler(std::move(handler));
            call_ = &call_in_place<Handler>;
        } else {
            new (static_cast<void*>(room_))
                std::unique_ptr<Handler>(std::make_unique<Handler>(std::move(handler)));
            call_ = &call_on_heap<Handler>;
        }
    }

    bool is_set() const { return call_ != nullptr; }

    /// The handler may set a new one, or destroy this object.
    void call() {
        FF_ASSERT(call_ != nullptr);
        std::exchange(call_, nullptr)(room_, true);
    }
    /// Drops the handler without calling it.
    void reset() {
        if (call_ != nullptr) std::exchange(call_, nullptr)(room_, false);
    }

  private:
    static constexpr std::size_t kRoomBytes = 64;
    template <class Handler>
    static constexpr bool kFits =
        sizeof(Handler) <= kRoomBytes && alignof(Handler) <= alignof(std::max_align_t) &&
        std::is_nothrow_move_constructible_v<Handler>;

    template <class Handler>
    static void call_in_place(std::byte* room, bool run) {
        auto* held = std::launder(reinterpret_cast<Handler*>(room));
        Handler handler = std::move(*held);
        held->~Handler();
        if (run) std::move(handler)();
    }
    template <class Handler>
    static void call_on_heap(std::byte* room, bool run) {
        using Owner = std::unique_ptr<Handler>;
        auto* held = std::launder(reinterpret_cast<Owner*>(room));
        const Owner handler = std::move(*held);
        held->~Owner();
        if (run) std::move (*handler)();
    }

    void (*call_)(std::byte* room, bool run) = nullptr;
    alignas(std::max_align_t) std::byte room_[kRoomBytes];
};

}  // namespace ff::valkey
