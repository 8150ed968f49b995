#include "simulation/actor.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

/// Somebody who was given the address of a waitpoint, and may not be who he says he is.
struct Approval {
    World& world;
    std::string name;

    asio::awaitable<void> signal(OpenDoor door) {
        Chances& chances = world.chances();
        const auto id = model::SignalId::mint(chances.random());
        const bool forged = chances.below(10) == 0;
        service::NewSignal signal{.execution_id = door.id,
                                  .waitpoint_id = door.waitpoint,
                                  .signal_id = id,
                                  .name = chances.below(4) == 0 ? "other" : "go",
                                  .category = "approval",
                                  .source_type = "user",
                                  .source_identity = name,
                                  .payload = chances.bytes(20),
                                  .token = forged ? "k1:" + std::string(40, '0') : door.token};
        signal.idempotency_key = *model::IdempotencyKey::parse(id.to_string());
        // A second approval with another id and the same key counts as the first.
        for (std::uint64_t times = chances.between(1, 3); times > 0; --times)
            co_await send(signal, forged);
    }

    static void learn(KnownSignal& known, const engine::SignalReceipt& receipt) {
        known.acknowledged = true;
        known.is_last = known.is_last || receipt.effect == "resume_condition_satisfied";
    }

    asio::awaitable<void> send(service::NewSignal signal, bool forged) {
        const std::shared_ptr<Server> server = world.server();
        if (!server) co_return;
        world.history().count(1);
        const model::ExecutionId id = signal.execution_id;
        const std::string text = signal.signal_id->to_string();
        Subject& subject = world.ledger().subject(id);
        if (!forged) subject.signals[text].waitpoint = signal.waitpoint_id->to_string();
        Asked call(world, id, Act::Signal, 0, text);
        auto delivering = server->services().signals.deliver(std::move(signal));
        const Result<engine::SignalReceipt> receipt = co_await std::move(delivering);
        if (!forged) call.told(receipt, receipt.has_value() && receipt->duplicate);
        if (world.chances().happens(world.crowd().forgets_reply)) co_return;
        world.note(name, forged ? "forged signal" : "signal", id.to_string(),
                   receipt.has_value() ? text + " " + receipt->effect : outcome_of(receipt));
        if (!receipt.has_value()) co_return;
        if (forged)
            world.ledger().broke("a forged token opens nothing", id, "the signal was accepted");
        else
            learn(world.ledger().subject(id).signals[text], *receipt);
    }
};

}  // namespace

asio::awaitable<void> approver(World& world, std::string name) {
    Approval approval{.world = world, .name = std::move(name)};
    while (!world.is_over()) {
        co_await world.pause(world.chances().up_to(Millis(800)) + Millis(1));
        if (world.doors.empty()) continue;
        // Most often one of the last; an old one now and then.
        const std::size_t size = world.doors.size();
        const std::size_t recent = std::min<std::size_t>(size, 4);
        const std::size_t at = world.chances().below(4) == 0
                                   ? world.chances().below(size)
                                   : size - 1 - world.chances().below(recent);
        co_await approval.signal(world.doors[at]);
    }
}

}  // namespace ff::simulation
