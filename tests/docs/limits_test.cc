// docs/limits.md says what the code says.
#include <map>
#include <optional>
#include <regex>

#include <gtest/gtest.h>

#include "app/setting_table.h"
#include "base/numbers.h"
#include "support/temp_dir.h"

namespace ff::testing {
namespace {

std::string source(const std::string& name) {
    return read_file(std::string(FF_SOURCE_FOLDER) + "/" + name);
}

std::int64_t number(const std::string& text) {
    return parse_i64(text).value_or(-1);
}

/// `1 MiB`, `30000 ms` or `7 days` in the smallest unit: bytes, milliseconds, or none.
std::int64_t amount(const std::string& figure, const std::string& unit) {
    const std::map<std::string, std::int64_t> units = {
        {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"day", 86'400'000}, {"days", 86'400'000}};
    const auto found = units.find(unit);
    return number(figure) * (found == units.end() ? 1 : found->second);
}

/// What a constant or a member of a struct is in its file: `1'000` or `std::size_t{2} << 20`.
std::optional<std::int64_t> constant(const std::string& file, const std::string& name) {
    const std::regex pattern(name + R"( = (?:[a-z_:0-9]+\{)?([0-9']+)\}?(?: << ([0-9]+))?;)");
    const std::string text = source(file);
    std::smatch found;
    if (!std::regex_search(text, found, pattern)) return std::nullopt;
    std::string digits = found[1];
    std::erase(digits, '\'');
    const std::string shift = found[2];
    return number(digits) << (shift.empty() ? 0 : number(shift));
}

std::optional<std::int64_t> default_of(const std::string& setting) {
    for (const app::Setting& one : app::setting_table())
        if (one.name == setting) return number(std::string(one.otherwise));
    return std::nullopt;
}

TEST(Docs, LimitsAreWhatTheCodeSays) {
    const std::string page = source("docs/limits.md");
    const std::regex row(R"(\| ([0-9]+)(?: ([A-Za-z]+))? <!-- (\S+) (\S+) -->)");
    std::size_t rows = 0;
    for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
        const std::string place = (*at)[3];
        const std::string name = (*at)[4];
        const auto real = place == "setting" ? default_of(name) : constant(place, name);
        EXPECT_TRUE(real.has_value()) << place << " has no " << name;
        EXPECT_EQ(amount((*at)[1], (*at)[2]), real.value_or(-1)) << place << " " << name;
        ++rows;
    }
    EXPECT_GE(rows, 40U);
}

}  // namespace
}  // namespace ff::testing
