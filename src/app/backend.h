#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "app/settings.h"
#include "app/test_clock.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/task.h"
#include "host/embedded_store.h"
#include "host/resp_door.h"
#include "store/store.h"
#include "valkey/probe.h"
#include "valkey/valkey_store.h"

namespace ff::app {

/// The store that the settings ask for. Lives on one loop; stopped before it goes.
class StoreBackend {
  public:
    /// What a store reports that cannot go on. Called on any thread.
    using OnFatal = std::function<void(const Error&)>;
    /// A call of a function that the embedded store has undone. Called on any thread.
    using OnUndone = std::function<void(const host::UndoneCall&)>;
    /// One that took long. Called on any thread.
    using OnSlow = std::function<void(const host::SlowCall&)>;

    /// Everything given outlives it.
    StoreBackend(boost::asio::any_io_executor loop, const Settings& settings, Random& random,
                 valkey::Probe& probe, OnFatal on_fatal, OnUndone on_undone = {},
                 OnSlow on_slow = {});

    /// Boot steps 1 and 1b: a store that answers and is new enough. The loop goes on meanwhile.
    Task<Done> open();
    /// An `open` that loads data ends soon, refused with `shutting_down`.
    void give_up_open() { loading_.stop(); }
    unsigned loaded_percent() const { return loading_.percent(); }
    /// Boot step 3.
    Task<Done> ensure_library();
    /// The operator's secret, or that of the data folder.
    Result<std::string> waitpoint_secret();
    /// Lets clients of Valkey in, where the settings say so.
    Result<Done> open_resp_door();
    boost::asio::awaitable<void> stop();

    store::Store& store() const;
    /// Null with valkey.
    host::EmbeddedStore* embedded() const { return embedded_.get(); }
    /// The store's time; that of this machine on a Valkey, which has its own.
    const Clock& clock() const;
    /// Moves the store's time ahead at once; returns how far it is ahead of the machine's. Only
    /// with FF_TEST_CLOCK.
    Result<Millis> advance_clock(Millis by);
    /// Whether the store's time is doubted, so that nothing destructive may follow from it.
    bool time_is_doubted() const;
    /// Why the store keeps nothing at present, if it does not. Costs no request.
    std::optional<Error> trouble() const;
    /// What in the settings of the store endangers its data, as the boot found it.
    const std::vector<std::string>& warnings() const { return warnings_; }
    /// What is wrong with a store that serves, if anything is.
    std::optional<std::string> degraded() const;
    std::uint16_t lane_spread() const;
    /// 0 when there is no such door.
    std::uint16_t resp_port() const { return resp_door_ ? resp_door_->port() : 0; }

  private:
    Result<Done> open_embedded();
    boost::asio::awaitable<void> open_there(std::optional<Result<Done>>& out);
    boost::asio::awaitable<void> log_progress() const;
    Task<Done> open_valkey();

    boost::asio::any_io_executor loop_;
    const Settings& settings_;
    SystemClock system_clock_{};
    TestClock test_clock_{};
    Random& random_;
    valkey::Probe& probe_;
    OnFatal on_fatal_;
    journal::Loading loading_{};
    OnUndone on_undone_;
    OnSlow on_slow_;
    std::unique_ptr<host::EmbeddedStore> embedded_{};
    std::unique_ptr<valkey::ValkeyStore> valkey_{};
    std::unique_ptr<host::RespDoor> resp_door_{};
    std::vector<std::string> warnings_{};
};

}  // namespace ff::app
