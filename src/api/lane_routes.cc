#include "api/lane_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "api/stream_query.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;

void write_lane(json::Writer& out, const service::LaneView& lane) {
    out.begin_object();
    out.key("lane_id").string(lane.lane_id.text());
    out.key("state").string(sched::to_string(lane.state));
    out.key("scheduling_weight").unsigned_integer(lane.scheduling_weight);
    if (lane.default_priority) out.key("default_priority").integer(*lane.default_priority);
    if (!lane.default_policy_json.empty())
        out.key("default_policy_json").string(lane.default_policy_json);
    out.key("counts").begin_object();
    for (const auto& [state, count] : lane.counts) out.key(state).integer(count);
    out.end_object();
    out.end_object();
}

Task<http::Response> list_lanes(service::Lanes& lanes, Call& call) {
    const std::string counts = call.query("counts").value_or("");
    if (!counts.empty() && counts != "now") co_return invalid_input("counts", "can only be now");
    FF_CO_TRY(const std::vector<service::LaneView> views, co_await lanes.list(counts == "now"));
    co_return json_response(200, [&views](json::Writer& out) {
        out.key("lanes").begin_array();
        for (const service::LaneView& view : views) write_lane(out, view);
        out.end_array();
    });
}

/// A policy may be given as an object or as its text.
Result<std::optional<std::string>> policy_text(const Fields& body) {
    const auto given = body.value().find("default_policy_json");
    if (given && given->is_object()) return std::optional(given->to_text());
    return body.text_if("default_policy_json", {.most = std::size_t{64} << 10});
}

Result<service::LaneChange> parse_change(Call& call) {
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("lane_id", call.path("lane")));
    FF_TRY(model::LaneId lane, parse_path<model::LaneId>(call, "lane"));
    service::LaneChange change{.lane_id = std::move(lane)};
    FF_TRY(const auto state, body.text_if("state"));
    if (state) {
        change.state = sched::parse_lane_state(*state);
        if (!change.state) return body.refuse("state", "unknown");
    }
    FF_TRY(change.scheduling_weight, body.integer_if("scheduling_weight"));
    FF_TRY(change.default_priority, body.integer_if("default_priority"));
    FF_TRY(change.default_policy_json, policy_text(body));
    return change;
}

Task<http::Response> set_lane(service::Lanes& lanes, Call& call) {
    FF_CO_TRY(service::LaneChange change, parse_change(call));
    FF_CO_CHECK(co_await lanes.set(std::move(change)));
    co_return json_response(200, [](json::Writer& out) { out.key("status").string("set"); });
}

Task<http::Response> remove_lane(service::Lanes& lanes, Call& call) {
    FF_CO_TRY(model::LaneId lane, parse_path<model::LaneId>(call, "lane"));
    FF_CO_TRY(const bool removed, co_await lanes.remove(std::move(lane)));
    co_return json_response(200, [removed](json::Writer& out) {
        out.key("status").string(removed ? "deleted" : "already_satisfied");
    });
}

}  // namespace

void add_lane_routes(Routes& routes, service::Lanes& lanes) {
    routes.add({.method = "GET",
                .pattern = "/v1/lanes",
                .doc = {.id = "listLanes",
                        .summary = "All lanes with their state and counts",
                        .query = {doc_choice("counts", "=now", "Count anew, with up to 32 lanes")},
                        .answer_type = "LaneList"},
                .handle = [&lanes](Call& call) { return list_lanes(lanes, call); }});
    routes.add(
        {.method = "PUT",
         .pattern = "/v1/lanes/{lane}",
         .body = BodyClass::Control,
         .audit = "lane.set",
         .doc = {.id = "setLane",
                 .summary = "Change what a lane accepts and how it shares workers",
                 .body = {{.name = "state", .type = "LaneState", .example = "\"paused\""},
                          {.name = "scheduling_weight", .kind = Kind::Integer, .about = "1..1000"},
                          {.name = "default_priority", .kind = Kind::Integer, .about = "0..9000"},
                          {.name = "default_policy_json",
                           .type = "string,ExecutionPolicy",
                           .about = "The policy of executions that bring none"}},
                 .answer_type = "ChangedLane"},
         .handle = [&lanes](Call& call) { return set_lane(lanes, call); }});
    routes.add({.method = "DELETE",
                .pattern = "/v1/lanes/{lane}",
                .audit = "lane.delete",
                .doc = {.id = "deleteLane",
                        .summary = "Delete a disabled lane that is empty",
                        .answer_type = "DeletedLane",
                        .errors = {"lane_in_use"}},
                .handle = [&lanes](Call& call) { return remove_lane(lanes, call); }});
}

}  // namespace ff::api
