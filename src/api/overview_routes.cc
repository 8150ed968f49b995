#include "api/overview_routes.h"

#include <memory>

#include "api/json_response.h"

namespace ff::api {
namespace {

void write_points(json::Writer& out, const std::vector<service::LanePoint>& points) {
    const auto write = [&](std::string_view name, std::int64_t service::LanePoint::* figure) {
        out.key(name).begin_array();
        for (const service::LanePoint& point : points) out.integer(point.*figure);
        out.end_array();
    };
    write("completed", &service::LanePoint::completed);
    write("failed", &service::LanePoint::failed);
    write("waiting", &service::LanePoint::waiting);
    write("running", &service::LanePoint::running);
}

void write_lane(json::Writer& out, const service::LaneOverview& lane) {
    out.begin_object();
    out.key("lane_id").string(lane.lane.lane_id.text());
    out.key("state").string(sched::to_string(lane.lane.state));
    out.key("counts").begin_object();
    for (const auto& [state, count] : lane.lane.counts) out.key(state).integer(count);
    out.end_object();
    out.key("workers").unsigned_integer(lane.workers);
    if (lane.oldest) {
        out.key("oldest_waiting").begin_object();
        out.key("execution_id").string(lane.oldest->execution_id.to_string());
        out.key("created_at").integer(to_ms(lane.oldest->created_at));
        out.end_object();
    }
    write_points(out, lane.points);
    out.end_object();
}

void write_budget(json::Writer& out, const service::NearBudget& near) {
    out.begin_object();
    out.key("budget_id").string(near.budget.id.to_string());
    if (!near.budget.name.empty()) out.key("name").string(near.budget.name);
    out.key("scope_type").string(near.budget.scope.type);
    out.key("scope_id").string(near.budget.scope.id);
    out.key("dimension").string(near.dimension);
    out.key("used").integer(near.used);
    out.key("hard_limit").integer(near.hard_limit);
    if (near.budget.next_reset_at)
        out.key("next_reset_at").integer(to_ms(*near.budget.next_reset_at));
    out.end_object();
}

Task<http::Response> get_overview(service::Overview& overview) {
    FF_CO_TRY(const std::shared_ptr<const service::OverviewView> view, co_await overview.view());
    co_return json_response(200, [&view](json::Writer& out) {
        out.key("at").integer(to_ms(view->at));
        out.key("points_from").integer(to_ms(view->points_from));
        out.key("point_ms").integer(service::LaneFigures::kSpan.count());
        out.key("lanes").begin_array();
        for (const service::LaneOverview& lane : view->lanes) write_lane(out, lane);
        out.end_array();
        out.key("workers_alive").unsigned_integer(view->workers_alive);
        out.key("approvals_waiting").integer(view->approvals_waiting);
        out.key("budgets_near_limit").begin_array();
        for (const service::NearBudget& near : view->budgets_near_limit) write_budget(out, near);
        out.end_array();
    });
}

}  // namespace

void add_overview_routes(Routes& routes, service::Overview& overview) {
    routes.add(
        {.method = "GET",
         .pattern = "/v1/overview",
         .doc = {.id = "getOverview",
                 .summary = "Lanes with their last hour, and what waits for people or is near its "
                            "limit",
                 .answer_type = "Overview"},
         .handle = [&overview](Call&) { return get_overview(overview); }});
}

}  // namespace ff::api
