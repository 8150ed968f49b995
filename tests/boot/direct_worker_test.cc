// A worker with direct store access goes by the counts that servers have stored (spec 01, 3.5).
#include <atomic>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/server_process.h"
#include "flowfabric/flowfabric.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

class Ch01DirectWorker : public ::testing::Test {
  protected:
    static flowfabric::WorkerConfig config(std::uint16_t port) {
        return {.host = "127.0.0.1",
                .port = port,
                .worker_id = "direct",
                .worker_instance_id = "direct-1",
                .lanes = {"default"},
                .direct_claim = true};
    }
    static flowfabric::Result<flowfabric::Worker> connect(std::uint16_t port) {
        return flowfabric::Worker::connect(config(port));
    }
};

TEST_F(Ch01DirectWorker, S23_ItGoesByTheStoredCounts) {
    const ValkeyServer valkey = ValkeyServer::start();
    // The solo partition of a lane differs with their number.
    BootedServer server(with(of_valkey(valkey.port()), "FF_FLOW_PARTITIONS", "7"));
    const std::string id = server.create("default");
    const LogCapture logs;
    auto worker = connect(valkey.port());
    ASSERT_TRUE(worker.has_value()) << worker.error().text();
    auto task = worker->claim_next();
    ASSERT_TRUE(task.has_value()) << task.error().text();
    ASSERT_TRUE(task->has_value());
    EXPECT_EQ((*task)->id(), id);
    EXPECT_TRUE((*task)->complete("done").has_value());
    EXPECT_EQ(logs.count("partition_counts_not_stored"), 0U);
}

TEST_F(Ch01DirectWorker, S23_WithoutARecordItAssumesTheDefaultsAndSaysSo) {
    const ValkeyServer valkey = ValkeyServer::start();
    const LogCapture logs;
    auto worker = connect(valkey.port());
    ASSERT_TRUE(worker.has_value()) << worker.error().text();
    EXPECT_EQ(logs.count(R"("event":"partition_counts_not_stored","assumed":"256/32/32")"), 1U);
    RespConnection store = valkey.connect();
    EXPECT_EQ(store("EXISTS", "ff:config:partitions").integer, 0) << "the record is the servers'";
}

TEST_F(Ch01DirectWorker, S23_OneFieldMayBeMissingAndNoneMayBeWrong) {
    const ValkeyServer valkey = ValkeyServer::start();
    RespConnection store = valkey.connect();
    store("HSET", "ff:config:partitions", "num_flow_partitions", "7");
    EXPECT_TRUE(connect(valkey.port()).has_value());
    for (const char* wrong : {"0", "many", "70000", "-1"}) {
        store("HSET", "ff:config:partitions", "num_quota_partitions", wrong);
        const auto refused = connect(valkey.port());
        ASSERT_FALSE(refused.has_value()) << wrong;
        EXPECT_EQ(refused.error().code, "config");
        EXPECT_NE(refused.error().text().find("num_quota_partitions"), std::string::npos);
    }
}

/// Stands between a client and a store, and hangs up on whoever asks for `word`.
class CuttingRelay {
  public:
    CuttingRelay(std::uint16_t to, std::string word)
        : to_(to), word_(std::move(word)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address = loopback(0);
        if (::bind(listener_, as_address(address), sizeof address) != 0 ||
            ::listen(listener_, 16) != 0) {
            throw std::runtime_error("no relay");
        }
        socklen_t size = sizeof address;
        ::getsockname(listener_, as_address(address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { accept_all(); });
    }
    ~CuttingRelay() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    CuttingRelay(const CuttingRelay&) = delete;
    CuttingRelay& operator=(const CuttingRelay&) = delete;

    std::uint16_t port() const { return port_; }
    int cuts() const { return cuts_; }

  private:
    static sockaddr_in loopback(std::uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    static sockaddr* as_address(sockaddr_in& address) {
        return reinterpret_cast<sockaddr*>(&address);
    }
    void accept_all() {
        std::vector<std::jthread> sessions;
        for (int client = ::accept(listener_, nullptr, nullptr); client >= 0;
             client = ::accept(listener_, nullptr, nullptr)) {
            sessions.emplace_back([this, client] { relay(client); });
        }
    }
    void relay(int client) {
        const int store = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = loopback(to_);
        bool open = ::connect(store, as_address(address), sizeof address) == 0;
        char bytes[4096];
        while (open) {
            pollfd both[] = {{client, POLLIN, 0}, {store, POLLIN, 0}};
            if (::poll(both, 2, -1) <= 0) break;
            for (int i = 0; i < 2 && open; ++i) {
                if (both[i].revents == 0) continue;
                const ssize_t count = ::read(both[i].fd, bytes, sizeof bytes);
                const std::string_view text(bytes, count > 0 ? static_cast<std::size_t>(count) : 0);
                const bool cut = i == 0 && text.find(word_) != text.npos;
                cuts_ += cut ? 1 : 0;
                open = count > 0 && !cut &&
                       ::send(both[1 - i].fd, bytes, text.size(), MSG_NOSIGNAL) == count;
            }
        }
        ::close(store);
        ::close(client);
    }

    std::uint16_t to_;
    std::string word_;
    int listener_;
    std::uint16_t port_ = 0;
    std::atomic<int> cuts_ = 0;
    std::thread thread_{};
};

TEST_F(Ch01DirectWorker, S23_ABrokenConnectionIsNoReasonForDefaults) {
    const ValkeyServer valkey = ValkeyServer::start();
    const CuttingRelay relay(valkey.port(), "ff:config:partitions");
    const LogCapture logs;
    const auto refused = connect(relay.port());
    ASSERT_FALSE(refused.has_value());
    EXPECT_GT(relay.cuts(), 0);
    EXPECT_EQ(refused.error().code, "storage_error") << refused.error().text();
    EXPECT_EQ(logs.count("partition_counts_not_stored"), 0U);
}

}  // namespace
}  // namespace ff::testing
