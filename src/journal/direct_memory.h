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
    /// One more will write large pieces soon: has a spare one for it.
    void prepare();

  private:
    static Piece make();

    std::mutex mutex_{};
    /// How many were announced. As many spares are kept, and one: for the log that follows a full
    /// one, or for a snapshot.
    std::size_t writers_ = 0;
    std::vector<Piece> spares_{};
};

}  // namespace ff::journal
