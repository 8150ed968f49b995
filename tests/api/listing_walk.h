#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "api/exec_world.h"

namespace ff::testing {

/// A listing of the API, and by which names it is read page by page.
struct Listing {
    std::string target{};
    /// The member that holds the entries, and what names an entry; empty where it is a text itself.
    std::string list{};
    std::string id{};
    std::string cursor = "cursor";
    std::string next = "next_cursor";
};

inline constexpr int kPageSizes[] = {1, 7, 50, 1000};

/// Reads listings to their end while others add to them.
class ListingWalk : public ExecApi {
  protected:
    /// How often each entry stands in the pages of a listing.
    using Counts = std::map<std::string, int>;

    Counts walk(const Listing& listing, int limit);
    /// All entries that are there now.
    std::vector<std::string> entries_of(const Listing& listing);
    /// Entries that were there before the walk are met once; those that came later at most once.
    static void expect_once_each(const Counts& counts, const std::vector<std::string>& entries,
                                 const std::string& where);
    void expect_complete(const Listing& listing, const std::vector<std::string>& entries,
                         std::span<const int> page_sizes = kPageSizes);
    std::vector<std::string> create_batch(int count, std::string_view more = "");
};

/// Calls something again and again on another thread, a bounded number of times.
class Meanwhile {
  public:
    explicit Meanwhile(std::function<void()> work);
    ~Meanwhile();
    Meanwhile(const Meanwhile&) = delete;
    Meanwhile& operator=(const Meanwhile&) = delete;

  private:
    std::atomic<bool> stopped_ = false;
    std::thread thread_;
};

}  // namespace ff::testing
