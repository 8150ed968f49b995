#include "keyspace/region_supply.h"

#include <sys/mman.h>

namespace ff::keyspace {
namespace {

char* map_bytes(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

}  // namespace

RegionSupply::~RegionSupply() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
    for (char* region : ready_) unmap(region, region_bytes_);
}

RegionSupply::Region RegionSupply::take() {
    char* region = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { fetch(); });
        refused_ = false;
        if (!ready_.empty()) {
            region = ready_.back();
            ready_.pop_back();
        }
    }
    changed_.notify_one();
    if (region != nullptr) return {.start = region, .populated = true};
    return {.start = map(region_bytes_)};
}

char* RegionSupply::map(std::size_t region_bytes) {
    const auto beyond = [region_bytes](const char* at) {
        return reinterpret_cast<std::uintptr_t>(at) % region_bytes;
    };
    char* at = map_bytes(region_bytes);
    if (at == nullptr || beyond(at) == 0) return at;
    unmap(at, region_bytes);
    at = map_bytes(2 * region_bytes);
    if (at == nullptr) return nullptr;
    const std::size_t before = (region_bytes - beyond(at)) % region_bytes;
    if (before > 0) munmap(at, before);
    if (before < region_bytes) munmap(at + before + region_bytes, region_bytes - before);
    return at + before;
}

void RegionSupply::unmap(char* start, std::size_t region_bytes) {
    munmap(start, region_bytes);
}

bool RegionSupply::populate(char* piece) {
#if defined(MADV_POPULATE_WRITE)
    return madvise(piece, kPieceBytes, MADV_POPULATE_WRITE) == 0;
#else
    static_cast<void>(piece);
    return false;
#endif
}

void RegionSupply::fetch() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ending_ || (ready_.size() < kAhead && !refused_); });
        if (ending_) return;
        lock.unlock();
        char* const region = fetch_one();
        lock.lock();
        if (region != nullptr)
            ready_.push_back(region);
        else
            refused_ = true;
    }
}

char* RegionSupply::fetch_one() {
    char* const region = map(region_bytes_);
    if (region == nullptr) return nullptr;
    for (std::size_t at = 0; at < region_bytes_; at += kPieceBytes) {
        if (!populate(region + at)) break;
        if (is_ending()) {
            unmap(region, region_bytes_);
            return nullptr;
        }
    }
    return region;
}

bool RegionSupply::is_ending() {
    const std::lock_guard lock(mutex_);
    return ending_;
}

}  // namespace ff::keyspace
