#include <iterator>

#include "model/exec_keys.h"
#include "model/global_keys.h"
#include "simulation/actor.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

/// Somebody who may do everything, and does.
struct Operator {
    World& world;
    std::string name;

    model::ExecutionId draw_execution() {
        const auto& subjects = world.ledger().subjects();
        const auto step = static_cast<std::ptrdiff_t>(world.chances().below(subjects.size()));
        return std::next(subjects.begin(), step)->first;
    }

    bool is_at_work(const model::ExecutionId& id) {
        const std::string core = model::ExecKeys(id).core();
        return world.process().life() &&
               world.process().look({"HGET", core, "lifecycle_phase"}).text() == "active";
    }

    /// Most often one that somebody is at work on: little can be done to what has ended.
    std::optional<model::ExecutionId> any_execution() {
        constexpr int kLooks = 20;
        if (world.ledger().subjects().empty()) return std::nullopt;
        model::ExecutionId id = draw_execution();
        const bool any = world.chances().below(3) == 0;
        for (int looks = 0; looks < kLooks && !any && !is_at_work(id); ++looks)
            id = draw_execution();
        return id;
    }

    asio::awaitable<void> cancel(Server& server, model::ExecutionId id) {
        world.ledger().ending(id, std::nullopt);
        const Timestamp begun = world.ledger().now();
        Asked call(world, id, Act::Cancel);
        auto cancelling = server.services().executions.cancel({.execution_id = id, .reason = "no"});
        const Result<model::PublicState> state = co_await std::move(cancelling);
        call.told(state, true);
        world.note(name, "cancel", id.to_string(), outcome_of(state));
        // A lease that was taken while the cancel was on its way has met it, too.
        world.ledger().ending(id, std::nullopt);
        if (state.has_value() && *state == model::PublicState::Cancelled)
            world.ledger().ended(id, {.state = *state, .begun = begun});
    }

    asio::awaitable<void> replay(Server& server, model::ExecutionId id) {
        const bool keeps_steps = world.chances().happens(world.crowd().keeps_steps);
        const std::size_t number = world.ledger().replaying(id, keeps_steps);
        Asked call(world, id, Act::Replay);
        auto replaying = server.services().executions.replay({.execution_id = id,
                                                              .reason = "again",
                                                              .requested_by = name,
                                                              .keep_steps = keeps_steps});
        const Result<model::PublicState> state = co_await std::move(replaying);
        call.told(state, false);
        world.note(name, "replay", id.to_string(), outcome_of(state));
        world.ledger().replayed(id, number, seen_of(state) != Seen::Refused);
    }

    asio::awaitable<void> revoke(Server& server, model::ExecutionId id) {
        world.ledger().ending(id, std::nullopt);
        Asked call(world, id, Act::Revoke);
        auto revoking = server.services().executions.revoke_lease(id, std::nullopt, "no");
        const Result<service::RevokedLease> revoked = co_await std::move(revoking);
        world.note(name, "revoke", id.to_string(), outcome_of(revoked));
        if (revoked.has_value()) {
            world.ledger().revoked(id, revoked->lease_epoch.value);
            // Without an epoch there was no lease (any more).
            call.of(revoked->lease_epoch.value);
            if (revoked->lease_epoch.value != 0) call.told(revoked, true);
        }
        world.ledger().ending(id, std::nullopt);
    }

    asio::awaitable<void> reprioritise(Server& server, model::ExecutionId id) {
        auto changing = server.services().executions.change_priority(
            id, static_cast<std::int64_t>(world.chances().below(100)));
        const Result<service::ChangedPriority> changed = co_await std::move(changing);
        world.note(name, "priority", id.to_string(), outcome_of(changed));
    }

    void check_stamp(const std::string& lane, Timestamp begun) {
        if (!world.process().life()) return;
        const std::string key = model::lane_config_key(*model::LaneId::parse(lane));
        const resp::Value at = world.process().look({"HGET", key, "updated_at"});
        const std::int64_t ms = std::stoll(std::string(at.text().value_or("0")));
        if (ms < to_ms(begun) || ms > to_ms(world.ledger().now()))
            world.history().broke("records tell the time of the store",
                                  lane + ": it was set at " + std::to_string(ms));
    }

    asio::awaitable<void> set_lane(Server& server) {
        const std::vector<model::LaneId> lanes = lanes_of(world.plan());
        const bool pauses = !world.is_calm() && world.chances().coin();
        service::LaneChange change{.lane_id = lanes[world.chances().below(lanes.size())]};
        change.state = pauses ? sched::LaneState::Paused : sched::LaneState::Active;
        const std::string lane = change.lane_id.text();
        const Timestamp begun = world.ledger().now();
        auto setting = server.services().lanes.set(std::move(change));
        const Result<Done> set = co_await std::move(setting);
        world.note(name, pauses ? "pause lane" : "open lane", lane, outcome_of(set));
        if (set.has_value()) check_stamp(lane, begun);
    }

    asio::awaitable<void> resume(Server& server, model::ExecutionId id) {
        auto resuming = server.services().signals.resume({.execution_id = id, .actor = name});
        const Result<std::string> resumed = co_await std::move(resuming);
        world.note(name, "resume", id.to_string(), outcome_of(resumed));
    }

    asio::awaitable<void> act() {
        const std::shared_ptr<Server> server = world.server();
        const std::optional<model::ExecutionId> id = any_execution();
        if (!server || !id) co_return;
        world.history().count(1);
        switch (world.chances().below(7)) {
            case 0:
                co_await cancel(*server, *id);
                break;
            case 1:
                co_await replay(*server, *id);
                break;
            case 2:
                co_await revoke(*server, *id);
                break;
            case 3:
                co_await reprioritise(*server, *id);
                break;
            case 4:
                co_await set_lane(*server);
                break;
            default:
                co_await resume(*server, *id);
        }
    }
};

}  // namespace

asio::awaitable<void> operator_at_work(World& world, std::string name) {
    Operator person{.world = world, .name = std::move(name)};
    while (!world.is_over() && !world.is_calm()) {
        co_await world.pause(world.chances().up_to(Millis(1'500)) + Millis(1));
        co_await person.act();
    }
}

}  // namespace ff::simulation
