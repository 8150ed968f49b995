#include "app/settings.h"

#include <cstdlib>

#include "base/numbers.h"

namespace ff::app {
namespace {

constexpr std::uint64_t kGraceMsMax = 24ULL * 60 * 60 * 1000;

}  // namespace

std::optional<std::string> process_environment(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

Result<Settings> Settings::read(const Environment& environment) {
    Settings settings;
    if (const auto listen = environment("FF_LISTEN_ADDR")) {
        FF_TRY(settings.listen, http::ListenAddress::parse(*listen, "FF_LISTEN_ADDR"));
    }
    if (const auto level = environment("FF_LOG")) {
        const auto parsed = log::parse_level(*level);
        if (!parsed) return invalid_input("FF_LOG", "none of error, warn, info, debug, trace");
        settings.log_level = *parsed;
    }
    if (const auto grace = environment("FF_SHUTDOWN_GRACE_MS")) {
        const auto parsed = parse_u64(*grace);
        if (!parsed || *parsed > kGraceMsMax)
            return invalid_input("FF_SHUTDOWN_GRACE_MS", "no number of milliseconds up to a day");
        settings.shutdown_grace = Millis(*parsed);
    }
    return settings;
}

}  // namespace ff::app
