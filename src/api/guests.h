#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/steady_clock.h"

namespace ff::api {

struct GuestLimits {
    /// Requests of one address, or of one network of IPv6, within a minute.
    std::size_t per_minute = 120;
    std::size_t per_minute_in_all = 3'000;
    /// How many may be under way in all; one address has a quarter of it, and at least one.
    std::size_t at_a_time = 64;
};

/// Lets requests in that present no API token and need none, few enough that they cannot take the
/// server from those who have one. What is remembered of addresses has a bound: beyond it the
/// others share one account. Lives on the server's loop; places may outlive it.
class Guests {
  public:
    using Now = std::function<SteadyClock::time_point()>;

    explicit Guests(GuestLimits limits, Now now = SteadyClock::now);

    /// Held while the request is under way.
    using Place = std::shared_ptr<void>;
    /// `rate_limit_exceeded` with the time after which there is room, or
    /// `concurrency_limit_exceeded`. `address` is that of a peer, with or without its port.
    Result<Place> let_in(std::string_view address);

    std::size_t addresses() const { return accounts_.size(); }
    static constexpr std::size_t kAddressesMost = 4'096;

  private:
    /// What is left of a minute's requests; it fills again at an even rate.
    struct Allowance {
        double left = 0;
        SteadyClock::time_point at{};

        void fill(double most, SteadyClock::time_point now);
        std::chrono::milliseconds until_one(double most) const;
    };
    struct Account {
        Allowance allowance{};
        std::size_t under_way = 0;
    };
    /// The 8 bytes that tell a source: an IPv4 address, or the network of an IPv6 one.
    using Source = std::array<std::uint8_t, 8>;

    std::shared_ptr<Account> account_of(std::string_view address, SteadyClock::time_point now);
    void forget_idle(SteadyClock::time_point now);
    static Source source_of(std::string_view address);

    GuestLimits limits_;
    Now now_;
    Allowance all_{};
    /// Shared with the places of requests under way, as the accounts are.
    std::shared_ptr<std::size_t> under_way_;
    std::map<Source, std::shared_ptr<Account>> accounts_{};
    std::shared_ptr<Account> others_;
    SteadyClock::time_point cleaned_at_{};
};

}  // namespace ff::api
