#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/scratch.h"
#include "cli/try.h"
#include "cli/words.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;

namespace {

constexpr std::int64_t kWeightMax = 1000;

std::string joined(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& one : list) out += (out.empty() ? "" : ",") + one;
    return out.empty() ? "-" : out;
}

/// One finding of the doctor.
struct Check {
    std::string name{};
    bool good = false;
    std::string about{};
    /// Good as it is, but worth knowing.
    bool warning = false;
};

Check memory_check(const Json& memory) {
    constexpr std::int64_t kMebi = std::int64_t{1} << 20;
    const std::int64_t limit = memory["limit"].integer() / kMebi;
    const std::string used = std::to_string(memory["used"].integer() / kMebi) + " MiB";
    const std::string state = memory["state"].text();
    std::string about = used + (limit > 0 ? " of " + std::to_string(limit) + " MiB" : ", no limit");
    if (state == "full") about += "; new work is refused, raise FF_MEMORY_LIMIT or end work";
    if (state == "warning") about += "; new work will be refused soon";
    return {"memory", state != "full", about};
}

std::vector<Check> examine(const AdminClient& client) {
    std::vector<Check> checks;
    const auto alive = client.ping();
    checks.push_back({"store", alive.has_value(), alive ? "answers" : alive.error().text()});
    if (!alive && alive.error().code == "http") return checks;
    const auto health = client.health();
    if (health) checks.push_back({"health", *health == "ok", *health});
    const auto ready = client.readiness();
    checks.push_back({"ready", ready.has_value(), ready ? "yes" : ready.error().text()});
    if (ready && (*ready)["memory"].is_object()) checks.push_back(memory_check((*ready)["memory"]));
    const auto facts = client.capabilities();
    if (!facts) {
        checks.push_back({"library", false, facts.error().text()});
        return checks;
    }
    checks.push_back({"library", facts->library_version > 0,
                      std::to_string(facts->library_version) + " on " + facts->backend});
    for (const std::string& warning : facts->raw["store_warnings"].text_items())
        checks.push_back({"store", true, warning, true});
    const Json& lua = facts->raw["lua"];
    if (lua.is_object())
        checks.push_back(
            {"functions", true,
             lua["engine"].text() + (lua["jit"].text() == "on" ? ", compiled" : ", interpreted")});
    const bool counted =
        facts->flow_partitions > 0 && facts->budget_partitions > 0 && facts->quota_partitions > 0;
    checks.push_back({"partitions", counted,
                      std::to_string(facts->flow_partitions) + " for flows, " +
                          std::to_string(facts->budget_partitions) + " for budgets, " +
                          std::to_string(facts->quota_partitions) + " for quotas"});
    const auto kids = client.waitpoint_kids();
    const bool in_step = kids && !kids->current.empty() && kids->in_step;
    checks.push_back({"secrets", in_step,
                      !kids     ? kids.error().text()
                      : in_step ? "current key " + kids->current + " in every partition"
                                : "partitions differ; rotate again"});
    return checks;
}

/// The store's clock and indexes, by an execution that is never run and soon forgotten.
std::vector<Check> probe(const AdminClient& client) {
    const std::int64_t before = now_ms();
    const auto created = client.create_execution({.kind = "flowfabric.doctor",
                                                  .lane = "flowfabric.doctor",
                                                  .ns = "flowfabric.doctor",
                                                  .creator_identity = "flowfabric-cli",
                                                  .policy = std::string(kScratchPolicy)});
    const std::int64_t after = now_ms();
    if (!created) return {{"create", false, created.error().text()}};
    std::vector<Check> checks{{"create", true, std::to_string(after - before) + " ms"}};
    const auto info = client.describe_execution(created->execution_id);
    const std::int64_t at = info ? info->created_at : 0;
    const std::int64_t skew = at < before ? before - at : std::max<std::int64_t>(0, at - after);
    checks.push_back({"clocks", info.has_value() && skew < 1000,
                      "apart by " + std::to_string(skew) + " ms at least"});
    const auto listed =
        client.list_executions({.lane = "flowfabric.doctor", .state = "eligible", .limit = 1000});
    const bool found = listed && std::any_of(listed->executions.begin(), listed->executions.end(),
                                             [&](const auto& one) {
                                                 return one.execution_id == created->execution_id;
                                             });
    checks.push_back({"indexes", found, found ? "hold what was created" : "miss what was created"});
    const auto gone = client.cancel_execution(created->execution_id, "doctor has finished");
    checks.push_back({"cancel", gone.has_value(), gone ? *gone : gone.error().text()});
    const auto removed = remove_lane(client, "flowfabric.doctor");
    checks.push_back({"lane", removed.has_value(), removed ? "removed" : removed.error().text()});
    return checks;
}

}  // namespace

int run_lanes_list(Session& session, const Arguments& /*arguments*/) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto list, client.list_lanes(true));
    if (session.json()) {
        session.print_json(list.raw);
        return kDone;
    }
    Table table({"LANE", "STATE", "WAITING", "ACTIVE", "DELAYED", "SUSPENDED", "CHILDREN",
                 "LIMITED", "ENDED", "WEIGHT"});
    for (const flowfabric::Lane& lane : list.lanes) {
        const auto count = [&lane](const std::string& state) {
            const auto found = lane.counts.find(state);
            return std::to_string(found == lane.counts.end() ? 0 : found->second);
        };
        table.row({lane.lane, lane.state, count("waiting"), count("active"), count("delayed"),
                   count("suspended"), count("waiting_children"), count("rate_limited"),
                   count("terminal"), std::to_string(lane.scheduling_weight)});
    }
    session.print(table);
    return kDone;
}

int run_lanes_set(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t weight, arguments.integer("weight", 0, 1, kWeightMax));
    flowfabric::LaneChanges changes{.state = arguments.text("state")};
    if (weight > 0) changes.scheduling_weight = weight;
    changes.default_policy = arguments.text("policy");
    if (!changes.default_policy.empty() && !Json::parse(changes.default_policy))
        return session.usage(mistake("--policy is no JSON: " + changes.default_policy));
    if (changes.state.empty() && weight == 0 && changes.default_policy.empty())
        return session.usage(
            mistake("There is nothing to set; give --state, --weight or --policy."));
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string lane = arguments.text("lane");
    FF_CLI_TRY([[maybe_unused]] const auto done, client.set_lane(lane, changes));
    return session.show(Json::object({{"status", "set"}, {"lane_id", lane}}));
}

int run_workers(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto page,
               client.list_workers(arguments.text("namespace"), arguments.text("cursor")));
    if (session.json()) {
        session.print_json(page.raw);
        return kDone;
    }
    const std::int64_t now = now_ms();
    Table table({"WORKER", "INSTANCE", "LANES", "CAPABILITIES", "LAST HEARTBEAT"});
    for (const flowfabric::WorkerInfo& one : page.workers)
        table.row({one.worker_id, one.worker_instance_id, joined(one.lanes),
                   joined(one.capabilities), age_text(one.last_heartbeat_at, now)});
    session.print(table);
    session.tell_more(page.next_cursor);
    return kDone;
}

int run_backup(Session& session, const Arguments& arguments) {
    const std::string folder = arguments.text("folder");
    if (arguments.has("data-dir")) {
        FF_CLI_TRY([[maybe_unused]] const Done copied,
                   session.programs().copy_data(arguments.text("data-dir"), folder));
        return session.show(Json::object({{"status", "copied"}, {"folder", folder}}));
    }
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto report, client.backup(folder));
    return session.show(Json::object({{"status", "copied"},
                                      {"folder", folder},
                                      {"shards", report.shards},
                                      {"records", report.records},
                                      {"bytes", report.bytes}}));
}

int run_doctor(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    std::vector<Check> checks = examine(client);
    const bool reachable = checks.size() > 2;
    if (reachable && arguments.has("write")) {
        const std::vector<Check> more = probe(client);
        checks.insert(checks.end(), more.begin(), more.end());
    }
    bool good = true;
    Table table({"CHECK", "", "FOUND"});
    Json list = Json::array();
    for (const Check& check : checks) {
        good = good && check.good;
        table.row({check.name,
                   !check.good     ? session.paint("bad", Colour::Red)
                   : check.warning ? session.paint("warn", Colour::Yellow)
                                   : session.paint("ok", Colour::Green),
                   check.about});
        list.push(Json::object({{"check", check.name},
                                {"ok", check.good},
                                {"warning", check.warning},
                                {"found", check.about}}));
    }
    if (session.json()) {
        session.print_json(Json::object({{"ok", good}, {"checks", list}}));
    } else {
        session.print(table);
    }
    return good ? kDone : kFailed;
}

int run_version(Session& session, const Arguments& /*arguments*/) {
    if (session.json()) {
        session.print_json(Json::object({{"version", version()}, {"luajit", luajit_version()}}));
    } else {
        session.line(version_text());
    }
    return kDone;
}

}  // namespace ff::cli
