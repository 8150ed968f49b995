#include "api/admin_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"

namespace ff::api {
namespace {

Task<http::Response> tell_capabilities(const Capabilities& facts, service::Lanes& lanes) {
    FF_CO_TRY(const std::vector<service::LaneView> views, co_await lanes.list());
    co_return json_response(200, [&](json::Writer& out) {
        out.key("backend").string(facts.backend);
        out.key("version").string(facts.version);
        out.key("library_version").integer(facts.library_version);
        if (!facts.lua_engine.empty()) {
            out.key("lua").begin_object();
            out.key("engine").string(facts.lua_engine);
            out.key("jit").string(facts.lua_compiled ? "on" : "off");
            out.end_object();
        }
        out.key("partitions").begin_object();
        out.key("flow").integer(facts.partitions.num_flow_partitions());
        out.key("budget").integer(facts.partitions.num_budget_partitions());
        out.key("quota").integer(facts.partitions.num_quota_partitions());
        out.end_object();
        out.key("lanes").begin_array();
        for (const service::LaneView& lane : views) out.string(lane.lane_id.text());
        out.end_array();
        out.key("features").begin_object();
        for (const auto& [name, on] : facts.features) out.key(name).boolean(on);
        out.end_object();
        out.key("store_warnings").begin_array();
        for (const std::string& warning : facts.store_warnings) out.string(warning);
        out.end_array();
    });
}

Result<std::string> parse_folder(Call& call) {
    FF_TRY(const json::Value body, call.object());
    return Fields(body).text("folder", {.least = 1, .most = 4096});
}

Task<http::Response> make_backup(const Backup& backup, Call& call) {
    FF_CO_TRY(std::string folder, parse_folder(call));
    FF_CO_TRY(const BackupSummary made, co_await backup(std::move(folder)));
    co_return json_response(200, [&made](json::Writer& out) {
        out.key("status").string("copied");
        out.key("shards").unsigned_integer(made.shards);
        out.key("records").unsigned_integer(made.records);
        out.key("bytes").unsigned_integer(made.bytes);
    });
}

}  // namespace

void add_admin_routes(Routes& routes, Capabilities capabilities, service::Lanes& lanes,
                      Backup backup) {
    routes.add({.method = "GET",
                .pattern = "/v1/capabilities",
                .doc = {.id = "getCapabilities",
                        .summary = "What this server is and can do",
                        .answer_type = "Capabilities"},
                .handle = [facts = std::move(capabilities), &lanes](Call&) {
                    return tell_capabilities(facts, lanes);
                }});
    routes.add(
        {.method = "POST",
         .pattern = "/v1/admin/backup",
         .body = BodyClass::Control,
         .audit = "backup",
         .doc = {.id = "createBackup",
                 .summary = "Copy the embedded store's data while it serves",
                 .body = {{.name = "folder",
                           .required = true,
                           .about = "below FF_BACKUP_DIR on the server's machine; new or empty",
                           .example = "\"monday\""}},
                 .answer_type = "BackupSummary",
                 .errors = {"too_many_requests"}},
         .handle = [backup = std::move(backup)](Call& call) { return make_backup(backup, call); }});
}

}  // namespace ff::api
