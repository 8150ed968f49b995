#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ff::sched {

/// Start-time fair queueing between parties that want the same thing: lanes of one request, or
/// namespaces of one lane. Each has a virtual time that grows by `taken / weight`; whoever is
/// furthest behind goes first, and idling earns no credit. In memory only: after a restart
/// everybody starts level.
class FairShares {
  public:
    static constexpr std::uint32_t kWeightMost = 1000;
    /// Parties remembered; beyond it the idle ones are forgotten.
    static constexpr std::size_t kPartiesMax = 4096;

    /// The party has work. Coming from idleness it joins at the time of the busiest laggard.
    void wants(std::string_view party);
    void idles(std::string_view party);
    void took(std::string_view party, std::size_t count, std::uint32_t weight);

    /// Furthest behind first; ties in bytewise order.
    std::vector<std::string> in_order(std::vector<std::string> parties) const;
    /// Of the parties that wait, those that lead the last one by `lead` or more.
    std::vector<std::string> over_share(const std::vector<std::string>& waiting, double lead) const;
    double virtual_time(std::string_view party) const;

  private:
    struct Party {
        double time = 0;
        bool busy = false;
    };
    double least_busy_time() const;
    void forget_idle();

    std::map<std::string, Party, std::less<>> parties_{};
};

}  // namespace ff::sched
