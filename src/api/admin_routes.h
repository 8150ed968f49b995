#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/route.h"
#include "model/partition.h"
#include "service/lanes.h"

namespace ff::api {

/// What this server is and can do.
struct Capabilities {
    std::string backend{};
    std::string version{};
    std::int64_t library_version = 0;
    /// What runs the functions; empty where another program does.
    std::string lua_engine{};
    bool lua_compiled = false;
    model::PartitionConfig partitions{};
    std::map<std::string, bool> features{};
    /// What in the settings of the store endangers its data, a sentence each.
    std::vector<std::string> store_warnings{};
};

struct BackupSummary {
    std::uint64_t shards = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
};

/// Copies the data into a folder that is new or empty. Refuses where the store cannot do that.
using Backup = std::function<Task<BackupSummary>(std::string folder)>;

/// `GET /v1/capabilities` and `POST /v1/admin/backup`. `lanes` outlives the table.
void add_admin_routes(Routes& routes, Capabilities capabilities, service::Lanes& lanes,
                      Backup backup);

}  // namespace ff::api
