#include "api/world_store.h"

#include <stdexcept>

#include "host/embedded_store.h"
#include "model/library.h"
#include "support/valkey_server.h"
#include "valkey/valkey_store.h"

namespace ff::testing {
namespace {

class EmbeddedWorldStore final : public WorldStore {
  public:
    Task<Done> open(boost::asio::any_io_executor /*loop*/, Random& /*random*/) override {
        FF_CO_TRY(store_, host::EmbeddedStore::open({.library = model::library_text()}));
        co_return Done{};
    }
    store::Store& store() override { return *store_; }
    void stop_process() override { throw std::runtime_error("there is no process"); }
    void start_process() override { throw std::runtime_error("there is no process"); }

  private:
    std::unique_ptr<host::EmbeddedStore> store_{};
};

class ValkeyWorldStore final : public WorldStore {
  public:
    Task<Done> open(boost::asio::any_io_executor loop, Random& random) override {
        valkey::Options options;
        options.addresses = {{.host = "127.0.0.1", .port = server_.port()}};
        options.library = valkey::Library{.source = model::library_text(),
                                          .version = model::library_version(),
                                          .digest = std::string(model::library_digest())};
        FF_CO_TRY(store_, co_await valkey::ValkeyStore::open(loop, random, probe_, options));
        FF_CO_CHECK(co_await store_->ensure_library());
        co_return Done{};
    }
    store::Store& store() override { return *store_; }
    void stop_process() override { server_.kill(); }
    void start_process() override { server_.restart(); }

  private:
    ValkeyServer server_ = ValkeyServer::start();
    valkey::Probe probe_{};
    std::unique_ptr<valkey::ValkeyStore> store_{};
};

}  // namespace

std::unique_ptr<WorldStore> make_world_store(const std::string& name) {
    if (name == "embedded") return std::make_unique<EmbeddedWorldStore>();
    if (name == "valkey") return std::make_unique<ValkeyWorldStore>();
    throw std::invalid_argument("no store of that name: " + name);
}

}  // namespace ff::testing
