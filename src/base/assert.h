#pragma once

namespace ff {

/// Reports a broken assumption of ours and ends the process.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace ff

/// For our own mistakes only, never for outside data; stays on in release.
#define FF_ASSERT(...)                       \
    (static_cast<bool>(__VA_ARGS__) ? void() \
                                    : ::ff::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__))
