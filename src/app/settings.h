#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "http/listen_address.h"

namespace ff::app {

/// Looks a variable of the environment up; nullopt when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// The environment of this process.
std::optional<std::string> process_environment(std::string_view name);

/// What the environment says about the server, checked.
struct Settings {
    http::ListenAddress listen{.host = "127.0.0.1", .port = 9090};  // FF_LISTEN_ADDR
    log::Level log_level = log::Level::Info;                        // FF_LOG
    Millis shutdown_grace{15'000};                                  // FF_SHUTDOWN_GRACE_MS

    /// `invalid_input` naming the variable that is present and wrong.
    static Result<Settings> read(const Environment& environment);
};

}  // namespace ff::app
