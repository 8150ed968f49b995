#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "net/address.h"
#include "valkey/exchange.h"

namespace ff::valkey {

/// What to do with a call after an attempt.
struct Step {
    enum class Kind : std::uint8_t {
        Done,   // the reply stands
        Fail,   // with `error`
        Again,  // send it once more; `error` is the answer if the deadline comes first
    };
    enum class Refresh : std::uint8_t {
        No,
        Meanwhile,  // start one, do not wait for it
        First,      // wait for it
    };

    Kind kind = Kind::Done;
    Error error{};
    /// The node to send to; none means the owner of the slot.
    std::optional<net::Address> to{};
    bool asking = false;
    /// The slot that is now served by `to`, for good.
    std::optional<std::uint16_t> moved_slot{};
    Refresh refresh = Refresh::No;
    std::chrono::milliseconds pause{0};
};

/// Follows one call through redirections and failures (spec 01, section 10). Decides only; the
/// caller sends, waits, refreshes, and ends at the deadline.
class RedirectFsm {
  public:
    static constexpr int kHopsMax = 5;
    static constexpr int kWaitsMax = 5;

    /// `resend_safe`: may be sent again although the server may have executed it.
    explicit RedirectFsm(bool resend_safe) : resend_safe_(resend_safe) {}

    /// `from` is the node that was asked; a redirection may leave its host out.
    Step on_reply(const resp::Value& reply, const net::Address& from);
    Step on_failure(const Failure& failure);

    /// The answer when no time is left for the step: never says "not executed" of a call of which
    /// an earlier attempt may have been.
    Error out_of_time(const Error& last) const { return honest(last); }

  private:
    Step redirect(std::string_view line, bool ask, const net::Address& from);
    Step wait_and_retry(Error error);
    Step after_read_only(Error error);
    Step fail(const Error& error) const;
    Error honest(const Error& error) const;
    std::chrono::milliseconds next_pause();

    bool resend_safe_;
    bool maybe_ran_ = false;
    bool was_read_only_ = false;
    int hops_ = 0;
    int waits_ = 0;
    int pauses_ = 0;
};

}  // namespace ff::valkey
