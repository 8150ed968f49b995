#pragma once

#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "resp/command.h"
#include "resp/value.h"

namespace ff::store {

/// The answer to one call. Never an error at its top: a refusal of the store is an Error.
using Reply = resp::Value;

/// How long a call waits where its caller says nothing (spec 01, section 11).
constexpr std::chrono::seconds kCallPatience{5};

/// One command on its way to a store.
struct Call {
    resp::Command command{};
    Deadline deadline = Deadline::after(kCallPatience);
    /// The same bytes sent twice do no more than once: the store may send them again after a
    /// connection broke behind them. For functions the catalogue in `model` says which.
    bool resend_safe = false;
};

/// A call of a plain command, for example `plain({"GET", key})`.
inline Call plain(std::initializer_list<std::string_view> args, bool resend_safe = false) {
    Call call;
    call.command.append(std::span<const std::string_view>(args.begin(), args.size()));
    call.resend_safe = resend_safe;
    return call;
}

/// `FCALL name numkeys keys... args...`, the one way to write a function call.
resp::Command function_command(std::string_view name, std::span<const std::string_view> keys,
                               std::span<const std::string_view> args);

}  // namespace ff::store
