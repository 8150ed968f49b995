#include "http_load.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ff::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

class File {
  public:
    explicit File(int number) : number_(number) {
        if (number < 0) throw std::runtime_error(std::strerror(errno));
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { ::close(number_); }
    int get() const { return number_; }

  private:
    int number_;
};

/// One connection with at most one request under way.
class Client {
  public:
    explicit Client(std::uint16_t port)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("cannot connect");
        const int on = 1;
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }

    int file() const { return socket_.get(); }
    SteadyClock::time_point sent_at() const { return sent_at_; }
    int status() const { return status_; }
    const std::string& body() const { return body_; }

    /// Requests are small against the socket's buffer, so this does not wait.
    void send(const std::string& request) {
        sent_at_ = SteadyClock::now();
        std::size_t done = 0;
        while (done < request.size()) {
            const ssize_t count = ::send(file(), request.data() + done, request.size() - done, 0);
            if (count <= 0) throw std::runtime_error("the server hung up");
            done += static_cast<std::size_t>(count);
        }
    }

    /// Takes what has come; true when the answer is whole.
    bool receive() {
        char bytes[16384];
        const ssize_t count = ::recv(file(), bytes, sizeof bytes, 0);
        if (count <= 0) throw std::runtime_error("the server hung up");
        buffer_.append(bytes, static_cast<std::size_t>(count));
        return take_answer();
    }

  private:
    bool take_answer() {
        const auto head = buffer_.find("\r\n\r\n");
        if (head == std::string::npos) return false;
        constexpr std::string_view kLength = "Content-Length: ";
        const auto at = buffer_.find(kLength);
        const std::size_t length =
            at < head ? std::stoul(buffer_.substr(at + kLength.size(), 20)) : 0;
        if (buffer_.size() < head + 4 + length) return false;
        status_ = std::stoi(buffer_.substr(9, 3));
        body_ = buffer_.substr(head + 4, length);
        buffer_.erase(0, head + 4 + length);
        return true;
    }

    File socket_;
    SteadyClock::time_point sent_at_{};
    std::string buffer_{};
    std::string body_{};
    int status_ = 0;
};

void watch(const File& poll, const Client& client, std::size_t index) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    if (::epoll_ctl(poll.get(), EPOLL_CTL_ADD, client.file(), &event) != 0)
        throw std::runtime_error("epoll_ctl");
}

void take_up(Client& client, LoadResult& result) {
    const std::chrono::duration<double, std::micro> took = SteadyClock::now() - client.sent_at();
    ++result.answered;
    result.latencies_us.push_back(took.count());
    if (client.status() / 100 != 2) ++result.refused;
}

}  // namespace

double LoadResult::percentile_us(double percent) const {
    if (latencies_us.empty()) return 0;
    std::vector<double> sorted = latencies_us;
    const auto rank = static_cast<std::size_t>(
        std::floor(percent / 100 * static_cast<double>(sorted.size() - 1)));
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rank),
                     sorted.end());
    return sorted[rank];
}

std::string http_request(std::string_view method, std::string_view target, std::string_view body) {
    std::string out =
        std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n";
    if (!body.empty())
        out += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n";
    return out + "\r\n" + std::string(body);
}

LoadResult run_load(const Load& load) {
    const File poll(::epoll_create1(EPOLL_CLOEXEC));
    std::vector<std::unique_ptr<Client>> clients;
    LoadResult result;
    for (std::size_t i = 0; i < load.connections; ++i) {
        clients.push_back(std::make_unique<Client>(load.port));
        watch(poll, *clients.back(), i);
    }
    const auto start = SteadyClock::now();
    const auto until = start + load.duration;
    for (std::size_t i = 0; i < clients.size(); ++i) clients[i]->send(load.next(i, {}));
    std::size_t under_way = clients.size();
    epoll_event events[64];
    while (under_way > 0) {
        const int ready = ::epoll_wait(poll.get(), events, 64, 10'000);
        if (ready <= 0) throw std::runtime_error("the server does not answer");
        for (int i = 0; i < ready; ++i) {
            const std::size_t index = events[i].data.u64;
            Client& client = *clients[index];
            if (!client.receive()) continue;
            take_up(client, result);
            if (SteadyClock::now() < until) {
                client.send(load.next(index, client.body()));
            } else {
                --under_way;
            }
        }
    }
    result.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
    return result;
}

}  // namespace ff::bench
