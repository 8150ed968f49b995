#include <functional>
#include <stdexcept>
#include <string>

#include "support/valkey_server.h"

namespace ff::testing {
namespace {

constexpr std::size_t kSlots = 16'384;

void expect_ok(RespConnection& connection, const std::vector<std::string>& args) {
    const RespValue reply = connection.command(args);
    if (reply.text != "OK" || reply.is_error()) {
        throw std::runtime_error(args[0] + " " + args[1] + ": " + to_string(reply));
    }
}

std::string info(const ValkeyServer& node, const std::vector<std::string>& args) {
    return node.connect().command(args).text;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

void await(std::string_view what, const std::function<bool()>& condition) {
    if (!wait_until(condition)) throw std::runtime_error("cluster: " + std::string(what));
}

}  // namespace

ValkeyCluster::ValkeyCluster(const ValkeyClusterOptions& options)
    : primaries_(static_cast<std::size_t>(options.primaries)) {
    for (int i = 0; i < options.primaries + options.replicas; ++i) {
        nodes_.push_back(ValkeyServer::start(
            {.product = options.product, .arguments = options.arguments, .cluster = true}));
        ids_.push_back(info(nodes_.back(), {"CLUSTER", "MYID"}));
    }
}

ValkeyCluster ValkeyCluster::start(const ValkeyClusterOptions& options) {
    ValkeyCluster cluster(options);
    cluster.assign_slots();
    cluster.meet();
    cluster.follow();
    cluster.await_ok();
    return cluster;
}

void ValkeyCluster::assign_slots() {
    for (std::size_t i = 0; i < primaries_; ++i) {
        RespConnection connection = nodes_[i].connect();
        // Equal epochs would have to be argued out by the nodes, which takes them seconds.
        expect_ok(connection, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
        expect_ok(connection, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(i * kSlots / primaries_),
                               std::to_string((i + 1) * kSlots / primaries_ - 1)});
    }
}

void ValkeyCluster::meet() {
    // Everyone is introduced to everyone, so that nobody waits for gossip.
    for (ValkeyServer& node : nodes_) {
        RespConnection connection = node.connect();
        for (const std::uint16_t port : ports()) {
            if (port == node.port()) continue;
            expect_ok(connection, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(port)});
        }
    }
    for (const ValkeyServer& node : nodes_) {
        await("the nodes do not find each other", [&] {
            const std::string known = info(node, {"CLUSTER", "NODES"});
            bool all = !holds(known, "handshake");
            for (const std::string& id : ids_) all = all && holds(known, id);
            return all;
        });
    }
}

void ValkeyCluster::follow() {
    for (std::size_t i = primaries_; i < nodes_.size(); ++i) {
        RespConnection connection = nodes_[i].connect();
        expect_ok(connection, {"CLUSTER", "REPLICATE", ids_[i % primaries_]});
    }
    for (std::size_t i = primaries_; i < nodes_.size(); ++i) {
        await("a replica does not sync", [&] {
            return holds(info(nodes_[i], {"INFO", "replication"}), "master_link_status:up");
        });
    }
}

void ValkeyCluster::await_ok() {
    for (ValkeyServer& node : nodes_) {
        if (!node.process_->running()) continue;
        await("a node does not say ok",
              [&] { return holds(info(node, {"CLUSTER", "INFO"}), "cluster_state:ok"); });
    }
    // Who follows whom is gossip as well; clients ask any node for the map.
    for (ValkeyServer& node : nodes_) {
        if (!node.process_->running()) continue;
        await("a node has no complete map", [&] {
            const RespValue slots = node.connect().command({"CLUSTER", "SLOTS"});
            std::size_t servers = 0;
            for (const RespValue& range : slots.items) servers += range.items.size() - 2;
            return servers >= nodes_.size() || !all_running();
        });
    }
}

void ValkeyCluster::flush() {
    for (std::size_t i = 0; i < primaries_; ++i) {
        RespConnection connection = nodes_[i].connect();
        expect_ok(connection, {"FLUSHALL", "SYNC"});
    }
}

bool ValkeyCluster::all_running() {
    for (ValkeyServer& node : nodes_) {
        if (!node.process_->running()) return false;
    }
    return true;
}

std::vector<std::uint16_t> ValkeyCluster::ports() const {
    std::vector<std::uint16_t> ports;
    ports.reserve(nodes_.size());
    for (const ValkeyServer& node : nodes_) ports.push_back(node.port());
    return ports;
}

std::size_t ValkeyCluster::first_owner(std::uint16_t slot) const {
    std::size_t owner = 0;
    while (slot >= (owner + 1) * kSlots / primaries_) ++owner;
    return owner;
}

std::shared_ptr<ValkeyCluster> borrow_cluster() {
    // Shared with the borrowers, some of whom live until the process ends.
    static std::vector<std::shared_ptr<ValkeyCluster>> clusters;
    for (const std::shared_ptr<ValkeyCluster>& cluster : clusters) {
        if (cluster.use_count() > 1) continue;
        cluster->flush();
        return cluster;
    }
    clusters.push_back(
        std::make_shared<ValkeyCluster>(ValkeyCluster::start({.primaries = 3, .replicas = 3})));
    return clusters.back();
}

}  // namespace ff::testing
