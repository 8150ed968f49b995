#include "api/server_world.h"

#include <future>
#include <map>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include "api/percent.h"
#include "api/world_store.h"
#include "hub/waitpoint_secrets.h"

namespace ff::testing {
namespace {

constexpr std::string_view kSecretHex =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

Result<json::Value> member(const JsonReply& reply, std::string_view name) {
    const auto found = reply.json().find(name);
    if (!found) throw std::runtime_error("no member " + std::string(name) + ": " + reply.body);
    return *found;
}

}  // namespace

std::string JsonReply::text(std::string_view name) const {
    const auto value = member(*this, name)->as_string();
    if (!value) throw std::runtime_error(std::string(name) + " is no text: " + body);
    return std::string(*value);
}

std::int64_t JsonReply::integer(std::string_view name) const {
    const auto value = member(*this, name)->as_integer();
    if (!value) throw std::runtime_error(std::string(name) + " is no integer: " + body);
    return *value;
}

bool JsonReply::flag(std::string_view name) const {
    const auto value = member(*this, name)->as_bool();
    if (!value) throw std::runtime_error(std::string(name) + " is no boolean: " + body);
    return *value;
}

std::string JsonReply::header(std::string_view name) const {
    return HttpReply{.headers = headers}.header(name);
}

struct ServerWorld::PassAll final : api::Gate {
    std::optional<http::Response> before(const http::Request&, const api::Route*) override {
        return std::nullopt;
    }
    void after(const api::Answered&, http::Response&) override {}
};

struct ServerWorld::NoAudit final : api::Auditor {
    boost::asio::awaitable<void> record(api::Action) override { co_return; }
};

ServerWorld::ServerWorld(const std::string& store_name, WorldOptions options)
    : busy_(loop_.get_executor()),
      store_(make_world_store(store_name)),
      gate_(std::make_unique<PassAll>()),
      auditor_(std::make_unique<NoAudit>()) {
    if (options.services.lanes.empty())
        options.services.lanes.push_back(*model::LaneId::parse("default"));
    if (store_name != "embedded") options.services.rules.token_store = service::TokenStore::Valkey;
    thread_ = std::thread([this] { loop_.run(); });
    std::string failure;
    run_on_loop(start(std::move(options), failure));
    if (failure.empty()) return;
    busy_.reset();
    loop_.stop();
    thread_.join();
    throw std::runtime_error(failure);
}

ServerWorld::~ServerWorld() {
    run_on_loop(stop());
    busy_.reset();
    thread_.join();
}

boost::asio::awaitable<void> ServerWorld::start(WorldOptions options, std::string& failure) {
    const auto executor = loop_.get_executor();
    const auto opened = co_await store_->open(executor, random_);
    if (!opened.has_value()) {
        failure = opened.error().text();
        co_return;
    }
    hub::WaitpointSecrets secrets(random_, store(), options.services.rules.partitions);
    const auto installed = co_await secrets.install("k1", std::string(kSecretHex));
    if (!installed.has_value()) {
        failure = installed.error().text();
        co_return;
    }
    services_ = std::make_unique<app::Services>(executor, store(), clock_, random_,
                                                std::move(options.services));
    pools_ = std::make_unique<api::Pools>(options.pools);
    app::add_routes(routes_, *services_, *pools_);
    dispatcher_ = std::make_unique<api::Dispatcher>(routes_, options.bodies, *gate_, *auditor_);
    const auto started = co_await services_->start();
    auto listening = http::Server::listen(executor, {}, *dispatcher_);
    if (!started.has_value() || !listening.has_value()) {
        failure = started.has_value() ? listening.error().text() : started.error().text();
        co_return;
    }
    http_ = *std::move(listening);
    port_ = http_->port();
}

boost::asio::awaitable<void> ServerWorld::stop() {
    services_->stop_waiting();
    co_await http_->stop(Deadline::after(Millis(5'000)));
    co_await services_->stop(Deadline::after(Millis(5'000)));
    co_await store().stop();
    http_.reset();
    dispatcher_.reset();
    services_.reset();
    store_.reset();
}

JsonReply ServerWorld::request(std::string_view method, std::string_view target,
                               std::string_view body, HttpHeaders headers) const {
    if (!body.empty() && HttpReply{.headers = headers}.header("Content-Type").empty())
        headers.emplace_back("Content-Type", "application/json");
    HttpReply reply = connect().request(method, target, headers, body);
    const bool is_json = reply.header("Content-Type") == "application/json";
    auto document = json::Document::parse(is_json && !reply.body.empty() ? reply.body : "{}");
    if (!document.has_value()) throw std::runtime_error("no JSON: " + reply.body);
    return {.status = reply.status,
            .headers = std::move(reply.headers),
            .body = std::move(reply.body),
            .document = *std::move(document)};
}

void ServerWorld::on_loop(const std::function<void()>& work) {
    boost::asio::post(loop_, boost::asio::use_future(work)).get();
}

void ServerWorld::run_on_loop(boost::asio::awaitable<void> work) {
    boost::asio::co_spawn(loop_, std::move(work), boost::asio::use_future).get();
}

store::Reply ServerWorld::command(std::initializer_list<std::string_view> args) {
    return await(store().call(store::plain(args, true)));
}

store::Store& ServerWorld::store() {
    return store_->store();
}

void ServerWorld::stop_store_process() {
    store_->stop_process();
}

void ServerWorld::start_store_process() {
    store_->start_process();
}

ServerWorld& server_world_of(const std::string& store_name) {
    static std::map<std::string, std::unique_ptr<ServerWorld>> worlds;
    auto& world = worlds[store_name];
    if (!world) world = std::make_unique<ServerWorld>(store_name);
    return *world;
}

std::string encode(std::string_view id) {
    return api::percent_encode(id);
}

}  // namespace ff::testing
