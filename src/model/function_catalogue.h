#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ff::model {

/// Whether a call may be sent again after its reply was lost.
enum class Resend : std::uint8_t {
    No,           // never by machinery
    Conditional,  // only when the call fulfils `condition`
    Yes,          // the same call again does no harm
};

std::string_view to_string(Resend resend);

/// What an OK of a function has written. The embedded store looks for it before it acknowledges
/// (spec 01, section 6.3). Any other word than OK (DUPLICATE, ALREADY_...) promises nothing.
enum class Promise : std::uint8_t {
    None,     // nothing to look for; `promise_note` says why
    Key,      // KEYS[1] is there, if the caller names one
    Counted,  // as Key, unless ARGV[1] says that there is nothing to count
    Core,     // KEYS[1], the core of the execution, was written
    AsTold,   // as Core, and ended, if the reply's third value says so: `completed`, `expired`, ...
    Suspended,           // as Core, unless the call repeats its idempotency key
    Created,             // the core was written and says the reply's state; the payload is there
    CreatedEach,         // the same for each item of a batch
    Leased,              // KEYS[1], the core, was written and holds the lease of the reply
    LeasedEach,          // the same for each claimed execution
    EndedAndLeasedEach,  // each completed execution has ended, each claimed one is leased
};

/// One function of the library, as the callers and the loader see it. Counts are text as in the
/// specification, because optional parts and repeated groups have no single number: `14+1`,
/// `2+2N, +1`, `pairs`.
struct FunctionInfo {
    std::string_view name{};
    std::string_view keys{};
    std::string_view argv{};
    Resend resend = Resend::No;
    /// What makes a conditional resend safe (`fenced`, `seq`, `dedup key`), or what a call that may
    /// be resent must reuse (`same ids`).
    std::string_view condition{};
    bool read_only = false;
    Promise promise = Promise::None;
    /// Of a function that writes and promises nothing: why.
    std::string_view promise_note{};

    /// The least number of KEYS and ARGV the function accepts.
    std::size_t base_keys() const;
    std::size_t base_argv() const;
};

std::span<const FunctionInfo> function_catalogue();
/// Null for a name the library does not have.
const FunctionInfo* find_function(std::string_view name);

}  // namespace ff::model
