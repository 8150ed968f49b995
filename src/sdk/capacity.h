#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace ff::sdk {

/// How many tasks a worker holds at once. A permit is taken before anything is claimed and travels
/// with the task, so that no lease ever waits for a free hand. Any thread.
class Capacity {
  public:
    /// Gives its place back when it goes.
    class Permit {
      public:
        Permit(Permit&& other) noexcept : held_(std::move(other.held_)) { other.held_ = nullptr; }
        Permit& operator=(Permit&& other) noexcept {
            if (this != &other) {
                give_back();
                held_ = std::move(other.held_);
                other.held_ = nullptr;
            }
            return *this;
        }
        ~Permit() { give_back(); }

      private:
        friend class Capacity;
        explicit Permit(std::shared_ptr<std::atomic<std::size_t>> held) : held_(std::move(held)) {}
        void give_back() {
            if (held_) held_->fetch_sub(1);
            held_ = nullptr;
        }
        // Shared with the capacity, which a task may outlive.
        std::shared_ptr<std::atomic<std::size_t>> held_;
    };

    /// 0 counts as 1.
    explicit Capacity(std::size_t most)
        : most_(most == 0 ? 1 : most), held_(std::make_shared<std::atomic<std::size_t>>(0)) {}

    /// Nothing when all hands are full.
    std::optional<Permit> try_take() {
        std::size_t held = held_->load();
        while (held < most_) {
            if (held_->compare_exchange_weak(held, held + 1)) return Permit(held_);
        }
        return std::nullopt;
    }
    std::size_t free() const {
        const std::size_t held = held_->load();
        const std::size_t most = most_;
        return held < most ? most - held : 0;
    }
    /// From now on; what is held beyond it stays until it is given back.
    void resize(std::size_t most) { most_ = most; }
    bool exceeded() const { return held_->load() > most_; }

  private:
    std::atomic<std::size_t> most_;
    std::shared_ptr<std::atomic<std::size_t>> held_;
};

}  // namespace ff::sdk
