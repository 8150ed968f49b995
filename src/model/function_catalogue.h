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

    /// The least number of KEYS and ARGV the function accepts.
    std::size_t base_keys() const;
    std::size_t base_argv() const;
};

std::span<const FunctionInfo> function_catalogue();
/// Null for a name the library does not have.
const FunctionInfo* find_function(std::string_view name);

}  // namespace ff::model
