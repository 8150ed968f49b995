#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ff::cli {

/// What is wrong with a file of a data folder, and what a repair does about it.
struct DataDamage {
    std::string file{};
    std::uint64_t offset = 0;
    /// From there on; 0 for a file that is missing.
    std::uint64_t bytes = 0;
    std::string what{};
    /// Where the file is kept as it was.
    std::string copy{};
};

/// What was found in a data folder. Times are ms since the epoch, 0 for unknown.
struct DataCheck {
    std::uint64_t shards = 0;
    std::uint64_t records = 0;
    std::uint64_t executions = 0;
    std::vector<DataDamage> damage{};
    /// Executions whose record makes no sense, or whose indexes do not agree with it.
    std::vector<std::string> disagreements{};

    // What goes with a repair. Records that were acknowledged, as far as the marks know.
    std::uint64_t records_lost = 0;
    /// Executions that the lost bytes speak of: gone, or as they were before.
    std::vector<std::string> executions_gone{};
    std::vector<std::string> executions_set_back{};
    /// The last change that is kept, and when the damaged files were last written.
    std::int64_t kept_until = 0;
    std::int64_t written_until = 0;

    bool good() const { return damage.empty() && disagreements.empty(); }
};

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
    /// Looks at the data folder of a server that is stopped, and changes nothing there.
    std::function<Result<DataCheck>(const std::string& data_folder)> check_data{};
    /// Repairs it; what was done.
    std::function<Result<std::vector<DataDamage>>(const std::string& data_folder)> repair_data{};
};

}  // namespace ff::cli
