#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/random.h"
#include "base/task.h"
#include "store/store.h"
#include "valkey/caller.h"
#include "valkey/options.h"
#include "valkey/probe.h"
#include "valkey/version.h"

namespace ff::valkey {

/// A Store on a Valkey (or Redis) server or cluster. It lives on one loop of one thread: open,
/// stop and destroy it there. Its other methods may be awaited anywhere; at home they cost least
/// and are cancelled with their caller.
class ValkeyStore final : public store::Store {
  public:
    /// Connects and waits for PONG, at most the connect timeout. `random` and `probe` outlive the
    /// store. The library is not loaded here: boot checks the version first.
    static Task<std::unique_ptr<ValkeyStore>> open(boost::asio::any_io_executor loop,
                                                   Random& random, Probe& probe, Options options);
    /// stop() first.
    ~ValkeyStore() override;

    /// Asks every primary for its version until all are new enough, within the budget of spec 01,
    /// section 7. Warns once if a Redis is accepted.
    Task<ServerVersion> check_version();
    /// Loads the function library wherever it is not (spec 01, section 9).
    Task<Done> ensure_library();
    /// The same command at every primary.
    boost::asio::awaitable<std::vector<NodeReply>> every_primary(store::Call call);

    Task<store::Reply> call(store::Call call) override;
    Task<store::Reply> fcall(store::Call call) override;
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        std::vector<store::Call> calls) override;
    /// The ids to read after should be ids, not `$`: the read may be sent in several slices.
    Task<store::Reply> blocking_read(store::Call call) override;
    Task<std::unique_ptr<store::Subscription>> subscribe(store::Channels channels) override;
    boost::asio::awaitable<void> stop() override;

  private:
    struct Parts;
    explicit ValkeyStore(std::unique_ptr<Parts> parts);

    Task<store::Reply> call_here(store::Call call);
    /// As the caller's methods, but what they wrote is with the replicas that the options ask for.
    Task<store::Reply> settled_call(const store::Call& call);
    boost::asio::awaitable<std::vector<Result<store::Reply>>> settled_pipeline(
        const std::vector<store::Call>& calls);
    /// Nothing, or why the change that a call made at `node` counts as lost.
    Task<Done> settle(const store::Call& call, std::optional<net::Address> node);
    std::optional<net::Address> node_of(const store::Call& call) const;
    Task<store::Reply> fcall_here(store::Call call);
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline_here(
        std::vector<store::Call> calls);
    Task<store::Reply> blocking_read_here(store::Call call);
    Task<std::unique_ptr<store::Subscription>> subscribe_here(store::Channels channels);
    Task<ServerVersion> check_version_here();
    Task<ServerVersion> ask_version();
    Task<Done> ensure_library_here();
    boost::asio::awaitable<std::vector<NodeReply>> every_primary_here(store::Call call);

    std::unique_ptr<Parts> parts_;
};

}  // namespace ff::valkey
