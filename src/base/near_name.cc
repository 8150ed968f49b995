#include "base/near_name.h"

#include <algorithm>
#include <vector>

namespace ff {
namespace {

/// Longer names are not compared: the work grows with the square.
constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kListedMax = 24;
constexpr std::size_t kPartBytesLeast = 3;

/// Steps from one to the other; swapped neighbours are one step.
std::size_t distance(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> rows((a.size() + 1) * width);
    const auto at = [&rows, width](std::size_t i, std::size_t j) -> std::size_t& {
        return rows[i * width + j];
    };
    for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
    for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    }
    return at(a.size(), b.size());
}

/// A client's own text goes into a message, so its length is bounded.
std::string shown(std::string_view name) {
    if (name.size() <= kNameBytesMax) return "`" + std::string(name) + "`";
    return "`" + std::string(name.substr(0, kNameBytesMax)) + "...`";
}

/// `lane` of `lane_id`, `kind` of `execution_kind`.
bool is_part_of(std::string_view given, std::string_view name) {
    if (given.size() < kPartBytesLeast || name.size() <= given.size()) return false;
    const std::size_t rest = name.size() - given.size();
    if (name.starts_with(given)) return name[given.size()] == '_';
    return name.ends_with(given) && name[rest - 1] == '_';
}

}  // namespace

std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known) {
    if (given.size() > kNameBytesMax) return {};
    std::string_view nearest;
    std::size_t least = std::max<std::size_t>(2, given.size() / 3) + 1;
    for (const std::string_view name : known) {
        if (name.size() > kNameBytesMax) continue;
        const std::size_t steps = distance(given, name);
        if (steps >= least || steps >= std::max(given.size(), name.size())) continue;
        least = steps;
        nearest = name;
    }
    if (!nearest.empty()) return nearest;
    const auto whole = std::ranges::find_if(
        known, [given](std::string_view name) { return is_part_of(given, name); });
    return whole == known.end() ? std::string_view() : *whole;
}

std::string unknown_name_text(std::string_view what, std::string_view given,
                              std::span<const std::string_view> known) {
    std::string text = "unknown " + std::string(what) + " " + shown(given);
    const std::string_view near = nearest_name(given, known);
    if (!near.empty()) return text + "; did you mean `" + std::string(near) + "`?";
    if (known.empty()) return text + "; there is none here";
    if (known.size() > kListedMax) return text;
    text += "; known are ";
    for (std::size_t i = 0; i < known.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::string(known[i]);
    return text;
}

Error unknown_name(std::string_view what, std::string_view place, std::string_view given,
                   std::span<const std::string_view> known) {
    Error error =
        invalid_input(std::string(place) + std::string(given.substr(0, kNameBytesMax)), "unknown");
    error.message = unknown_name_text(what, given, known);
    if (!place.empty())
        error.message += " (in " + std::string(place.substr(0, place.size() - 1)) + ")";
    return error;
}

}  // namespace ff
