#include "api/server_world.h"

#include <future>
#include <map>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "api/openapi.h"
#include "api/percent.h"

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

ServerWorld::ServerWorld(const std::string& store_name, WorldOptions options)
    : settings_(std::move(options.settings)) {
    if (store_name == "valkey") {
        valkey_ = std::make_unique<ValkeyServer>(ValkeyServer::start());
        settings_.backend = app::Backend::Valkey;
        settings_.store_host = "127.0.0.1";
        settings_.store_port = valkey_->port();
    } else if (store_name == "cluster") {
        cluster_ = borrow_cluster();
        settings_.backend = app::Backend::Valkey;
        settings_.cluster = true;
        settings_.store_host = "127.0.0.1";
        // A replica: the primaries have to be found out.
        settings_.store_port = cluster_->ports().at(4);
    } else if (store_name != "embedded") {
        throw std::invalid_argument("no store of that name: " + store_name);
    }
    settings_.data_dir = options.in_folder ? folder_.file("data") : "";
    if (settings_.waitpoint_secret_hex.empty()) settings_.waitpoint_secret_hex = kSecretHex;
    if (settings_.lanes.empty()) settings_.lanes.push_back(*model::LaneId::parse("default"));
    settings_.listen = {.host = "127.0.0.1", .port = 0};
    start();
}

ServerWorld::~ServerWorld() {
    stop();
}

void ServerWorld::start() {
    loop_ = std::make_unique<boost::asio::io_context>(1);
    auto busy = boost::asio::make_work_guard(*loop_);
    thread_ = std::thread([this] { loop_->run(); });
    std::string failure;
    run_on_loop(start_instance(failure));
    busy.reset();
    if (failure.empty()) return;
    thread_.join();
    throw std::runtime_error(failure);
}

void ServerWorld::stop() {
    if (!instance_) return;
    run_on_loop(stop_instance());
    thread_.join();
    loop_.reset();
}

void ServerWorld::cut_store_connections() {
    const auto cut = [](const ValkeyServer& node) {
        RespConnection connection = node.connect();
        connection.command({"CLIENT", "KILL", "TYPE", "normal"});
        connection.command({"CLIENT", "KILL", "TYPE", "pubsub"});
    };
    if (valkey_) cut(*valkey_);
    for (std::size_t i = 0; cluster_ && i < cluster_->size(); ++i) cut(cluster_->node(i));
}

void ServerWorld::restart() {
    stop();
    start();
}

std::string ServerWorld::restart_with(const std::function<void(app::Settings&)>& change) {
    stop();
    change(settings_);
    try {
        start();
    } catch (const std::runtime_error& failure) {
        return failure.what();
    }
    return {};
}

boost::asio::awaitable<void> ServerWorld::start_instance(std::string& failure) {
    instance_ = std::make_unique<app::Instance>(loop_->get_executor(), settings_);
    const auto started = co_await instance_->start();
    if (started.has_value()) {
        port_ = instance_->port();
        description_ =
            std::make_unique<Description>(api::openapi_document(instance_->routes(), "", ""));
    } else {
        failure = started.error().text();
        instance_.reset();
    }
}

boost::asio::awaitable<void> ServerWorld::stop_instance() {
    co_await instance_->stop();
    instance_.reset();
}

JsonReply ServerWorld::request(std::string_view method, std::string_view target,
                               std::string_view body, HttpHeaders headers) const {
    if (!body.empty() && HttpReply{.headers = headers}.header("Content-Type").empty())
        headers.emplace_back("Content-Type", "application/json");
    HttpReply reply = connect().request(method, target, headers, body);
    check({.method = method,
           .target = target,
           .sent = body,
           .status = reply.status,
           .media_type = reply.header("Content-Type"),
           .answered = reply.body});
    const bool is_json = reply.header("Content-Type") == "application/json";
    auto document = json::Document::parse(is_json && !reply.body.empty() ? reply.body : "{}");
    if (!document.has_value()) throw std::runtime_error("no JSON: " + reply.body);
    return {.status = reply.status,
            .headers = std::move(reply.headers),
            .body = std::move(reply.body),
            .document = *std::move(document)};
}

void ServerWorld::check(const Exchange& exchange) const {
    for (const std::string& problem : description_->problems_of(exchange))
        ADD_FAILURE() << exchange.method << " " << exchange.target << " " << exchange.status
                      << " is not as /openapi.json describes it: " << problem << "\nsent "
                      << exchange.sent.substr(0, 600) << "\nanswered "
                      << exchange.answered.substr(0, 1200);
}

void ServerWorld::on_loop(const std::function<void()>& work) {
    boost::asio::post(*loop_, boost::asio::use_future(work)).get();
}

void ServerWorld::run_on_loop(boost::asio::awaitable<void> work) {
    boost::asio::co_spawn(*loop_, std::move(work), boost::asio::use_future).get();
}

store::Reply ServerWorld::command(std::initializer_list<std::string_view> args) {
    return await(store().call(store::plain(args, true)));
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
