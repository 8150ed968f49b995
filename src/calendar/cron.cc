#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "calendar/pattern.h"
#include "calendar/refusal.h"

namespace ff::calendar {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 12> kMonths = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                      "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kWeekdays = {"SUN", "MON", "TUE", "WED",
                                                       "THU", "FRI", "SAT"};

struct Field {
    std::string_view name{};
    unsigned least = 0;
    unsigned most = 0;
    Names names{};
    /// The number of the first name.
    unsigned first_name = 0;
};
constexpr Field kSecond{"second", 0, 59};
constexpr Field kMinute{"minute", 0, 59};
constexpr Field kHour{"hour", 0, 23};
constexpr Field kDay{"day of month", 1, 31};
constexpr Field kMonth{"month", 1, 12, kMonths, 1};
/// 7 is Sunday, too.
constexpr Field kWeekday{"day of week", 0, 7, kWeekdays, 0};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNicknames = {
    {{"@YEARLY", "0 0 1 1 *"},
     {"@ANNUALLY", "0 0 1 1 *"},
     {"@MONTHLY", "0 0 1 * *"},
     {"@WEEKLY", "0 0 * * 0"},
     {"@DAILY", "0 0 * * *"},
     {"@MIDNIGHT", "0 0 * * *"},
     {"@HOURLY", "0 * * * *"}}};

constexpr std::size_t kLineBytesMax = 256;
constexpr unsigned kSunday = 7;
constexpr unsigned kNthMax = 5;
/// A leap year that begins a cycle: what matches nothing in the fifty years from here never does.
constexpr CivilTime kAnyTime{std::chrono::local_days{std::chrono::year{1999} /
                                                     std::chrono::December / std::chrono::day{31}}};

std::string upper(std::string_view text) {
    std::string up(text);
    for (char& c : up)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return up;
}

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
    std::vector<std::string_view> parts;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t end = std::min(text.find_first_of(at, from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
}

}  // namespace

/// Reads the fields of one line into a pattern.
class CronReader {
  public:
    CronReader(std::string_view line, std::string_view place) : line_(line), place_(place) {}

    Result<Pattern> read(Pattern::Seconds seconds) {
        if (line_.size() > kLineBytesMax) return refuse("is longer than 256 bytes");
        std::string text = upper(line_);
        if (text.starts_with('@')) {
            FF_TRY(text, nickname(text));
        }
        std::vector<std::string_view> fields = split(text, " \t");
        std::erase(fields, std::string_view());
        if (fields.size() != 5 && fields.size() != 6)
            return refuse("has " + std::to_string(fields.size()) +
                          " fields; it takes five (minute, hour, day of month, month, day of week) "
                          "or six (second in front)");
        const std::size_t at = fields.size() - 5;
        if (seconds == Pattern::Seconds::First) pattern_.seconds_ = 1;
        if (at == 1) {
            FF_TRY(pattern_.seconds_, bits(fields[0], kSecond));
        }
        FF_TRY(pattern_.minutes_, bits(fields[at], kMinute));
        FF_TRY(const std::uint64_t hours, bits(fields[at + 1], kHour));
        FF_TRY(const std::uint64_t months, bits(fields[at + 3], kMonth));
        pattern_.hours_ = static_cast<std::uint32_t>(hours);
        pattern_.months_ = static_cast<std::uint32_t>(months);
        FF_CHECK(read_days(fields[at + 2]));
        FF_CHECK(read_weekdays(fields[at + 4]));
        if (!pattern_.next(kAnyTime)) return refuse("can never fire: there is no such day");
        return std::move(pattern_);
    }

  private:
    Error refuse(std::string_view why) const {
        const std::string shown(line_.substr(0, kLineBytesMax));
        return calendar::refuse(place_, "the cron line `" + shown + "` " + std::string(why));
    }
    Error refuse(const Field& field, std::string_view item, std::string_view why) const {
        return refuse("has the " + std::string(field.name) + " `" + std::string(item) + "`, " +
                      std::string(why));
    }

    Result<std::string> nickname(const std::string& text) const {
        for (const auto& [name, line] : kNicknames)
            if (text == name) return std::string(line);
        if (text == "@REBOOT")
            return refuse("names no time; a schedule does not follow the server's starts");
        if (text.starts_with("@EVERY")) return refuse("is an interval: write it as one");
        return refuse(
            "is no known name; there are @yearly, @annually, @monthly, @weekly, @daily, @midnight "
            "and @hourly");
    }

    Result<unsigned> value(std::string_view text, const Field& field) const {
        const auto named = std::ranges::find(field.names, text);
        if (named != field.names.end())
            return static_cast<unsigned>(named - field.names.begin()) + field.first_name;
        const auto number = parse_u64(text);
        if (!number) return refuse(field, text, "which is neither a number nor a name");
        if (*number < field.least || *number > field.most)
            return refuse(field, text,
                          "which is not in " + std::to_string(field.least) + " to " +
                              std::to_string(field.most));
        return static_cast<unsigned>(*number);
    }

    /// One of the parts between commas.
    Result<std::uint64_t> item(std::string_view text, const Field& field) const {
        const std::size_t slash = text.find('/');
        const std::string_view range = text.substr(0, slash);
        std::uint64_t step = 1;
        if (slash != std::string_view::npos) {
            const auto given = parse_u64(text.substr(slash + 1));
            if (!given || *given == 0 || *given > field.most)
                return refuse(field, text,
                              "whose step is not in 1 to " + std::to_string(field.most));
            step = *given;
        }
        // Sunday has two numbers; a whole range holds it once.
        const unsigned most = field.most == kSunday ? kSunday - 1 : field.most;
        unsigned from = field.least;
        unsigned to = most;
        if (range != "*") {
            const std::size_t dash = range.find('-');
            FF_TRY(from, value(range.substr(0, dash), field));
            if (dash != std::string_view::npos) {
                FF_TRY(to, value(range.substr(dash + 1), field));
            } else if (slash == std::string_view::npos) {
                to = from;
            }
        }
        // Behind the end it goes on at the beginning: FRI-MON, 22-2.
        const unsigned width = field.most == kSunday ? kSunday : most - field.least + 1;
        const unsigned length = to >= from ? to - from : to + width - from;
        std::uint64_t bits = 0;
        for (std::uint64_t i = 0; i <= length; i += step) {
            const auto at = (from - field.least + i) % width + field.least;
            bits |= std::uint64_t{1} << at;
        }
        return bits;
    }

    Result<std::uint64_t> bits(std::string_view text, const Field& field) const {
        std::uint64_t all = 0;
        for (const std::string_view part : split(text, ",")) {
            FF_TRY(const std::uint64_t some, item(part, field));
            all |= some;
        }
        return all;
    }

    Result<Done> read_days(std::string_view text) {
        pattern_.any_day_ = text == "*" || text == "?";
        if (pattern_.any_day_) return Done{};
        for (const std::string_view part : split(text, ",")) {
            if (part == "L") {
                pattern_.last_day_ = true;
                continue;
            }
            if (part.find('W') != std::string_view::npos)
                return refuse(kDay, part, "and W (the nearest weekday) is not known here");
            FF_TRY(const std::uint64_t some, item(part, kDay));
            pattern_.days_ |= static_cast<std::uint32_t>(some);
        }
        return Done{};
    }

    Result<Done> read_weekdays(std::string_view text) {
        pattern_.any_weekday_ = text == "*" || text == "?";
        if (pattern_.any_weekday_) return Done{};
        for (const std::string_view part : split(text, ",")) {
            const std::size_t sharp = part.find('#');
            if (sharp != std::string_view::npos) {
                FF_TRY(const unsigned weekday, value(part.substr(0, sharp), kWeekday));
                const auto nth = parse_u64(part.substr(sharp + 1));
                if (!nth || *nth < 1 || *nth > kNthMax)
                    return refuse(kWeekday, part, "whose place in the month is not in 1 to 5");
                pattern_.nth_[weekday % kSunday] |= 1U << *nth;
            } else if (part.size() > 1 && part.ends_with('L')) {
                FF_TRY(const unsigned weekday, value(part.substr(0, part.size() - 1), kWeekday));
                pattern_.last_weekdays_ |= 1U << weekday % kSunday;
            } else {
                FF_TRY(const std::uint64_t some, item(part, kWeekday));
                pattern_.weekdays_ |= static_cast<std::uint32_t>(some);
            }
        }
        return Done{};
    }

    std::string_view line_;
    std::string_view place_;
    Pattern pattern_{};
};

Result<Pattern> Pattern::of_cron(std::string_view line, std::string_view place, Seconds seconds) {
    return CronReader(line, place).read(seconds);
}

}  // namespace ff::calendar
