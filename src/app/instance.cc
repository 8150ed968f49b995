#include "app/instance.h"

#include <array>
#include <climits>
#include <utility>

#include <unistd.h>

#include "api/admin_routes.h"
#include "api/health_routes.h"
#include "api/link_routes.h"
#include "api/openapi.h"
#include "api/test_clock_routes.h"
#include "app/backup.h"
#include "app/boot.h"
#include "app/partition_record.h"
#include "app/routes.h"
#include "base/log.h"
#include "cli/command_line.h"
#include "model/error_catalogue.h"
#include "model/library.h"

namespace ff::app {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kEmbeddedReadsMax = 4096;

ServiceOptions service_options(const Settings& settings, const StoreBackend& backend) {
    ServiceOptions options{.partitioner = settings.partitioner,
                           .lanes = settings.lanes,
                           .default_policy_json = settings.default_policy_json,
                           .claim_waits_max = settings.pools.claim_waits,
                           .feed_turn = settings.feed_poll,
                           .sse_heartbeat = settings.sse_heartbeat};
    // Only a connection limits how many may block; the embedded store has none.
    options.tail_reads_max =
        settings.backend == Backend::Valkey ? settings.tail_pool_size : kEmbeddedReadsMax;
    service::Rules& rules = options.rules;
    rules.partitions = settings.partitions;
    rules.lane_spread = backend.lane_spread();
    rules.lane_spread_overrides = settings.lane_spread_overrides;
    rules.token_store = settings.backend == Backend::Valkey ? service::TokenStore::Valkey
                                                            : service::TokenStore::Embedded;
    rules.retention_default = settings.retention_default;
    rules.flow_retention = settings.flow_retention;
    rules.budget_ledger_ttl = settings.budget_ledger_ttl;
    rules.waitpoint_grace = settings.waitpoint_grace;
    rules.secondary_indexes = settings.secondary_indexes;
    rules.redact_waitpoint_tokens = settings.redact_waitpoint_tokens;
    return options;
}

BackgroundOptions background_options(const Settings& settings) {
    BackgroundOptions options{.scanners = settings.scanners_enabled,
                              .completion_listener = settings.completion_listener,
                              .dispatch_concurrency = settings.completion_concurrency};
    scan::Options& scan = options.scan;
    scan.partitions = settings.partitions;
    scan.lanes = settings.lanes;
    scan.shard = {.index = settings.scanner_shard_index, .count = settings.scanner_shard_count};
    if (!settings.scanner_namespace.empty())
        scan.filter.ns = *model::Namespace::parse(settings.scanner_namespace);
    if (!settings.scanner_tag_key.empty())
        scan.filter.tag = {.key = settings.scanner_tag_key, .value = settings.scanner_tag_value};
    for (const scan::KindFacts& kind : scan::all_kinds()) {
        const auto found = settings.scanner_intervals.find(std::string(kind.name));
        if (found != settings.scanner_intervals.end())
            scan.intervals.at(static_cast<std::size_t>(kind.kind)) = found->second;
    }
    scan.retention_default = settings.retention_default;
    scan.flow_retention = settings.flow_retention;
    scan.secondary_indexes = settings.secondary_indexes;
    return options;
}

std::vector<std::string> own_names(const Settings& settings) {
    std::vector<std::string> names = settings.allowed_hosts;
    names.push_back(settings.listen.host);
    if (settings.public_url) names.push_back(settings.public_url->host);
    std::array<char, HOST_NAME_MAX + 1> machine{};
    if (gethostname(machine.data(), machine.size() - 1) == 0) names.emplace_back(machine.data());
    return names;
}

api::GuardOptions guard_options(const Settings& settings) {
    using Log = api::GuardOptions::Log;
    return {.token = settings.api_token,
            .query_token = settings.sse_query_token,
            .any_origin = settings.cors.any,
            .origins = settings.cors.origins,
            .own_origin = settings.public_url ? settings.public_url->origin() : std::string(),
            .any_host = settings.any_host,
            .hosts = own_names(settings),
            .log = settings.access_log == AccessLog::All      ? Log::All
                   : settings.access_log == AccessLog::Errors ? Log::Errors
                                                              : Log::Off};
}

/// Under which clients reach this server, as far as the settings know.
std::string server_url(const Settings& settings) {
    if (settings.public_url) return settings.public_url->to_text();
    return "http://127.0.0.1:" + std::to_string(settings.listen.port);
}

/// What all listeners have in common.
http::ServerOptions server_options(const Settings& settings) {
    return {.connections_max = settings.connections_max,
            .head_max = settings.head_timeout,
            .body_grace = settings.body_timeout,
            .body_bytes_per_second_min = settings.body_bytes_per_second_min,
            .piece_max = settings.sse_piece_max};
}

api::Capabilities capabilities_of(const Settings& settings, const StoreBackend& backend) {
    const bool embedded = settings.backend == Backend::Embedded;
    return {.backend = std::string(to_string(settings.backend)),
            .version = cli::version(),
            .library_version = model::library_version(),
            .lua_engine = embedded ? "LuaJIT " + cli::luajit_version() : "",
            .lua_compiled = embedded && settings.lua_jit,
            .partitions = settings.partitions,
            .features = {{"secondary_indexes", settings.secondary_indexes},
                         {"scanners", settings.scanners_enabled},
                         {"completion_listener", settings.completion_listener},
                         {"authentication", !settings.api_token.empty()},
                         {"sse_query_token", settings.sse_query_token},
                         {"backup", embedded && !settings.in_memory()}},
            .store_warnings = backend.warnings()};
}

}  // namespace

/// Writes operators' actions down.
class Instance::AuditTrail final : public api::Auditor {
  public:
    explicit AuditTrail(service::Audit& audit) : audit_(audit) {}

    asio::awaitable<void> record(api::Action action) override {
        return audit_.record({.event = std::move(action.name),
                              .actor = api::actor_of(action.authorization),
                              .remote = std::move(action.remote),
                              .request_id = std::move(action.request_id),
                              .subject = std::move(action.subject),
                              .detail = "{}",
                              .outcome = std::move(action.outcome)});
    }

  private:
    service::Audit& audit_;
};

Instance::Instance(asio::any_io_executor loop, Settings settings, StoreBackend::OnFatal on_fatal)
    : loop_(std::move(loop)),
      settings_(std::move(settings)),
      backend_(
          loop_, settings_, random_, probe_, std::move(on_fatal),
          [this](const host::UndoneCall& call) {
              probe_.call_undone(call.function, call.broke_promise);
          },
          [this](const host::SlowCall& call) { probe_.call_was_slow(call); }),
      pools_(settings_.pools),
      guests_(settings_.guests) {}

Instance::~Instance() = default;

Task<Done> Instance::start() {
    Result<Done> started = listen();
    if (started.has_value()) started = co_await start_inside();
    if (!started.has_value()) {
        co_await stop();
        co_return started;
    }
    front_door_.open(inside());
    metrics_door_.open(*metrics_dispatcher_);
    ready_ = true;
    if (settings_.test_clock)
        log::warn("app", "test_clock", {{"what", "requests may move the time of this server"}});
    log::info("app", "serving",
              {{"url", url()},
               {"backend", to_string(settings_.backend)},
               {"partitions", settings_.partitions.layout()},
               {"lanes", settings_.lanes.size()},
               {"routes", routes_.all().size()},
               {"scanners", settings_.scanners_enabled}});
    co_return Done{};
}

Task<Done> Instance::start_inside() {
    FF_CO_CHECK(co_await backend_.open());
    const Result<Done> started = co_await start_services();
    co_return started;
}

store::Store& Instance::keep_store() {
    if (settings_.backend != Backend::Valkey || settings_.guest) return backend_.store();
    keeper_ = std::make_unique<StoreKeeper>(
        loop_, [this] { return prepare_store(backend_, settings_, random_); });
    // A library that had to be loaded again was on a server that lost more than that.
    probe_.on_library_loaded([keeper = keeper_.get()] { keeper->restore_soon(); });
    kept_store_ = std::make_unique<KeptStore>(backend_.store(), *keeper_);
    return *kept_store_;
}

Task<Done> Instance::start_services() {
    if (settings_.guest) {
        FF_CO_TRY(settings_.partitions, co_await stored_partitions(backend_.store()));
    }
    FF_CO_CHECK(co_await prepare_store(backend_, settings_, random_));
    store_ = std::make_unique<ProbedStore>(keep_store(), probe_);
    ServiceOptions serving = service_options(settings_, backend_);
    serving.probe = &probe_;
    services_ =
        std::make_unique<Services>(loop_, *store_, backend_.clock(), random_, std::move(serving));
    BackgroundOptions working = background_options(settings_);
    working.listener_probe = &probe_;
    working.scan.time_is_doubted = [this] { return backend_.time_is_doubted(); };
    background_ = std::make_unique<Background>(loop_, *store_, backend_.clock(), random_,
                                               services_->claimer, std::move(working), probe_);
    FF_CO_CHECK(co_await services_->start());
    probe_.on_attempts_ended([services = services_.get()](std::string_view lane,
                                                          std::string_view outcome,
                                                          std::uint64_t attempts) {
        services->overview.ended(lane, outcome, attempts);
    });
    for (const model::LaneId& lane : settings_.lanes) probe_.lane_known(lane.text());
    services_->overview.on_oldest(
        [this](const std::string& lane, std::optional<Timestamp> created) {
            probe_.oldest_waiting(lane, created);
        });
    if (settings_.serve_http) services_->overview.start();
    background_->start();
    FF_CO_CHECK(backend_.open_resp_door());
    warn_of_open_doors();
    make_table();
    co_return Done{};
}

Task<api::BackupSummary> Instance::backup(std::string folder) {
    FF_CO_TRY(const api::Pool::Permit permit, backups_.take());
    Result<api::BackupSummary> made =
        co_await backup_running(backend_, settings_, std::move(folder));
    co_return made;
}

Result<api::TestTime> Instance::advance_clock(Millis by) {
    FF_TRY(const Millis advanced, backend_.advance_clock(by));
    // By the new time nobody is told of new work any more: claims that wait look and arm again.
    services_->claimer.on_gap();
    background_->time_moved();
    return api::TestTime{.now = backend_.clock().now(), .advanced = advanced};
}

void Instance::make_table() {
    const auto metrics = [this] {
        probe_.pools(pools_);
        if (const host::EmbeddedStore* store = backend_.embedded())
            probe_.store(store->facts(), store->memory());
        return probe_.text();
    };
    const bool apart = settings_.metrics_listen.has_value();
    api::HealthSources sources{.store = backend_.store(),
                               .not_ready = [this] { return not_ready(); },
                               .degraded = [this] { return backend_.degraded(); }};
    if (const host::EmbeddedStore* store = backend_.embedded()) {
        sources.memory = [store] {
            const host::MemoryGauge& memory = store->memory();
            return api::StoreMemory{.state = std::string(to_string(memory.state())),
                                    .used = memory.used(),
                                    .limit = memory.limit()};
        };
    }
    if (keeper_) {
        sources.check = [this] { return keeper_->check(backend_.store(), settings_.partitions); };
    }
    if (apart) {
        api::HealthSources figures = sources;
        figures.metrics = metrics;
        figures.metrics_open = true;
        api::add_health_routes(metrics_routes_, std::move(figures));
    } else {
        sources.metrics = metrics;
        sources.metrics_open = settings_.metrics_public;
    }
    api::add_health_routes(routes_, std::move(sources));
    add_routes(routes_, *services_, pools_);
    api::add_link_routes(routes_, {.approvals = services_->approvals,
                                   .partitions = settings_.partitions,
                                   .public_url = public_url()});
    api::add_admin_routes(routes_, capabilities_of(settings_, backend_), services_->lanes,
                          [this](std::string folder) { return backup(std::move(folder)); });
    if (settings_.test_clock)
        api::add_test_clock_routes(routes_, [this](Millis by) { return advance_clock(by); });
    api::add_openapi_route(routes_, cli::version(), server_url(settings_));
    guard_ = std::make_unique<api::Guard>(guard_options(settings_), probe_, guests_);
    audit_trail_ = std::make_unique<AuditTrail>(services_->audit);
    dispatcher_ =
        std::make_unique<api::Dispatcher>(routes_, settings_.bodies, *guard_, *audit_trail_);
    metrics_dispatcher_ = std::make_unique<api::Dispatcher>(metrics_routes_, settings_.bodies,
                                                            *guard_, *audit_trail_);
}

http::Handler& Instance::inside() {
    approval_pages_ = std::make_unique<api::ApprovalPages>(services_->approvals, backend_.clock(),
                                                           *guard_, *dispatcher_);
    http::Handler* inside = approval_pages_.get();
    if (settings_.console && !console::assets().empty()) {
        console_ = std::make_unique<console::Pages>(console::assets(), *inside);
        inside = console_.get();
    }
    if (!settings_.public_url || settings_.public_url->path.empty()) return *inside;
    below_path_ = std::make_unique<http::BelowPath>(settings_.public_url->path, *inside);
    return *below_path_;
}

std::optional<Error> Instance::not_ready() const {
    if (!ready_) {
        Error error = model::make_error("shutting_down");
        error.message = "the server does not take requests now";
        return error;
    }
    return backend_.trouble();
}

Result<Done> Instance::listen() {
    if (!settings_.serve_http) return Done{};
    http::ServerOptions options = server_options(settings_);
    options.host = settings_.listen.host;
    options.port = settings_.listen.port;
    if (!settings_.listen_tls_cert_file.empty()) {
        FF_TRY(tls_keys_,
               http::TlsKeys::load(settings_.listen_tls_cert_file, settings_.listen_tls_key_file));
        options.tls = tls_keys_;
    }
    FF_TRY(http_, http::Server::listen(loop_, std::move(options), front_door_));
    if (!settings_.listen_unix.empty()) {
        http::ServerOptions local = server_options(settings_);
        local.unix_path = settings_.listen_unix;
        FF_TRY(local_http_, http::Server::listen(loop_, std::move(local), front_door_));
    }
    FF_CHECK(listen_for_metrics());
    log::info("app", "listening", {{"url", url()}});
    return Done{};
}

Result<Done> Instance::listen_for_metrics() {
    if (!settings_.metrics_listen) return Done{};
    http::ServerOptions figures = server_options(settings_);
    figures.host = settings_.metrics_listen->host;
    figures.port = settings_.metrics_listen->port;
    FF_TRY(metrics_http_, http::Server::listen(loop_, std::move(figures), metrics_door_));
    return Done{};
}

void Instance::reload_tls() {
    if (!tls_keys_) return;
    const Result<Done> reloaded = tls_keys_->reload();
    if (reloaded.has_value()) {
        log::info("app", "tls_keys_reloaded");
    } else {
        log::error("app", "tls_keys_not_reloaded", {{"error", reloaded.error().text()}});
    }
}

void Instance::warn_of_open_doors() const {
    if (settings_.cors.dropped > 0)
        log::warn("app", "cors_origins_dropped", {{"count", settings_.cors.dropped}});
    if (!settings_.api_token.empty() || !settings_.serve_http) return;
    for (const char* what : {"admin routes", "waitpoint tokens", "result bytes"})
        log::warn("app", "open_without_token", {{"what", what}, {"set", "FF_API_TOKEN"}});
}

std::string Instance::url() const {
    if (!http_) return "in-process";
    http::ListenAddress address = settings_.listen;
    if (address.host == "0.0.0.0") address.host = "127.0.0.1";
    if (address.host == "::") address.host = "::1";
    address.port = port();
    return (tls_keys_ ? "https://" : "http://") + address.to_text();
}

std::string Instance::public_url() const {
    if (settings_.public_url) return settings_.public_url->to_text();
    return http_ ? url() : std::string();
}

void Instance::note_timeout(bool in_time, std::string_view step) {
    if (in_time) return;
    log::warn("app", "shutdown_timed_out", {{"step", step}});
    probe_.shutdown_timed_out();
}

asio::awaitable<void> Instance::stop() {
    ready_ = false;
    for (http::Server* server : {http_.get(), local_http_.get()})
        if (server != nullptr) server->drain();
    for (api::Pool* pool : {&pools_.stream_ops, &pools_.sse, &pools_.claim_waits}) pool->close();
    if (services_) services_->stop_waiting();
    const Deadline requests_grace = Deadline::after(settings_.shutdown_grace);
    if (http_) co_await http_->stop(requests_grace);
    if (local_http_) co_await local_http_->stop(requests_grace);
    note_timeout(!http_ || !requests_grace.passed(), "requests");
    if (services_) {
        const Deadline grace = Deadline::after(settings_.shutdown_grace);
        co_await services_->stop(grace);
        note_timeout(!grace.passed(), "services");
    }
    if (background_) {
        const bool in_time = co_await background_->stop(Deadline::after(settings_.shutdown_grace));
        note_timeout(in_time, "background");
    }
    if (metrics_http_) co_await metrics_http_->stop(Deadline::after(Millis(0)));
    if (keeper_) co_await keeper_->stop();
    co_await backend_.stop();
}

}  // namespace ff::app
