#include "twin/shrink.h"

#include <algorithm>

namespace ff::twin {
namespace {

Calls without(const Calls& calls, std::size_t from, std::size_t count) {
    Calls out(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(from));
    const std::size_t to = std::min(from + count, calls.size());
    out.insert(out.end(), calls.begin() + static_cast<std::ptrdiff_t>(to), calls.end());
    return out;
}

}  // namespace

Calls shrunk(Calls calls, const StillDiffers& still_differs, std::chrono::seconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    std::size_t piece = std::max<std::size_t>(calls.size() / 2, 1);
    while (true) {
        bool is_smaller = false;
        // From the back: what comes late rarely matters to what came before.
        for (std::size_t at = calls.size(); at > 0;) {
            if (std::chrono::steady_clock::now() >= end) return calls;
            const std::size_t from = at > piece ? at - piece : 0;
            Calls fewer = without(calls, from, at - from);
            at = from;
            if (fewer.empty() || !still_differs(fewer)) continue;
            calls = std::move(fewer);
            is_smaller = true;
        }
        if (piece == 1 && !is_smaller) return calls;
        if (!is_smaller || piece > calls.size()) piece = std::max<std::size_t>(piece / 2, 1);
    }
}

}  // namespace ff::twin
