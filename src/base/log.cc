#include "base/log.h"

#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <utility>

#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"

namespace ff::log {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"error", "warn", "info", "debug", "trace"};

void write_to_stderr(std::string_view line) {
    while (!line.empty()) {
        const ssize_t put = ::write(STDERR_FILENO, line.data(), line.size());
        if (put <= 0) return;  // nowhere left to complain
        line.remove_prefix(static_cast<std::size_t>(put));
    }
}

struct State {
    std::atomic<Level> level{Level::Info};
    std::mutex mutex{};
    Sink sink{write_to_stderr};
};

// Leaked on purpose: threads may still log while statics are being destroyed.
State& state() {
    static auto* const kState = new State();
    return *kState;
}

/// What operators did is written at every level.
constexpr std::string_view kAudit = "audit";

std::string now_text() {
    const auto now = std::chrono::system_clock::now();
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    const auto seconds = static_cast<std::time_t>(ms / 1000);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 40> buffer{};
    const std::size_t length =
        std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
    return std::string(buffer.data(), length) + "." + fraction + "Z";
}

}  // namespace

std::optional<Level> parse_level(std::string_view text) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (kNames[i] == text) return static_cast<Level>(i);
    return std::nullopt;
}

std::string_view to_string(Level level) {
    return kNames[static_cast<std::size_t>(level)];
}

void set_level(Level level) {
    state().level = level;
}

Level level() {
    return state().level;
}

Sink set_sink(Sink sink) {
    const std::lock_guard lock(state().mutex);
    return std::exchange(state().sink, std::move(sink));
}

void write(Level level, std::string_view room, std::string_view event, Fields fields) {
    const bool wanted = level <= state().level.load(std::memory_order_relaxed);
    if (!wanted && room != kAudit) return;
    std::string line;
    json::Writer writer(line);
    writer.begin_object();
    writer.key("ts").string(now_text()).key("level").string(to_string(level));
    writer.key("target").string(room).key("event").string(event);
    for (const Field& field : fields) {
        writer.key(field.name);
        if (field.bare)
            writer.raw(field.value);
        else if (is_utf8(field.value))
            writer.string(field.value);
        else
            writer.string(to_hex(field.value));
    }
    writer.end_object();
    line.push_back('\n');
    const std::lock_guard lock(state().mutex);
    state().sink(line);
}

}  // namespace ff::log
