#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ff {

/// Where random bytes come from; injected so that a fault run replays from its seed.
class Random {
  public:
    virtual ~Random() = default;
    virtual void fill(std::span<std::uint8_t> out) = 0;

    std::uint64_t u64();
    /// Uniform in [0, bound); `bound` must not be 0.
    std::uint64_t below(std::uint64_t bound);
};

/// The kernel's cryptographic source. Stateless, so one object may serve every thread.
class SecureRandom final : public Random {
  public:
    void fill(std::span<std::uint8_t> out) override;
};

/// The same source for one thread, asked for many bytes at a time: an id costs no call of the
/// kernel, of which a short answer is the smaller part.
class BufferedRandom final : public Random {
  public:
    void fill(std::span<std::uint8_t> out) override;

  private:
    std::array<std::uint8_t, 4096> bytes_{};
    std::size_t left_ = 0;  // at the end
};

/// SplitMix64: the same sequence for the same seed on every machine. Never for secrets.
class SeededRandom final : public Random {
  public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
    void fill(std::span<std::uint8_t> out) override;

  private:
    std::uint64_t state_;
};

}  // namespace ff
