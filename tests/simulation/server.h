#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "app/background.h"
#include "app/services.h"
#include "base/random.h"
#include "scan/probe.h"
#include "simulation/history.h"
#include "simulation/link.h"
#include "simulation/plan.h"
#include "simulation/virtual_clock.h"

namespace ff::simulation {

/// A server without its sockets: the services and the background work that a real one is made of,
/// with a clock and a link of its own.
class Server {
  public:
    struct Options {
        Plan plan{};
        std::uint64_t seed = 0;
        Millis skew{0};
        NetworkPlan network{};
    };
    Server(boost::asio::any_io_executor loop, Chances& chances, History& history,
           StoreProcess& process, const Options& options);

    /// What a boot does to the store, then everything runs.
    Task<Done> start();
    /// Dies at once as far as anybody else can tell; `stop` tidies up.
    void kill() { link_.cut(); }
    bool is_dead() const { return link_.is_cut() || !running_; }
    boost::asio::awaitable<void> stop();

    app::Services& services() { return *services_; }
    Link& link() { return link_; }
    const Clock& clock() const { return clock_; }

  private:
    /// Functions keep their indexes themselves, so a repair means that one did not.
    class RepairProbe final : public scan::Probe {
      public:
        explicit RepairProbe(History& history) : history_(history) {}
        void index_repaired(std::string_view index) override;

      private:
        History& history_;
    };

    Plan plan_;
    VirtualClock clock_;
    SeededRandom random_;
    Link link_;
    RepairProbe probe_;
    StoreProcess& process_;
    std::unique_ptr<app::Services> services_{};
    std::unique_ptr<app::Background> background_{};
    boost::asio::any_io_executor loop_;
    bool running_ = false;
};

/// The settings of a plan as rooms take them.
model::PartitionConfig partitions_of(const Plan& plan);
std::vector<model::LaneId> lanes_of(const Plan& plan);

}  // namespace ff::simulation
