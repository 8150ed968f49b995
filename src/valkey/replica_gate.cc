#include "valkey/replica_gate.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "model/function_catalogue.h"
#include "model/transport_kind.h"
#include "store/reply_errors.h"
#include "valkey/resend.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;

/// Beside the time that the store itself may take.
constexpr milliseconds kAnswerPatience{2'000};

Error not_replicated(std::string why) {
    return model::storage_error(model::TransportKind::IoError, std::move(why));
}

}  // namespace

ReplicaGate::ReplicaGate(asio::any_io_executor loop, Caller& caller, const Options& options)
    : loop_(loop), caller_(caller), options_(options), tasks_(std::move(loop), "replica_gate") {}

bool ReplicaGate::concerns(const store::Call& call) {
    const auto args = call.command.args();
    if (args.empty() || is_plain_read(args[0])) return false;
    if (args[0] != "FCALL" || args.size() < 2) return true;
    const model::FunctionInfo* const function = model::find_function(args[1]);
    return function == nullptr || !function->read_only;
}

Task<Done> ReplicaGate::pass(net::Address node) {
    if (stopping_) co_return store::shutting_down();
    Node& at = nodes_[node.text()];
    if (!at.next) at.next = std::make_shared<Run>();
    const std::shared_ptr<Run> run = at.next;
    if (!std::exchange(at.waiting, true)) tasks_.spawn(perform(node));
    Event ended(loop_);
    const auto place = run->held.insert(run->held.end(), &ended);
    if (!run->result) {
        co_await ended.wait(Deadline::after(2 * (options_.wait_replicas_time + kAnswerPatience)));
    }
    run->held.erase(place);
    if (run->result) co_return *run->result;
    co_return not_replicated("the replicas of " + node.text() + " were not heard of in time");
}

asio::awaitable<void> ReplicaGate::perform(net::Address address) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (true) {
        const std::shared_ptr<Run> run = std::exchange(nodes_[address.text()].next, nullptr);
        if (!run) break;
        Result<Done> result = co_await wait_at(address);
        run->result = std::move(result);
        for (Event* const one : run->held) one->notify();
    }
    nodes_.erase(address.text());
}

Task<Done> ReplicaGate::wait_at(net::Address address) {
    const std::string wanted = std::to_string(options_.wait_replicas);
    const std::string time = std::to_string(options_.wait_replicas_time.count());
    store::Call wait = store::plain({"WAIT", wanted, time});
    wait.deadline = Deadline::after(options_.wait_replicas_time + kAnswerPatience);
    FF_CO_TRY(const store::Reply reply, co_await caller_.at_node(address, wait));
    const std::int64_t have = reply.to_integer().value_or(0);
    if (have >= static_cast<std::int64_t>(options_.wait_replicas)) co_return Done{};
    co_return not_replicated("only " + std::to_string(have) + " of " + wanted + " replicas of " +
                             address.text() + " have the change after " + time +
                             " ms (FF_WAIT_REPLICAS); the call may be repeated");
}

asio::awaitable<void> ReplicaGate::stop() {
    stopping_ = true;
    tasks_.cancel();
    co_await tasks_.join();
}

}  // namespace ff::valkey
