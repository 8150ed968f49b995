#include "api/guests.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <arpa/inet.h>

#include "model/error_catalogue.h"

namespace ff::api {
namespace {

constexpr std::chrono::milliseconds kMinute{60'000};
/// How often a full table is looked through for addresses that have not come for a minute.
constexpr std::chrono::seconds kBetweenCleanings{1};

/// `1.2.3.4:80` and `[::1]:80` without port and brackets.
std::string host_of(std::string_view address) {
    if (address.starts_with('[')) return std::string(address.substr(1, address.find(']') - 1));
    const auto colon = address.find(':');
    const bool has_port = colon != std::string_view::npos && colon == address.rfind(':');
    return std::string(has_port ? address.substr(0, colon) : address);
}

}  // namespace

void Guests::Allowance::fill(double most, SteadyClock::time_point now) {
    const std::chrono::duration<double, std::milli> passed = now - at;
    left = std::min(most, left + most * passed.count() / static_cast<double>(kMinute.count()));
    at = now;
}

std::chrono::milliseconds Guests::Allowance::until_one(double most) const {
    const double ms = (1.0 - left) * static_cast<double>(kMinute.count()) / most;
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(std::max(1.0, ms))));
}

Guests::Guests(GuestLimits limits, Now now)
    : limits_(limits),
      now_(std::move(now)),
      all_{.left = static_cast<double>(limits.per_minute_in_all), .at = now_()},
      under_way_(std::make_shared<std::size_t>(0)),
      others_(std::make_shared<Account>()) {
    others_->allowance = {.left = static_cast<double>(limits.per_minute), .at = now_()};
}

/// An IPv4 address in the form of IPv6 is the IPv4 address; what is no address, such as the end of
/// a unix socket, is one source.
Guests::Source Guests::source_of(std::string_view address) {
    const std::string host = host_of(address);
    Source source{};
    std::array<std::uint8_t, 16> six{};
    if (inet_pton(AF_INET, host.c_str(), source.data()) == 1) return source;
    if (inet_pton(AF_INET6, host.c_str(), six.data()) != 1) return source;
    constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool mapped = std::equal(kMapped.begin(), kMapped.end(), six.begin());
    std::copy_n(six.begin() + (mapped ? kMapped.size() : 0), mapped ? 4 : source.size(),
                source.begin());
    return source;
}

void Guests::forget_idle(SteadyClock::time_point now) {
    if (now - cleaned_at_ < kBetweenCleanings) return;
    cleaned_at_ = now;
    std::erase_if(accounts_, [now](const auto& entry) {
        const Account& account = *entry.second;
        return account.under_way == 0 && now - account.allowance.at >= kMinute;
    });
}

std::shared_ptr<Guests::Account> Guests::account_of(std::string_view address,
                                                    SteadyClock::time_point now) {
    const Source source = source_of(address);
    const auto known = accounts_.find(source);
    if (known != accounts_.end()) return known->second;
    if (accounts_.size() >= kAddressesMost) forget_idle(now);
    if (accounts_.size() >= kAddressesMost) return others_;
    auto fresh = std::make_shared<Account>();
    fresh->allowance = {.left = static_cast<double>(limits_.per_minute), .at = now};
    accounts_.emplace(source, fresh);
    return fresh;
}

Result<Guests::Place> Guests::let_in(std::string_view address) {
    const auto now = now_();
    const std::shared_ptr<Account> account = account_of(address, now);
    const auto own_most = static_cast<double>(limits_.per_minute);
    const auto all_most = static_cast<double>(limits_.per_minute_in_all);
    account->allowance.fill(own_most, now);
    all_.fill(all_most, now);
    // A source that is over its own limit takes nothing from the others.
    const bool own_fits = account->allowance.left >= 1;
    if (!own_fits || all_.left < 1) {
        const auto wait =
            own_fits ? all_.until_one(all_most) : account->allowance.until_one(own_most);
        return model::make_error("rate_limit_exceeded", {std::to_string(wait.count())});
    }
    const std::size_t own_at_a_time = std::max<std::size_t>(1, limits_.at_a_time / 4);
    if (*under_way_ >= limits_.at_a_time || account->under_way >= own_at_a_time)
        return model::make_error("concurrency_limit_exceeded", {"guests"});
    account->allowance.left -= 1;
    all_.left -= 1;
    ++account->under_way;
    ++*under_way_;
    return Place(nullptr, [account, all = under_way_](void*) {
        --account->under_way;
        --*all;
    });
}

}  // namespace ff::api
