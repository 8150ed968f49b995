#include "base/random.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/random.h>

#include "base/assert.h"

namespace ff {

std::uint64_t Random::u64() {
    std::array<std::uint8_t, 8> bytes{};
    fill(bytes);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
}

std::uint64_t Random::below(std::uint64_t bound) {
    FF_ASSERT(bound != 0);
    // Rejecting the incomplete last interval keeps every result equally likely.
    const std::uint64_t limit = bound * (UINT64_MAX / bound);
    for (;;) {
        const std::uint64_t value = u64();
        if (value < limit) return value % bound;
    }
}

void SecureRandom::fill(std::span<std::uint8_t> out) {
    while (!out.empty()) {
        const ssize_t got = getrandom(out.data(), out.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        FF_ASSERT(got > 0);
        out = out.subspan(static_cast<std::size_t>(got));
    }
}

void BufferedRandom::fill(std::span<std::uint8_t> out) {
    if (out.size() > bytes_.size()) {
        SecureRandom().fill(out);
        return;
    }
    if (out.size() > left_) {
        SecureRandom().fill(bytes_);
        left_ = bytes_.size();
    }
    const auto next = std::span(bytes_).last(left_).first(out.size());
    std::ranges::copy(next, out.begin());
    // What has been handed out must not be found in memory later.
    std::ranges::fill(next, std::uint8_t{0});
    left_ -= out.size();
}

void SeededRandom::fill(std::span<std::uint8_t> out) {
    for (std::size_t at = 0; at < out.size();) {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t word = state_;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
        word ^= word >> 31;
        const std::size_t take = std::min<std::size_t>(sizeof word, out.size() - at);
        std::memcpy(out.data() + at, &word, take);
        at += take;
    }
}

}  // namespace ff
