#include "cli/words.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include "model/execution_id.h"
#include "model/plain_id.h"

namespace ff::cli {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

std::string two_units(std::int64_t ms, std::int64_t large, const char* large_name,
                      std::int64_t small, const char* small_name) {
    return std::to_string(ms / large) + " " + large_name + " " +
           std::to_string(ms % large / small) + " " + small_name;
}

}  // namespace

std::string time_text(std::int64_t unix_ms) {
    if (unix_ms <= 0) return "-";
    const std::time_t seconds = unix_ms / kSecond;
    std::tm local{};
    localtime_r(&seconds, &local);
    std::string out(32, '\0');
    out.resize(std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M:%S", &local));
    return out;
}

std::string duration_text(std::int64_t ms) {
    if (ms < kSecond) return std::to_string(ms) + " ms";
    if (ms >= kDay) return two_units(ms, kDay, "d", kHour, "h");
    if (ms >= kHour) return two_units(ms, kHour, "h", kMinute, "min");
    if (ms >= kMinute) return two_units(ms, kMinute, "min", kSecond, "s");
    return std::to_string(ms / kSecond) + "." + std::to_string(ms % kSecond / 100) + " s";
}

std::string age_text(std::int64_t unix_ms, std::int64_t now_ms) {
    if (unix_ms <= 0) return "-";
    return unix_ms <= now_ms ? duration_text(now_ms - unix_ms) + " ago"
                             : "in " + duration_text(unix_ms - now_ms);
}

std::int64_t now_ms() {
    using std::chrono::system_clock;
    const auto since = system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

std::string plain_id(const std::string& id) {
    const auto parsed = model::ExecutionId::parse(id);
    return parsed.has_value() ? model::to_plain_string(*parsed) : id;
}

std::string tag_filter(const std::string& given) {
    const std::size_t mark = given.find_first_of("=:");
    if (mark == std::string::npos) return given;
    return given.substr(0, mark) + ":" + given.substr(mark + 1);
}

}  // namespace ff::cli
