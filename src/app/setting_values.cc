#include "app/setting_values.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/bytes.h"
#include "base/numbers.h"

namespace ff::app {
namespace {

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool header_value(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// Functions and empty tables alone need some megabytes for each shard.
constexpr std::uint64_t kMemoryLeast = 16ULL << 20U;
constexpr std::uint64_t kMemoryMost = 1ULL << 50U;

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> out;
    for (;;) {
        const auto comma = text.find(',');
        out.emplace_back(trim(text.substr(0, comma)));
        if (comma == std::string_view::npos) return out;
        text.remove_prefix(comma + 1);
    }
}

Result<bool> read_boolean(const std::string& text, std::string_view field) {
    std::string lower = text;
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const std::string_view yes : {"1", "true", "yes", "on"})
        if (lower == yes) return true;
    for (const std::string_view no : {"0", "false", "no", "off"})
        if (lower == no) return false;
    return invalid_input(field, "none of 1 true yes on, 0 false no off");
}

Result<std::uint64_t> read_number(const std::string& text, Bounds bounds, std::string_view field) {
    const auto value = parse_u64(text);
    if (value && *value >= bounds.least && *value <= bounds.most) return *value;
    return invalid_input(field, "no number from " + std::to_string(bounds.least) + " to " +
                                    std::to_string(bounds.most));
}

Result<MemoryLimit> read_memory_limit(const std::string& text, std::string_view field) {
    struct Unit {
        std::string_view name{};
        std::uint64_t bytes = 1;
    };
    constexpr std::array kUnits = std::to_array<Unit>(
        {{"", 1}, {"KiB", 1ULL << 10U}, {"MiB", 1ULL << 20U}, {"GiB", 1ULL << 30U}});
    if (text == "off") return MemoryLimit{.bytes = 0};
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_u64(text.substr(0, digits));
    const std::string_view unit = std::string_view(text).substr(digits);
    if (number && unit == "%" && *number >= 1 && *number <= 100)
        return MemoryLimit{.percent = *number};
    const auto* const known = std::ranges::find(kUnits, unit, &Unit::name);
    if (!number || known == kUnits.end() || *number > kMemoryMost / known->bytes ||
        *number * known->bytes < kMemoryLeast)
        return invalid_input(field, "no size such as 2GiB or 70%, at least 16MiB, nor off");
    return MemoryLimit{.bytes = *number * known->bytes};
}

Result<std::vector<model::LaneId>> read_lanes(const std::string& text, std::string_view field) {
    std::vector<model::LaneId> lanes;
    for (const std::string& item : split_list(text)) {
        auto lane = model::LaneId::parse(item);
        if (!lane.has_value()) return invalid_input(field, "'" + item + "' is no lane");
        if (std::ranges::find(lanes, *lane) != lanes.end())
            return invalid_input(field, "'" + item + "' is there twice");
        lanes.push_back(*std::move(lane));
    }
    return lanes;
}

Result<Cors> read_cors(const std::string& text, std::string_view field) {
    if (trim(text) == "*") return Cors{.any = true};
    Cors cors;
    for (const std::string& item : split_list(text)) {
        if (item.empty()) continue;
        if (header_value(item)) {
            cors.origins.push_back(item);
        } else {
            ++cors.dropped;
        }
    }
    if (cors.origins.empty()) return invalid_input(field, "no origin; say * for any");
    return cors;
}

Result<std::string> read_secret(const std::string& text, std::string_view field) {
    const auto bytes = from_hex(text);
    if (!bytes || bytes->empty())
        return invalid_input(field, "no secret of an even number of hex digits");
    return text;
}

}  // namespace ff::app
