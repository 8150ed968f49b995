#include "flowfabric/engine.h"

#include <algorithm>
#include <utility>

#include "app/settings.h"
#include "embed/local_door.h"
#include "flowfabric/worker.h"
#include "sdk/hot_path.h"
#include "sdk/http_door.h"
#include "sdk/public_error.h"
#include "sdk/worker_core.h"
#include "sdk/wrapped_door.h"

namespace flowfabric {
namespace {

using ff::embed::LocalDoor;
using ff::embed::LocalEngine;

std::string joined(const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& item : items) out += (out.empty() ? "" : ",") + item;
    return out;
}

std::map<std::string, std::string> settings_of(const EngineOptions& options) {
    std::map<std::string, std::string> values = options.settings;
    if (options.valkey_host.empty()) {
        values["FF_BACKEND"] = "embedded";
        values["FF_DATA_DIR"] = options.data_dir.empty() ? ":memory:" : options.data_dir;
        values["FF_FSYNC"] = options.fsync == Fsync::Always ? "always"
                             : options.fsync == Fsync::Off
                                 ? "off"
                                 : "interval:" + std::to_string(options.fsync_interval.count());
    } else {
        values["FF_BACKEND"] = "valkey";
        values["FF_HOST"] = options.valkey_host;
        values["FF_PORT"] = std::to_string(options.valkey_port);
        values["FF_TLS"] = options.tls ? "true" : "false";
        values["FF_CLUSTER"] = options.cluster ? "true" : "false";
        if (!options.user.empty()) values["FF_STORE_USER"] = options.user;
        if (!options.password.empty()) values["FF_STORE_PASSWORD"] = options.password;
    }
    values["FF_LANES"] = joined(options.lanes);
    values["FF_SCANNERS_ENABLED"] = options.scanners ? "true" : "false";
    if (!options.waitpoint_secret_hex.empty())
        values["FF_WAITPOINT_HMAC_SECRET"] = options.waitpoint_secret_hex;
    return values;
}

/// What the program sees of an engine.
class OpenEngine final : public Engine {
  public:
    OpenEngine(std::shared_ptr<LocalEngine> engine, Layers layers)
        : engine_(engine),
          client_(ff::sdk::wrap(std::make_shared<LocalDoor>(engine), std::move(layers))) {}
    ~OpenEngine() override { engine_->stop(); }

    const AdminClient& client() const override { return client_; }

    void shutdown() override { engine_->stop(); }

  private:
    std::shared_ptr<LocalEngine> engine_;
    AdminClient client_;
};

Result<std::shared_ptr<Engine>> open_engine(EngineOptions options, bool guest) {
    const std::map<std::string, std::string> values = settings_of(options);
    auto settings =
        ff::app::Settings::read([&values](std::string_view name) -> std::optional<std::string> {
            const auto found = values.find(std::string(name));
            if (found == values.end()) return std::nullopt;
            return found->second;
        });
    if (!settings.has_value()) return config_error(settings.error().text());
    settings->serve_http = false;
    settings->guest = guest;
    settings->access_log = ff::app::AccessLog::Off;
    auto engine = LocalEngine::open(*std::move(settings));
    if (!engine) {
        const Error& error = engine.error();
        const bool in_use = std::find(error.detail.begin(), error.detail.end(), "EWOULDBLOCK") !=
                                error.detail.end() ||
                            error.kind == "EWOULDBLOCK";
        return in_use ? config_error(error.text()) : error;
    }
    return std::shared_ptr<Engine>(
        std::make_shared<OpenEngine>(*std::move(engine), std::move(options.layers)));
}

/// Lives as long as the worker that was opened with it.
class DirectDoor final : public ff::sdk::Door {
  public:
    explicit DirectDoor(std::shared_ptr<Engine> engine)
        : engine_(std::move(engine)), inner_(engine_->client().door()) {}

    Result<ff::sdk::DoorReply> send(const ff::sdk::DoorRequest& request) override {
        return inner_->send(request);
    }
    Result<ff::sdk::HotClaimed> claim(const ff::sdk::HotClaim& request) override {
        return inner_->claim(request);
    }
    std::optional<Result<ff::sdk::CreatedItems>> create(
        const std::vector<NewExecution>& executions) override {
        return inner_->create(executions);
    }
    bool loses_replies() const override { return inner_->loses_replies(); }
    ff::sdk::StoreAccess* store_access() override { return inner_->store_access(); }

  private:
    std::shared_ptr<Engine> engine_;
    std::shared_ptr<ff::sdk::Door> inner_;
};

Result<AdminClient> direct_client(const WorkerConfig& config) {
    EngineOptions options{.valkey_host = config.host,
                          .valkey_port = config.port,
                          .tls = config.tls,
                          .cluster = config.cluster,
                          .user = config.user,
                          .password = config.password,
                          .lanes = config.lanes,
                          .waitpoint_secret_hex = "00",
                          .scanners = false,
                          .settings = config.store_settings};
    options.settings["FF_COMPLETION_LISTENER"] = "false";
    FF_SDK_TRY(std::shared_ptr<Engine> engine, open_engine(std::move(options), true));
    return AdminClient(std::make_shared<DirectDoor>(std::move(engine)));
}

}  // namespace

Result<std::shared_ptr<Engine>> Engine::open(EngineOptions options) {
    return open_engine(std::move(options), false);
}

Result<Rotation> rotate_all_partitions(EngineOptions store, const std::string& kid,
                                       const std::string& secret_hex) {
    if (store.valkey_host.empty()) return config_error("rotate_all_partitions needs a Valkey");
    store.scanners = false;
    store.settings["FF_COMPLETION_LISTENER"] = "false";
    // A guest installs no secret of its own, whatever is written here.
    if (store.waitpoint_secret_hex.empty()) store.waitpoint_secret_hex = "00";
    FF_SDK_TRY(const std::shared_ptr<Engine> engine, open_engine(std::move(store), true));
    return engine->client().rotate_waitpoint_secret(kid, secret_hex);
}

Result<Worker> Worker::connect(WorkerConfig config) {
    const int ways = (config.server_url.empty() ? 0 : 1) + (config.engine ? 1 : 0) +
                     (config.host.empty() ? 0 : 1);
    if (ways != 1)
        return config_error("WorkerConfig: exactly one of server_url, engine and host is needed");
    FF_SDK_TRY([[maybe_unused]] Done checked, ff::sdk::check_config(config));
    if (config.engine) {
        const AdminClient client = config.engine->client();
        return connect(client, std::move(config));
    }
    if (!config.server_url.empty()) {
        FF_SDK_TRY(const AdminClient client, AdminClient::connect({.url = config.server_url,
                                                                   .tls = config.server_tls,
                                                                   .token = config.api_token}));
        return connect(client, std::move(config));
    }
    FF_SDK_TRY(const AdminClient client, direct_client(config));
    return connect(client, std::move(config));
}

}  // namespace flowfabric
