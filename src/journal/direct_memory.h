#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace ff::journal {

/// Memory that large writes past the page cache go out from, in huge pages: a disk takes a few
/// large pieces sooner than hundreds of small ones. Such a page may take milliseconds to come, so
/// pieces are used again, by one file after the other. Any thread.
class DirectMemory {
  public:
    static constexpr std::size_t kBytes = 2U << 20;

    struct Free {
        void operator()(char* memory) const { std::free(memory); }
    };
    using Piece = std::unique_ptr<char, Free>;

    /// A spare one as it was given back, or a new one full of zeros.
    Piece take();
    void give(Piece piece);
    /// Has a spare one before it is needed.
    void prepare() { give(make()); }

  private:
    /// A log that is full and the one that follows it, or a snapshot.
    static constexpr std::size_t kSparesMax = 2;

    static Piece make();

    std::mutex mutex_{};
    std::vector<Piece> spares_{};
};

}  // namespace ff::journal
