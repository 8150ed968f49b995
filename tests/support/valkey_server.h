#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/certificates.h"
#include "support/process.h"
#include "support/resp_connection.h"
#include "support/temp_dir.h"

namespace ff::testing {

enum class Product : std::uint8_t { Valkey, Redis7 };

struct ValkeyOptions {
    Product product = Product::Valkey;
    /// Further arguments of the server program, such as {"--appendonly", "yes"}.
    std::vector<std::string> arguments{};
    /// The node of a cluster: takes a pair of ports and starts with the cluster enabled.
    bool cluster = false;
    /// Also listens with TLS, with certificates of its own and without asking for the client's.
    bool tls = false;
};

/// A store server of our own on free ports of 127.0.0.1 with a folder of its own, gone with this
/// object. It keeps nothing on disk unless the arguments say so, and permits the DEBUG command.
/// Throws when the server does not come up. Use it from the thread that started it.
class ValkeyServer {
  public:
    static ValkeyServer start(ValkeyOptions options = {});

    std::uint16_t port() const { return port_; }
    /// Only of a server with `tls`, as the certificates are.
    std::uint16_t tls_port() const { return tls_port_; }
    const Certificates& certificates() const { return *certificates_; }
    std::string unix_socket() const { return folder_.file("s"); }
    /// Where the server keeps its files.
    std::string folder() const { return folder_.path().string(); }
    pid_t pid() const { return process_->pid(); }
    /// What the server has written since it was last started.
    std::string log() const { return process_->out() + process_->err(); }

    /// A new connection over TCP.
    RespConnection connect() const { return RespConnection::connect(port_); }
    RespConnection connect_unix() const { return RespConnection::connect_unix(unix_socket()); }

    /// SIGKILL, and waits until the process is gone.
    void kill() { process_->kill(); }
    /// Starts it again on the same ports and folder; kills it first when it still runs.
    void restart();
    /// SIGSTOP and SIGCONT: connected and silent, as a server behind a broken network.
    void pause() const { process_->signal(SIGSTOP); }
    void resume() const { process_->signal(SIGCONT); }

  private:
    friend class ValkeyCluster;
    explicit ValkeyServer(ValkeyOptions options);
    void launch();
    /// False when the process ended instead, as it does on a port that a stranger took.
    bool await_ready();

    ValkeyOptions options_;
    TempDir folder_{};
    std::uint16_t port_ = 0;
    std::uint16_t tls_port_ = 0;
    std::unique_ptr<Certificates> certificates_{};
    std::unique_ptr<Process> process_{};
};

struct ValkeyClusterOptions {
    Product product = Product::Valkey;
    int primaries = 3;
    /// In all; replica i follows primary i modulo `primaries`.
    int replicas = 0;
    std::vector<std::string> arguments{};
};

/// A cluster of such servers: nodes 0 .. primaries-1 start as primaries with equal shares of the
/// slots, the others as their replicas.
class ValkeyCluster {
  public:
    /// Returns when every node says cluster_state:ok and every replica has its primary's data.
    static ValkeyCluster start(const ValkeyClusterOptions& options = {});

    std::size_t size() const { return nodes_.size(); }
    ValkeyServer& node(std::size_t index) { return nodes_.at(index); }
    std::vector<std::uint16_t> ports() const;
    /// The node's id within the cluster.
    const std::string& id(std::size_t index) const { return ids_.at(index); }
    /// The node that was given `slot` at the start.
    std::size_t first_owner(std::uint16_t slot) const;

    /// Throws when the nodes that run do not all say cluster_state:ok in time.
    void await_ok();
    /// Removes all data; function libraries stay. Only while the first primaries are still it.
    void flush();

  private:
    explicit ValkeyCluster(const ValkeyClusterOptions& options);
    void assign_slots();
    void meet();
    void follow();
    bool all_running();

    std::size_t primaries_;
    std::vector<ValkeyServer> nodes_{};
    std::vector<std::string> ids_{};
};

/// A cluster of three primaries and a replica of each, without data, that nobody else in this
/// process has now. It is kept for the next one who asks, since starting one takes seconds: whoever
/// ends nodes or moves slots starts a cluster of its own.
std::shared_ptr<ValkeyCluster> borrow_cluster();

/// The program of that product in .tools; throws when it is not there.
std::string server_program(Product product);

}  // namespace ff::testing
