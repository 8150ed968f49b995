#include "support/valkey_server.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "support/ports.h"

namespace ff::testing {
namespace {

/// A stranger may take a port between our look at it and the server's.
constexpr int kStartsMax = 5;

}  // namespace

std::string server_program(Product product) {
    const std::string tools = FF_TOOLS_FOLDER;
    const std::string path =
        tools + (product == Product::Valkey ? "/valkey/valkey-server" : "/redis/redis-server");
    if (!std::filesystem::exists(path)) {
        throw std::runtime_error("no " + path + ": run scripts/get-valkey.sh");
    }
    return path;
}

ValkeyServer::ValkeyServer(ValkeyOptions options) : options_(std::move(options)) {}

ValkeyServer ValkeyServer::start(ValkeyOptions options) {
    ValkeyServer server(std::move(options));
    if (server.options_.tls) server.certificates_ = std::make_unique<Certificates>();
    for (int attempt = 1; attempt <= kStartsMax; ++attempt) {
        server.port_ = server.options_.cluster ? free_cluster_port() : free_port();
        if (server.options_.tls) server.tls_port_ = free_port();
        server.launch();
        if (server.await_ready()) return server;
    }
    throw std::runtime_error("the store server does not start:\n" + server.log());
}

void ValkeyServer::launch() {
    std::vector<std::string> args = {server_program(options_.product)};
    const auto add = [&args](std::initializer_list<std::string> more) {
        args.insert(args.end(), more);
    };
    add({"--port", std::to_string(port_), "--bind", "127.0.0.1"});
    add({"--unixsocket", unix_socket(), "--dir", folder(), "--daemonize", "no"});
    add({"--save", "", "--appendonly", "no", "--enable-debug-command", "local"});
    // A replica syncs at once, and is in the slot map only after its primary's first ping to it.
    add({"--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"});
    if (options_.cluster) {
        add({"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"});
        add({"--cluster-node-timeout", "2000", "--cluster-port",
             std::to_string(port_ + kClusterBusOffset)});
    }
    if (options_.tls) {
        add({"--tls-port", std::to_string(tls_port_), "--tls-auth-clients", "no"});
        add({"--tls-cert-file", certificates_->server_certificate_file()});
        add({"--tls-key-file", certificates_->server_key_file()});
        add({"--tls-ca-cert-file", certificates_->ca_file()});
    }
    args.insert(args.end(), options_.arguments.begin(), options_.arguments.end());
    process_ = std::make_unique<Process>(ProcessOptions{.args = std::move(args)});
}

bool ValkeyServer::await_ready() {
    bool answered = false;
    const bool decided = wait_until([&] {
        if (!process_->running()) return true;
        auto connection = RespConnection::try_connect(port_);
        if (!connection.has_value()) return false;
        const auto reply = connection->try_command({"PING"});
        // Any answer will do, a demand for a password included; only loading must be over.
        answered = reply.has_value() && !reply->text.starts_with("LOADING");
        return answered;
    });
    if (!decided) throw std::runtime_error("the store server is silent:\n" + log());
    // Somebody else's server on the same port would answer as well, and ours would have ended.
    return answered && process_->running();
}

void ValkeyServer::restart() {
    kill();
    launch();
    if (!await_ready()) throw std::runtime_error("the store server does not restart:\n" + log());
}

}  // namespace ff::testing
