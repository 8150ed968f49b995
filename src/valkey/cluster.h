#pragma once

#include <list>
#include <map>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "base/random.h"
#include "base/task.h"
#include "base/task_group.h"
#include "valkey/event.h"
#include "valkey/options.h"
#include "valkey/router.h"
#include "valkey/slot_map.h"

namespace ff::valkey {

/// The nodes of a cluster. Its slot map is read from whichever node answers: at the start, when a
/// redirection or a lost connection says that it is old, and every `refresh_interval`.
class Cluster final : public Router {
  public:
    Cluster(boost::asio::any_io_executor loop, Random& random, Probe& probe,
            const Options& options);

    Connection* owner(std::optional<std::uint16_t> slot) override;
    Failure why_nobody() const override;
    Connection* node(const net::Address& address) override;
    std::vector<Connection*> primaries() override;
    std::vector<net::Address> addresses() override;
    std::optional<net::Address> owner_address(std::optional<std::uint16_t> slot) override;

    void moved(std::uint16_t slot, const net::Address& to) override;
    boost::asio::awaitable<void> refresh(Deadline deadline) override;
    void refresh_meanwhile() override;
    void found_read_only(const net::Address& address) override;

    boost::asio::awaitable<void> stop() override;

  private:
    using Nodes = std::map<net::Address, std::unique_ptr<Connection>>;

    boost::asio::awaitable<void> keep_map();
    /// Asks one node after the other until one answers.
    boost::asio::awaitable<void> look();
    Task<SlotMap> ask(net::Address address);
    void apply(SlotMap map);
    std::vector<net::Address> candidates();
    boost::asio::awaitable<void> retire(std::unique_ptr<Connection> connection);

    boost::asio::any_io_executor loop_;
    Random& random_;
    Probe& probe_;
    const Options& options_;
    SlotMap map_{};
    Nodes nodes_{};
    /// Rotates the node that is asked first, so that one with an old map does not win for ever.
    std::size_t turn_ = 0;
    bool stopping_ = false;
    /// Why the last look found nothing.
    std::optional<Error> no_map_because_{};
    Event wanted_;
    /// Those who wait for the present look to end.
    std::list<Event*> joiners_{};
    TaskGroup tasks_;
};

}  // namespace ff::valkey
