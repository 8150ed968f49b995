#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace ff::keyspace {

/// Regions of memory on a boundary of their own size, fetched ahead: a store that grows by hundreds
/// of megabytes a second would otherwise spend a tenth of its time waiting for pages. The thread
/// that fetches them begins with the first region that is taken from here, so a store that stays
/// small has none.
class RegionSupply {
  public:
    struct Region {
        char* start = nullptr;
        /// All its pages are there.
        bool populated = false;
    };

    /// `region_bytes` is a power of two, and a multiple of kPieceBytes.
    explicit RegionSupply(std::size_t region_bytes) : region_bytes_(region_bytes) {}
    ~RegionSupply();
    RegionSupply(const RegionSupply&) = delete;
    RegionSupply& operator=(const RegionSupply&) = delete;

    /// The caller's from now on, to be given back with `unmap`. Never waits: if none is ready, it
    /// is one without pages. Its start is null when the system has no more addresses for us.
    Region take();
    /// Null when the system refuses.
    static char* map(std::size_t region_bytes);
    static void unmap(char* start, std::size_t region_bytes);
    /// Fetches the pages of one piece. False on systems that know no way to; then pages come as
    /// they are touched.
    static bool populate(char* piece);

    /// Fetched from the system at once: that spares a page fault for each page, and 1.2 us instead
    /// of 1.7 for its 4 KiB. Meanwhile no thread can map or protect memory, the shard that compiles
    /// least of all, so it is not more. Huge pages would take 0.3, but where a hypervisor lends
    /// memory only while it is in use, they are what it has taken back: 8 us.
    static constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;

  private:
    /// A batch of a thousand long values needs two in less time than it takes to fetch one.
    static constexpr std::size_t kAhead = 2;

    void fetch();
    /// Null if the supply ends meanwhile, or the system refuses.
    char* fetch_one();
    bool is_ending();

    const std::size_t region_bytes_;
    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::vector<char*> ready_{};
    bool ending_ = false;
    /// The system refused the last region: the next is fetched when one was asked for.
    bool refused_ = false;
    std::thread thread_{};
};

}  // namespace ff::keyspace
