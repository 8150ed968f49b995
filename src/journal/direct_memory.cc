#include "journal/direct_memory.h"

#include <algorithm>
#include <new>

#include <sys/mman.h>

namespace ff::journal {

DirectMemory::Piece DirectMemory::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!spares_.empty()) {
            Piece piece = std::move(spares_.back());
            spares_.pop_back();
            return piece;
        }
    }
    return make();
}

void DirectMemory::give(Piece piece) {
    const std::lock_guard lock(mutex_);
    if (spares_.size() <= writers_) spares_.push_back(std::move(piece));
}

void DirectMemory::prepare() {
    {
        const std::lock_guard lock(mutex_);
        ++writers_;
    }
    give(make());
}

DirectMemory::Piece DirectMemory::make() {
    Piece piece(static_cast<char*>(std::aligned_alloc(kBytes, kBytes)));
    if (!piece) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    ::madvise(piece.get(), kBytes, MADV_HUGEPAGE);
#endif
    std::fill_n(piece.get(), kBytes, '\0');
    return piece;
}

}  // namespace ff::journal
