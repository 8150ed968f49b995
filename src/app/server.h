#pragma once

#include <functional>
#include <string>

#include "app/settings.h"

namespace ff::app {

/// Called with the URL once requests are answered.
using Ready = std::function<void(const std::string& url)>;

/// Serves until SIGINT or SIGTERM and returns the exit code: 0 after a clean stop, 1 when it could
/// not start. A second signal ends the process at once with 130.
int run_server(const Settings& settings, const Ready& ready = {});

}  // namespace ff::app
