#include "app/backend.h"

#include <algorithm>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "app/memory_of_process.h"
#include "app/secret_file.h"
#include "app/store_warnings.h"
#include "base/assert.h"
#include "base/log.h"
#include "base/task_group.h"
#include "base/timer.h"
#include "engine/rehearsal.h"
#include "model/library.h"
#include "model/transport_kind.h"
#include "net/tls_context.h"

namespace ff::app {
namespace asio = boost::asio;

namespace {

/// Feeds and the audit trail are read beside the tails.
constexpr std::size_t kOtherBlockingReads = 18;
/// Between two log lines about a store that takes long to load.
constexpr std::chrono::seconds kProgressPause{1};

Result<valkey::Options> valkey_options(const Settings& settings) {
    valkey::Options options;
    options.addresses = {{.host = settings.store_host, .port = settings.store_port}};
    options.cluster = settings.cluster;
    options.session.user = settings.store_user;
    options.session.password = settings.store_password;
    options.blocking_max = settings.tail_pool_size + kOtherBlockingReads;
    options.allow_redis = settings.allow_redis;
    options.wait_replicas = settings.wait_replicas;
    options.wait_replicas_time = settings.wait_replicas_time;
    options.force_reload = settings.force_library_reload;
    options.library = valkey::Library{.source = model::library_text(),
                                      .version = model::library_version(),
                                      .digest = std::string(model::library_digest())};
    if (settings.store_tls) {
        FF_TRY(options.session.tls, net::TlsContext::load({.ca_file = settings.store_tls_ca_file}));
    }
    return options;
}

std::string seconds_of(Millis span) {
    return std::to_string(std::chrono::round<std::chrono::seconds>(span).count()) + " s";
}

std::string describe(const host::ClockHold& hold) {
    const std::string left = seconds_of(hold.left);
    if (hold.over_restart)
        return "the clock says that the store was not in use for " + seconds_of(hold.leap) +
               "; for " + left +
               " more nothing is deleted or timed out: if the clock is wrong, stop the server, set "
               "the clock right and start it again";
    return "the clock jumped ahead by " + seconds_of(hold.leap) +
           "; the store's time goes on without the jump for " + left +
           " more: if the clock is wrong, set it right until then";
}

}  // namespace

StoreBackend::StoreBackend(boost::asio::any_io_executor loop, const Settings& settings,
                           Random& random, valkey::Probe& probe, OnFatal on_fatal,
                           OnUndone on_undone, OnSlow on_slow)
    : loop_(std::move(loop)),
      settings_(settings),
      random_(random),
      probe_(probe),
      on_fatal_(std::move(on_fatal)),
      on_undone_(std::move(on_undone)),
      on_slow_(std::move(on_slow)) {}

store::Store& StoreBackend::store() const {
    FF_ASSERT(embedded_ != nullptr || valkey_ != nullptr);
    if (embedded_) return *embedded_;
    return *valkey_;
}

Task<Done> StoreBackend::open() {
    if (settings_.backend == Backend::Valkey) {
        const Result<Done> opened = co_await open_valkey();
        co_return opened;
    }
    asio::thread_pool thread(1);
    TaskGroup telling(loop_, "progress of loading");
    telling.spawn(log_progress());
    std::optional<Result<Done>> out;
    auto opening = open_there(out);
    co_await asio::co_spawn(thread, std::move(opening), asio::use_awaitable);
    telling.cancel();
    co_await telling.join();
    co_return *std::move(out);
}

/// Runs on a thread that may wait.
asio::awaitable<void> StoreBackend::open_there(std::optional<Result<Done>>& out) {
    out.emplace(open_embedded());
    co_return;
}

asio::awaitable<void> StoreBackend::log_progress() const {
    Timer timer(loop_);
    for (;;) {
        timer.expires_after(kProgressPause);
        const auto [cancelled] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        if (cancelled) co_return;
        log::info("app", "loading", {{"percent", loading_.percent()}});
    }
}

Result<Done> StoreBackend::open_embedded() {
    host::EmbeddedOptions options;
    options.folder = settings_.data_dir;
    options.fsync = settings_.fsync;
    options.fsync_interval = settings_.fsync_interval;
    options.shards = settings_.shards;
    options.compile = settings_.lua_jit;
    options.memory_limit = settings_.memory_limit.bytes.value_or(memory_of_process() / 100 *
                                                                 settings_.memory_limit.percent);
    options.doubts = {.jump_max = settings_.clock_jump_max,
                      .grace = settings_.clock_grace,
                      .lease_grace_max = settings_.lease_grace_max};
    if (settings_.test_clock) {
        options.clock = &test_clock_;
        // What a test asks for is believed. Leases outlive it by their grace, as after any leap.
        options.doubts.jump_max = 2 * TestClock::kAdvancedMost;
    }
    options.library = model::library_text();
    options.rehearsal = engine::rehearse;
    options.on_fatal = on_fatal_;
    options.journal.loading = &loading_;
    options.on_undone = on_undone_;
    options.slow_calls = {.after = settings_.slow_call, .tell = on_slow_};
    options.shard.recovery_target = std::chrono::seconds(settings_.recovery_target_s);
    auto opened = host::EmbeddedStore::open(std::move(options));
    if (!opened.has_value()) {
        Error error = std::move(opened).error().within(settings_.data_dir);
        if (error.code == "corruption")
            error.message += "; `flowfabric repair " + settings_.data_dir +
                             "` shows what could be saved, and changes nothing";
        return error;
    }
    embedded_ = *std::move(opened);
    return Done{};
}

Task<Done> StoreBackend::open_valkey() {
    FF_CO_TRY(valkey::Options options, valkey_options(settings_));
    FF_CO_TRY(valkey_,
              co_await valkey::ValkeyStore::open(loop_, random_, probe_, std::move(options)));
    FF_CO_TRY(const valkey::ServerVersion version, co_await valkey_->check_version());
    log::info("app", "store_version", {{"version", version.text}});
    warnings_ = co_await store_warnings(*valkey_);
    for (const std::string& warning : warnings_)
        log::warn("app", "store_warning", {{"warning", warning}});
    co_return Done{};
}

Task<Done> StoreBackend::ensure_library() {
    // The embedded store took it along when it opened.
    if (embedded_) co_return Done{};
    const Result<Done> ensured = co_await valkey_->ensure_library();
    co_return ensured;
}

Result<std::string> StoreBackend::waitpoint_secret() {
    if (!settings_.waitpoint_secret_hex.empty()) return settings_.waitpoint_secret_hex;
    if (settings_.in_memory()) return make_secret(random_);
    return load_or_make_secret(settings_.data_dir, random_);
}

Result<Done> StoreBackend::open_resp_door() {
    if (!settings_.resp_listen || !embedded_) return Done{};
    host::RespDoorOptions options{.host = settings_.resp_listen->host,
                                  .port = settings_.resp_listen->port,
                                  .password = settings_.resp_password};
    if (options.host == "localhost") options.host = "127.0.0.1";
    FF_TRY(resp_door_, host::RespDoor::open(loop_, *embedded_, *embedded_, std::move(options)));
    return Done{};
}

std::optional<Error> StoreBackend::trouble() const {
    if (!embedded_) return std::nullopt;
    const journal::Health health = embedded_->health();
    if (health.state == journal::Health::State::Good) return std::nullopt;
    return model::storage_error(model::TransportKind::IoError,
                                "the store cannot keep anything: " + health.text);
}

const Clock& StoreBackend::clock() const {
    if (embedded_) return embedded_->clock();
    return system_clock_;
}

Result<Millis> StoreBackend::advance_clock(Millis by) {
    FF_ASSERT(settings_.test_clock);
    FF_TRY(const Millis advanced, test_clock_.advance(by));
    return advanced;
}

bool StoreBackend::time_is_doubted() const {
    return embedded_ && embedded_->clock_hold().has_value();
}

std::optional<std::string> StoreBackend::degraded() const {
    const auto hold = embedded_ ? embedded_->clock_hold() : std::nullopt;
    if (hold.has_value()) return describe(*hold);
    const std::uint64_t broken = embedded_ ? embedded_->broken_promises() : 0;
    if (broken == 0) return std::nullopt;
    return std::to_string(broken) +
           " calls were undone since the start because a function had not written what it "
           "answered; "
           "the log names them (postcondition_failed)";
}

std::uint16_t StoreBackend::lane_spread() const {
    if (settings_.lane_spread) return *settings_.lane_spread;
    if (!embedded_) return 1;
    const std::size_t most = settings_.partitions.num_flow_partitions();
    return static_cast<std::uint16_t>(std::min(embedded_->shard_count(), most));
}

boost::asio::awaitable<void> StoreBackend::stop() {
    if (resp_door_) co_await resp_door_->stop();
    if (embedded_) co_await embedded_->stop();
    if (valkey_) co_await valkey_->stop();
}

}  // namespace ff::app
