#include "fault/killed_system.h"

#include <stdexcept>
#include <vector>

#include "boot/server_process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"
#include "support/wait.h"

namespace ff::fault {
namespace {

using testing::BootedServer;
using testing::Environment;
using testing::ValkeyCluster;
using testing::ValkeyServer;

/// The server process is what is killed; its data stay in a folder.
class Embedded final : public KilledSystem {
  public:
    explicit Embedded(std::string shards) : shards_(std::move(shards)) {}

    std::uint16_t start() override {
        server_.emplace(Environment{{"FF_DATA_DIR", folder_.file("data")}, {"FF_SHARDS", shards_}});
        return server_->port();
    }
    void kill(ServerLoad& load, Random& /*random*/) override {
        server_->process().kill();
        load.set_port(0);
        load.set_port(start());
    }

  private:
    std::string shards_;
    testing::TempDir folder_{};
    std::optional<BootedServer> server_{};
};

/// Valkey is killed, every third time the server with it.
class ValkeyWithAof final : public KilledSystem {
  public:
    std::uint16_t start() override {
        server_.emplace(testing::of_valkey(valkey_.port()));
        return server_->port();
    }
    void kill(ServerLoad& load, Random& random) override {
        const bool both = random.below(3) == 0;
        if (both) {
            server_->process().kill();
            load.set_port(0);
        }
        valkey_.kill();
        valkey_.restart();
        if (both) load.set_port(start());
    }

  private:
    ValkeyServer valkey_ =
        ValkeyServer::start({.arguments = {"--appendonly", "yes", "--appendfsync", "always"}});
    std::optional<BootedServer> server_{};
};

/// A primary is killed; it comes back as the replica of the one that took its place. Changes are
/// acknowledged when the replica has them, so that no failover may lose any.
class ClusterFailover final : public KilledSystem {
  public:
    std::uint16_t start() override {
        Environment environment = testing::of_valkey(cluster_.node(0).port());
        environment.insert(environment.end(),
                           {{"FF_CLUSTER", "true"}, {"FF_WAIT_REPLICAS", "1:5000"}});
        server_.emplace(std::move(environment));
        return server_->port();
    }
    void kill(ServerLoad& /*load*/, Random& random) override {
        const std::vector<std::size_t> primaries = running("role:master");
        const std::size_t victim = primaries[random.below(primaries.size())];
        cluster_.node(victim).kill();
        dead_ = victim;
        await("no replica takes over", [&] { return running("role:master").size() == kPrimaries; });
        cluster_.node(victim).restart();
        dead_.reset();
        await("the former primary does not follow",
              [&] { return running("master_link_status:up").size() == kPrimaries; });
        cluster_.await_ok();
    }

  private:
    static constexpr std::size_t kPrimaries = 3;

    /// The nodes that run and say this of their replication.
    std::vector<std::size_t> running(std::string_view what) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < cluster_.size(); ++i) {
            if (i == dead_) continue;
            const std::string told = cluster_.node(i).connect()("INFO", "replication").text;
            if (told.find(what) != std::string::npos) found.push_back(i);
        }
        return found;
    }
    template <class Condition>
    static void await(const char* failure, Condition&& condition) {
        if (!testing::wait_until(condition, Millis(60'000))) throw std::runtime_error(failure);
    }

    // Replicas of Valkey before 8.1.5 may crash at a full resync without that setting.
    ValkeyCluster cluster_ = ValkeyCluster::start({.primaries = static_cast<int>(kPrimaries),
                                                   .replicas = static_cast<int>(kPrimaries),
                                                   .arguments = {"--replica-lazy-flush", "no"}});
    std::optional<std::size_t> dead_{};
    std::optional<BootedServer> server_{};
};

}  // namespace

std::unique_ptr<KilledSystem> KilledSystem::make(const std::string& name) {
    if (name == "OneShard") return std::make_unique<Embedded>("1");
    if (name == "FourShards") return std::make_unique<Embedded>("4");
    if (name == "ValkeyWithAof") return std::make_unique<ValkeyWithAof>();
    if (name == "ClusterFailover") return std::make_unique<ClusterFailover>();
    throw std::runtime_error("no such system: " + name);
}

}  // namespace ff::fault
