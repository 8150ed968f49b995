#pragma once

#include <string>

#include "api/admin_routes.h"
#include "app/backend.h"
#include "base/task.h"

namespace ff::app {

/// Copies the data of a running server on a thread of its own, secret included. `invalid_input`
/// where the store is not the embedded one, or keeps nothing on disk.
Task<api::BackupSummary> backup_running(StoreBackend& backend, const Settings& settings,
                                        std::string folder);

/// The same for a data folder that no process uses.
Result<api::BackupSummary> backup_stopped(const std::string& data_folder,
                                          const std::string& folder);

}  // namespace ff::app
