#include "valkey/valkey_store.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "model/transport_kind.h"
#include "store/command_keys.h"
#include "store/reply_errors.h"
#include "valkey/await.h"
#include "valkey/blocking_pool.h"
#include "valkey/cluster.h"
#include "valkey/home.h"
#include "valkey/library_loader.h"
#include "valkey/replica_gate.h"
#include "valkey/single_server.h"
#include "valkey/subscriber.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;
using model::TransportKind;
using store::Call;
using store::Reply;

/// Loading takes at most 6 attempts and 14.5 s of pauses.
constexpr milliseconds kEnsurePatience{60'000};

bool is_kind(const Error& error, TransportKind kind) {
    return error.kind == model::to_string(kind);
}

Result<Done> check_options(const Options& options) {
    const auto bad = [](std::string why) {
        return model::storage_error(TransportKind::InvalidClientConfig, std::move(why));
    };
    if (options.addresses.empty()) return bad("no address of a store");
    for (const net::Address& address : options.addresses) {
        if (address.is_unix() && options.cluster) return bad("a cluster is not on a unix socket");
        if (address.is_unix() && options.session.tls) return bad("no TLS on a unix socket");
    }
    if (!options.cluster && options.addresses.size() > 1)
        return bad("several addresses without a cluster");
    return Done{};
}

std::unique_ptr<Router> make_router(const asio::any_io_executor& loop, Random& random, Probe& probe,
                                    const Options& options) {
    if (options.cluster) return std::make_unique<Cluster>(loop, random, probe, options);
    return std::make_unique<SingleServer>(loop, random, probe, options);
}

/// A subscription's end at its reader. The hub's end may be gone before it.
class Listener final : public store::Subscription {
  public:
    Listener(std::shared_ptr<Home> home, std::weak_ptr<Subscriber> subscriber,
             std::shared_ptr<Inbox> inbox)
        : home_(std::move(home)), subscriber_(std::move(subscriber)), inbox_(std::move(inbox)) {}

    ~Listener() override {
        const asio::any_io_executor loop = home_->loop();
        asio::post(loop, [subscriber = std::move(subscriber_), inbox = std::move(inbox_)] {
            if (const auto live = subscriber.lock()) live->unsubscribe(inbox);
        });
    }

    Task<std::optional<store::Notice>> next(Deadline deadline) override {
        return home_->bring(next_here(inbox_, deadline));
    }

  private:
    static Task<std::optional<store::Notice>> next_here(std::shared_ptr<Inbox> inbox,
                                                        Deadline deadline) {
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        while (cancellation.cancelled() == asio::cancellation_type::none) {
            std::optional<store::Notice> notice = inbox->take();
            if (notice) co_return notice;
            if (inbox->closed()) co_return store::shutting_down();
            if (deadline.passed()) co_return std::optional<store::Notice>();
            co_await inbox->changed().wait(deadline);
        }
        co_return store::shutting_down();
    }

    std::shared_ptr<Home> home_;
    std::weak_ptr<Subscriber> subscriber_;
    std::shared_ptr<Inbox> inbox_;
};

}  // namespace

struct ValkeyStore::Parts {
    Parts(const asio::any_io_executor& loop, Random& random, Probe& probe, Options given)
        : options(std::move(given)),
          home(std::make_shared<Home>(loop)),
          router(make_router(loop, random, probe, options)),
          caller(loop, *router, probe),
          loader(loop, caller, *router, probe, options),
          gate(loop, caller, options),
          pool(loop, *router, probe, options),
          subscriber(std::make_shared<Subscriber>(loop, random, *router, probe, options)) {}

    Options options;
    std::shared_ptr<Home> home;  // shared with the subscriptions' readers
    std::unique_ptr<Router> router;
    Caller caller;
    LibraryLoader loader;
    ReplicaGate gate;
    BlockingPool pool;
    std::shared_ptr<Subscriber> subscriber;  // watched by the subscriptions' readers
    bool stopped = false;
};

ValkeyStore::ValkeyStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ValkeyStore::~ValkeyStore() = default;

Task<std::unique_ptr<ValkeyStore>> ValkeyStore::open(asio::any_io_executor loop, Random& random,
                                                     Probe& probe, Options options) {
    FF_CO_CHECK(check_options(options));
    const Deadline deadline = Deadline::after(options.session.connect_timeout);
    auto parts = std::make_unique<Parts>(loop, random, probe, std::move(options));
    std::unique_ptr<ValkeyStore> opened(new ValkeyStore(std::move(parts)));
    Call ping = store::plain({"PING"});
    ping.deadline = deadline;
    Result<Reply> pong = co_await opened->call_here(std::move(ping));
    if (pong.has_value() && pong->text() == "PONG") co_return opened;
    co_await opened->stop();
    if (!pong.has_value()) co_return std::move(pong).error();
    co_return model::storage_error(TransportKind::ParseError, "PING: " + pong->to_debug_text());
}

Task<Reply> ValkeyStore::call(Call call) {
    return parts_->home->bring(call_here(std::move(call)));
}

Task<Reply> ValkeyStore::fcall(Call call) {
    return parts_->home->bring(fcall_here(std::move(call)));
}

asio::awaitable<std::vector<Result<Reply>>> ValkeyStore::pipeline(std::vector<Call> calls) {
    return parts_->home->bring(pipeline_here(std::move(calls)));
}

Task<Reply> ValkeyStore::blocking_read(Call call) {
    return parts_->home->bring(blocking_read_here(std::move(call)));
}

Task<std::unique_ptr<store::Subscription>> ValkeyStore::subscribe(store::Channels channels) {
    return parts_->home->bring(subscribe_here(std::move(channels)));
}

Task<ServerVersion> ValkeyStore::check_version() {
    return parts_->home->bring(check_version_here());
}

Task<Done> ValkeyStore::ensure_library() {
    return parts_->home->bring(ensure_library_here());
}

asio::awaitable<std::vector<NodeReply>> ValkeyStore::every_primary(Call call) {
    return parts_->home->bring(every_primary_here(std::move(call)));
}

Task<Reply> ValkeyStore::call_here(Call call) {
    if (parts_->stopped) co_return store::shutting_down();
    co_return co_await settled_call(call);
}

std::optional<net::Address> ValkeyStore::node_of(const Call& call) const {
    const auto slot = store::slot_of(call.command.args());
    if (!slot.has_value()) return std::nullopt;
    return parts_->router->owner_address(*slot);
}

Task<Reply> ValkeyStore::settled_call(const Call& call) {
    if (parts_->gate.is_open() || !ReplicaGate::concerns(call)) {
        co_return co_await parts_->caller.call(call);
    }
    const std::optional<net::Address> node = node_of(call);
    FF_CO_TRY(Reply reply, co_await parts_->caller.call(call));
    FF_CO_CHECK(co_await settle(call, node));
    co_return reply;
}

Task<Done> ValkeyStore::settle(const Call& call, std::optional<net::Address> node) {
    // A slot that moved meanwhile: whose replicas have the change is not known.
    if (!node || node_of(call) != node) {
        co_return model::storage_error(TransportKind::IoError,
                                       "the primary changed during the call; repeat it");
    }
    co_return co_await parts_->gate.pass(*node);
}

asio::awaitable<std::vector<Result<Reply>>> ValkeyStore::settled_pipeline(
    const std::vector<Call>& calls) {
    if (parts_->gate.is_open() || std::ranges::none_of(calls, ReplicaGate::concerns)) {
        co_return co_await parts_->caller.pipeline(calls);
    }
    std::vector<std::optional<net::Address>> nodes;
    for (const Call& call : calls) nodes.push_back(node_of(call));
    std::vector<Result<Reply>> results = co_await parts_->caller.pipeline(calls);
    std::map<std::string, Result<Done>> passed;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].has_value() || !ReplicaGate::concerns(calls[i])) continue;
        const std::string name = nodes[i] ? nodes[i]->text() : std::string();
        auto known = passed.find(name);
        if (known == passed.end()) {
            const Result<Done> settled = co_await settle(calls[i], nodes[i]);
            known = passed.emplace(name, settled).first;
        }
        if (!known->second.has_value()) results[i] = known->second.error();
    }
    co_return results;
}

Task<Reply> ValkeyStore::fcall_here(Call call) {
    if (parts_->stopped) co_return store::shutting_down();
    Result<Reply> reply = co_await settled_call(call);
    if (reply.has_value() || !parts_->options.library.has_value() ||
        !is_kind(reply.error(), TransportKind::NoScript)) {
        co_return reply;
    }
    FF_CO_CHECK(co_await parts_->loader.ensure(call.deadline));
    co_return co_await settled_call(call);
}

asio::awaitable<std::vector<Result<Reply>>> ValkeyStore::pipeline_here(std::vector<Call> calls) {
    if (parts_->stopped)
        co_return std::vector<Result<Reply>>(calls.size(), Result<Reply>(store::shutting_down()));
    std::vector<Result<Reply>> results = co_await settled_pipeline(calls);
    const auto unknown = [](const Result<Reply>& result) {
        return !result.has_value() && is_kind(result.error(), TransportKind::NoScript);
    };
    if (!parts_->options.library.has_value() || std::ranges::none_of(results, unknown))
        co_return results;
    std::vector<std::size_t> places;
    std::vector<Call> again;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!unknown(results[i])) continue;
        places.push_back(i);
        again.push_back(std::move(calls[i]));
    }
    const Result<Done> loaded = co_await parts_->loader.ensure(again.front().deadline);
    if (!loaded.has_value()) co_return results;
    std::vector<Result<Reply>> second = co_await settled_pipeline(again);
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(second[i]);
    co_return results;
}

Task<Reply> ValkeyStore::blocking_read_here(Call call) {
    co_return co_await parts_->pool.read(call);
}

Task<std::unique_ptr<store::Subscription>> ValkeyStore::subscribe_here(store::Channels channels) {
    FF_CO_TRY(std::shared_ptr<Inbox> inbox,
              co_await parts_->subscriber->subscribe(std::move(channels)));
    co_return std::make_unique<Listener>(parts_->home, parts_->subscriber, std::move(inbox));
}

Task<ServerVersion> ValkeyStore::ask_version() {
    const Call call = store::plain({"INFO", "server"}, true);
    const std::vector<NodeReply> replies = co_await parts_->caller.every_primary(call);
    if (replies.empty()) co_return parts_->router->why_nobody().error;
    resp::Value::Items bodies;
    for (const NodeReply& node : replies) {
        if (!node.reply.has_value()) co_return node.reply.error();
        bodies.push_back(resp::Value::bulk(node.address.text()));
        bodies.push_back(*node.reply);
    }
    co_return lowest_version(resp::Value::map(std::move(bodies)));
}

Task<ServerVersion> ValkeyStore::check_version_here() {
    using std::chrono::steady_clock;
    VersionCheck check(parts_->options.allow_redis);
    const auto start = steady_clock::now();
    while (true) {
        Result<ServerVersion> version = co_await ask_version();
        const auto elapsed = std::chrono::floor<milliseconds>(steady_clock::now() - start);
        const VersionCheck::Step step = check.on_answer(version, elapsed);
        if (step.kind == VersionCheck::Step::Kind::Fail) co_return step.error;
        if (step.kind == VersionCheck::Step::Kind::Accept) {
            if (version->product == ServerProduct::Redis || version->major < 8)
                log::warn("valkey", "redis_accepted", {{"version", version->text}});
            co_return version;
        }
        co_await pause(parts_->home->loop(), step.pause, Deadline::never());
        if (parts_->stopped) co_return store::shutting_down();
    }
}

Task<Done> ValkeyStore::ensure_library_here() {
    if (!parts_->options.library.has_value()) co_return Done{};
    co_return co_await parts_->loader.ensure(Deadline::after(kEnsurePatience));
}

asio::awaitable<std::vector<NodeReply>> ValkeyStore::every_primary_here(Call call) {
    co_return co_await parts_->caller.every_primary(call);
}

asio::awaitable<void> ValkeyStore::stop() {
    if (std::exchange(parts_->stopped, true)) co_return;
    co_await parts_->subscriber->stop();
    co_await parts_->pool.stop();
    co_await parts_->loader.stop();
    co_await parts_->gate.stop();
    co_await parts_->router->stop();
    co_await parts_->home->join();
}

}  // namespace ff::valkey
