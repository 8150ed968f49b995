#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"

namespace ff::testing {

/// All lines that are logged while it lives, down to the finest; written by any thread.
class LogCapture {
  public:
    LogCapture() : level_(log::level()) {
        log::set_level(log::Level::Trace);
        former_ = log::set_sink([this](std::string_view line) {
            const std::scoped_lock lock(mutex_);
            lines_.emplace_back(line);
        });
    }
    ~LogCapture() {
        log::set_sink(std::move(former_));
        log::set_level(level_);
    }
    LogCapture(const LogCapture&) = delete;
    LogCapture& operator=(const LogCapture&) = delete;

    /// How many lines hold `part`.
    std::size_t count(std::string_view part) const {
        const std::scoped_lock lock(mutex_);
        return static_cast<std::size_t>(std::ranges::count_if(
            lines_, [&](const std::string& line) { return line.find(part) != line.npos; }));
    }
    std::size_t lines() const {
        const std::scoped_lock lock(mutex_);
        return lines_.size();
    }

  private:
    mutable std::mutex mutex_{};
    log::Level level_;
    log::Sink former_{};
    std::vector<std::string> lines_{};
};

}  // namespace ff::testing
