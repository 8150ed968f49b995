#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/programs.h"

namespace ff::app {

/// Reads all of the data folder of a stopped server, or of a backup: checksums, then the state of
/// every execution and the indexes it should be in. Changes nothing there: what a repair would do
/// is tried in memory. Needs as much memory as a server that starts on it.
Result<cli::DataCheck> check_store(const std::string& data_folder);

/// Does what `check_store` has found to be necessary, and keeps a copy of every file it changes.
Result<std::vector<cli::DataDamage>> repair_store(const std::string& data_folder);

}  // namespace ff::app
