#include "store_suite/hosts.h"

#include <stdexcept>

#include "base/digest.h"
#include "host/embedded_store.h"
#include "support/run.h"
#include "support/valkey_server.h"
#include "valkey/valkey_store.h"

namespace ff::testing {
namespace {

constexpr std::string_view kPassword = "secret of a test";

std::string library_with(std::int64_t version, const std::string& digest) {
    return "#!lua name=flowfabric\n"
           "redis.register_function{function_name='ff_version', flags={'no-writes'},\n"
           "  callback=function() return '" +
           std::to_string(version) +
           "' end}\n"
           "redis.register_function{function_name='ff_library_info', flags={'no-writes'},\n"
           "  callback=function() return {1,'OK','" +
           std::to_string(version) + "','" + digest + "'} end}\n" + R"(
redis.register_function('t_incr', function(keys, args)
  return {1, 'OK', tostring(redis.call('INCR', keys[1]))}
end)
redis.register_function{function_name='t_echo', flags={'no-writes'},
  callback=function(keys, args) return args end}
redis.register_function('t_many', function(keys, args)
  local out = {}
  for i = 1, tonumber(args[1]) do out[i] = tostring(i) end
  return {1, 'OK', out}
end)
redis.register_function('t_publish', function(keys, args)
  redis.call('SET', keys[1], args[2])
  redis.call('PUBLISH', args[1], args[2])
  return {1, 'OK'}
end)
redis.register_function('t_fail', function(keys, args)
  redis.call('SET', keys[1], 'written')
  error('on purpose')
end)
)";
}

class EmbeddedHost final : public StoreHost {
  public:
    explicit EmbeddedHost(const HostLibrary& library) {
        auto opened = host::EmbeddedStore::open({.shards = 2, .library = library.source});
        if (!opened.has_value()) throw std::runtime_error(opened.error().text());
        store_ = *std::move(opened);
    }
    store::Store& store() override { return *store_; }

  private:
    std::unique_ptr<host::EmbeddedStore> store_{};
};

class ValkeyHost final : public StoreHost {
  public:
    ValkeyHost(valkey::Options options, const HostLibrary& library,
               std::unique_ptr<ValkeyServer> server, std::shared_ptr<ValkeyCluster> cluster)
        : server_(std::move(server)), cluster_(std::move(cluster)) {
        options.library = valkey::Library{
            .source = library.source, .version = library.version, .digest = library.digest};
        auto opened = run(loop_, valkey::ValkeyStore::open(loop_.get_executor(), random_, probe_,
                                                           std::move(options)));
        if (!opened.has_value()) throw std::runtime_error(opened.error().text());
        store_ = *std::move(opened);
        const auto version = run(loop_, store_->check_version());
        if (!version.has_value()) throw std::runtime_error(version.error().text());
        const auto loaded = run(loop_, store_->ensure_library());
        if (!loaded.has_value()) throw std::runtime_error(loaded.error().text());
    }
    ~ValkeyHost() override { run(loop_, store_->stop()); }
    store::Store& store() override { return *store_; }
    bool cut(const std::string& type) override {
        const auto kill = [&](const ValkeyServer& node) {
            node.connect().command({"CLIENT", "KILL", "TYPE", type});
        };
        if (server_) kill(*server_);
        for (std::size_t i = 0; cluster_ && i < cluster_->size(); ++i) kill(cluster_->node(i));
        return true;
    }

  private:
    SecureRandom random_{};
    valkey::Probe probe_{};
    std::unique_ptr<ValkeyServer> server_;
    /// Also kept for the next one.
    std::shared_ptr<ValkeyCluster> cluster_;
    std::unique_ptr<valkey::ValkeyStore> store_{};
};

net::Address local(std::uint16_t port) {
    return {.host = "127.0.0.1", .port = port};
}

std::unique_ptr<StoreHost> start_cluster(const HostLibrary& library) {
    std::shared_ptr<ValkeyCluster> cluster = borrow_cluster();
    valkey::Options options{.addresses = {local(cluster->ports().at(4))}, .cluster = true};
    return std::make_unique<ValkeyHost>(std::move(options), library, nullptr, std::move(cluster));
}

std::unique_ptr<StoreHost> start_server(std::string_view name, const HostLibrary& library) {
    ValkeyOptions wanted;
    if (name == "redis7") wanted.product = Product::Redis7;
    if (name == "valkey_tls") wanted.tls = true;
    if (name == "valkey_password") wanted.arguments = {"--requirepass", std::string(kPassword)};
    auto server = std::make_unique<ValkeyServer>(ValkeyServer::start(wanted));

    valkey::Options options{.addresses = {local(server->port())}};
    options.allow_redis = name == "redis7";
    if (name == "valkey_password") options.session.password = kPassword;
    if (name == "valkey_unix") options.addresses = {{.unix_path = server->unix_socket()}};
    if (name == "valkey_tls") {
        options.addresses = {local(server->tls_port())};
        auto tls = net::TlsContext::load({.ca_file = server->certificates().ca_file()});
        if (!tls.has_value()) throw std::runtime_error(tls.error().text());
        options.session.tls = *tls;
    }
    return std::make_unique<ValkeyHost>(std::move(options), library, std::move(server), nullptr);
}

}  // namespace

std::string suite_digest(std::int64_t version) {
    return sha1_hex(library_with(version, ""));
}

std::string suite_library(std::int64_t version) {
    return library_with(version, suite_digest(version));
}

const std::vector<std::string>& host_names() {
    static const std::vector<std::string> names = {
        "embedded", "valkey", "valkey_unix", "valkey_tls", "valkey_password", "redis7", "cluster"};
    return names;
}

std::unique_ptr<StoreHost> start_host(std::string_view name) {
    const HostLibrary library{.source = suite_library(kSuiteVersion),
                              .version = kSuiteVersion,
                              .digest = suite_digest(kSuiteVersion)};
    return start_host(name, library);
}

std::unique_ptr<StoreHost> start_host(std::string_view name, const HostLibrary& library) {
    if (name == "embedded") return std::make_unique<EmbeddedHost>(library);
    if (name == "cluster") return start_cluster(library);
    return start_server(name, library);
}

}  // namespace ff::testing
