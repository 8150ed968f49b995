#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace ff::log {

enum class Level : std::uint8_t { Error, Warn, Info, Debug, Trace };

std::optional<Level> parse_level(std::string_view text);
std::string_view to_string(Level level);

/// One fact about an event. Secrets, tokens and payloads never go into one.
struct Field {
    Field(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
    Field(std::string_view field_name, const char* text) : name(field_name), value(text) {}
    Field(std::string_view field_name, const std::string& text) : name(field_name), value(text) {}
    Field(std::string_view field_name, bool flag)
        : name(field_name), value(flag ? "true" : "false"), bare(true) {}
    template <class Number>
        requires std::is_arithmetic_v<Number>
    Field(std::string_view field_name, Number number)
        : name(field_name), value(std::to_string(number)), bare(true) {}

    std::string_view name;
    std::string value;
    bool bare = false;  // written without quotes
};

using Fields = std::initializer_list<Field>;

/// Where finished lines go; the default is standard error. Called by any thread, one at a time.
using Sink = std::function<void(std::string_view line)>;

/// Lines above `level` are dropped before they are built.
void set_level(Level level);
Level level();
/// Replaces the sink and returns the former one.
Sink set_sink(Sink sink);

/// Writes one JSON line. `event` is fixed text, so that lines can be counted; ids go in fields.
void write(Level level, std::string_view room, std::string_view event, Fields fields);

inline void error(std::string_view room, std::string_view event, Fields fields = {}) {
    write(Level::Error, room, event, fields);
}
inline void warn(std::string_view room, std::string_view event, Fields fields = {}) {
    write(Level::Warn, room, event, fields);
}
inline void info(std::string_view room, std::string_view event, Fields fields = {}) {
    write(Level::Info, room, event, fields);
}
inline void debug(std::string_view room, std::string_view event, Fields fields = {}) {
    write(Level::Debug, room, event, fields);
}

}  // namespace ff::log
