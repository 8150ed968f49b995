#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "api/admin_routes.h"
#include "api/approval_pages.h"
#include "api/dispatcher.h"
#include "api/guard.h"
#include "api/guests.h"
#include "api/pool.h"
#include "api/route.h"
#include "api/test_clock_routes.h"
#include "app/backend.h"
#include "app/background.h"
#include "app/front_door.h"
#include "app/kept_store.h"
#include "app/probe.h"
#include "app/probed_store.h"
#include "app/services.h"
#include "app/settings.h"
#include "app/store_keeper.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/task.h"
#include "console/pages.h"
#include "http/below_path.h"
#include "http/server.h"

namespace ff::app {

/// A whole server: store, services, background work and HTTP, in one process and on one loop. The
/// process around it has the signals.
class Instance {
  public:
    /// `on_fatal` is told, on any thread, that the store cannot go on.
    Instance(boost::asio::any_io_executor loop, Settings settings,
             StoreBackend::OnFatal on_fatal = {});
    /// Only after stop(), or a start() that failed.
    ~Instance();

    /// In the order of spec 01, section 8. When it fails, nothing is left running.
    Task<Done> start();
    /// A start that loads data fails soon with `shutting_down`.
    void give_up_start() { backend_.give_up_open(); }
    /// In the order of spec 07, section 7.
    boost::asio::awaitable<void> stop();

    /// Reads certificate and key again, for connections to come.
    void reload_tls();

    const Settings& settings() const { return settings_; }
    std::uint16_t port() const { return http_ ? http_->port() : std::uint16_t{0}; }
    /// Answers requests that come another way than over HTTP. On the loop, between start and stop.
    http::Handler& handler() { return *dispatcher_; }
    /// A worker of this process had no room for a grant. Any thread.
    void note_at_capacity() { probe_.worker_at_capacity(); }
    /// Of /metrics, where it has an address of its own.
    std::uint16_t metrics_port() const { return metrics_http_->port(); }
    /// Where a client on this machine reaches it.
    std::string url() const;
    /// Where people reach it, as far as is known; empty where nobody does over HTTP.
    std::string public_url() const;
    bool serves_console() const { return console_ != nullptr; }
    store::Store& store() { return backend_.store(); }
    Services& services() { return *services_; }
    const api::Routes& routes() const { return routes_; }
    api::Pools& pools() { return pools_; }

  private:
    class AuditTrail;

    Task<Done> start_services();
    /// The store that services work with.
    store::Store& keep_store();
    Task<api::BackupSummary> backup(std::string folder);
    Result<api::TestTime> advance_clock(Millis by);
    void make_table();
    /// What answers those who come over HTTP.
    http::Handler& inside();
    /// Why requests are not taken now, if they are not.
    std::optional<Error> not_ready() const;
    /// Everything behind the listener.
    Task<Done> start_inside();
    Result<Done> listen();
    Result<Done> listen_for_metrics();
    void warn_of_open_doors() const;
    /// Logs and counts a step of the shutdown that was not done in time.
    void note_timeout(bool in_time, std::string_view step);

    boost::asio::any_io_executor loop_;
    Settings settings_;
    BufferedRandom random_{};
    Probe probe_{};
    StoreBackend backend_;
    /// Of a Valkey, whose data may go without the server.
    std::unique_ptr<StoreKeeper> keeper_{};
    std::unique_ptr<KeptStore> kept_store_{};
    std::unique_ptr<ProbedStore> store_{};
    std::unique_ptr<Services> services_{};
    std::unique_ptr<Background> background_{};
    api::Pools pools_;
    api::Guests guests_;
    api::Pool backups_{"admin_backup", 1};
    api::Routes routes_{};
    api::Routes metrics_routes_{};
    std::unique_ptr<api::Guard> guard_{};
    std::unique_ptr<AuditTrail> audit_trail_{};
    std::unique_ptr<api::Dispatcher> dispatcher_{};
    std::unique_ptr<api::Dispatcher> metrics_dispatcher_{};
    std::unique_ptr<api::ApprovalPages> approval_pages_{};
    std::unique_ptr<console::Pages> console_{};
    std::unique_ptr<http::BelowPath> below_path_{};
    FrontDoor front_door_{[this] { return still_loading(backend_.loaded_percent()); }};
    FrontDoor metrics_door_{[this] { return still_loading(backend_.loaded_percent()); }};
    std::unique_ptr<http::Server> http_{};
    std::unique_ptr<http::Server> local_http_{};
    std::unique_ptr<http::Server> metrics_http_{};
    std::shared_ptr<http::TlsKeys> tls_keys_{};  // shared with the server's sessions
    bool ready_ = false;
};

}  // namespace ff::app
