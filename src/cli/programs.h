#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ff::cli {

/// What the command line asks of the rooms above it; filled in by main.
struct Programs {
    /// Serves with the flags of `flowfabric server` until it is told to stop; the exit code.
    /// `ready` is called with the URL once requests are answered.
    std::function<int(const std::vector<std::string>& flags,
                      std::function<void(const std::string& url)> ready)>
        serve{};
    /// Copies the data folder of a server that is stopped.
    std::function<Result<Done>(const std::string& data_folder, const std::string& copy)>
        copy_data{};
};

}  // namespace ff::cli
