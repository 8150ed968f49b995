#include "sdk/door_world.h"

#include <atomic>
#include <map>
#include <stdexcept>

#include <unistd.h>

#include "sdk/wire.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

constexpr std::string_view kServing = "flowfabric: serving ";
const std::string kSecret(64, 'a');

}  // namespace

ServerProcess::ServerProcess(Environment environment) : environment_(std::move(environment)) {
    launch("127.0.0.1:0");
}

void ServerProcess::launch(const std::string& listen) {
    Environment environment = environment_;
    environment.emplace_back("FF_LISTEN_ADDR", listen);
    environment.emplace_back("FF_LOG", "warn");
    process_.emplace(ProcessOptions{.args = {FF_PROGRAM, "server"}, .env = environment});
    const auto line = process_->wait_for_line(kServing);
    if (!line) throw std::runtime_error("no server: " + process_->err());
    url_ = line->substr(kServing.size());
}

void ServerProcess::restart() {
    process_->kill();
    launch(url_.substr(std::string_view("http://").size()));
}

DoorWorld::DoorWorld(std::string door) : door_(std::move(door)) {
    using flowfabric::AdminClient;
    if (door_ == "inprocess") {
        engine_ = flowfabric::Engine::open({}).value();
        client_ = engine_->client();
        return;
    }
    ServerProcess::Environment environment{{"FF_LEASE_EXPIRY_INTERVAL_MS", "200"}};
    if (door_ == "direct") {
        valkey_ = std::make_unique<ValkeyServer>(
            ValkeyServer::start({.arguments = {"--appendonly", "yes", "--appendfsync", "always"}}));
        environment.insert(environment.end(), {{"FF_BACKEND", "valkey"},
                                               {"FF_HOST", "127.0.0.1"},
                                               {"FF_PORT", std::to_string(valkey_->port())},
                                               {"FF_WAITPOINT_HMAC_SECRET", kSecret}});
    } else {
        folder_ = std::make_unique<TempDir>();
        environment.emplace_back("FF_DATA_DIR", folder_->file("data"));
        environment.emplace_back("FF_BACKUP_DIR", backups());
    }
    server_ = std::make_unique<ServerProcess>(std::move(environment));
    client_ = AdminClient::connect(server_->url()).value();
}

std::string DoorWorld::unique(const std::string& name) {
    static std::atomic<int> count = 0;
    return name + "-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

flowfabric::WorkerConfig DoorWorld::config(const std::string& lane) const {
    flowfabric::WorkerConfig config{
        .worker_id = "tester", .worker_instance_id = unique("i"), .lanes = {lane}};
    if (door_ == "http") config.server_url = server_->url();
    if (door_ == "direct") {
        config.host = "127.0.0.1";
        config.port = valkey_->port();
    }
    if (door_ == "inprocess") config.engine = engine_;
    return config;
}

flowfabric::Worker DoorWorld::worker(const std::string& lane, std::size_t tasks) const {
    flowfabric::WorkerConfig wanted = config(lane);
    wanted.max_concurrent_tasks = tasks;
    return flowfabric::Worker::connect(std::move(wanted)).value();
}

std::string DoorWorld::submit(const std::string& lane, const std::string& payload,
                              const std::string& kind, const std::string& policy) const {
    return client()
        .create_execution({.kind = kind, .payload = payload, .lane = lane, .policy = policy})
        .value()
        .execution_id;
}

std::string DoorWorld::ending(const std::string& id) const {
    return client().wait_for_terminal(id, kPatience).value().public_state;
}

void DoorWorld::cut_off(const std::function<void()>& meanwhile) {
    if (door_ == "http") {
        server_->kill();
        meanwhile();
        server_->restart();
    } else if (door_ == "direct") {
        valkey_->kill();
        meanwhile();
        valkey_->restart();
    } else {
        throw std::runtime_error("nothing to cut off");
    }
}

DoorWorld& door_world(const std::string& door) {
    static std::map<std::string, std::unique_ptr<DoorWorld>> worlds;
    std::unique_ptr<DoorWorld>& world = worlds[door];
    if (!world) world = std::make_unique<DoorWorld>(door);
    return *world;
}

bool LossyDoor::is_next(std::string& which, std::string_view operation) {
    const std::lock_guard lock(mutex_);
    if (which.empty() || which != operation) return false;
    which.clear();
    return true;
}

flowfabric::Result<sdk::DoorReply> LossyDoor::send(const sdk::DoorRequest& request) {
    if (is_next(dropping_, request.operation))
        return sdk::http_error("connection_lost", "dropped by the test");
    auto reply = inner_->send(request);
    if (is_next(losing_, request.operation))
        return sdk::http_error("connection_lost", "lost by the test");
    return reply;
}

}  // namespace ff::testing
