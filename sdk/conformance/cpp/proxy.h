#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "faults.h"

/// Stands between the SDK of this process and the server: every request passes here, and what is to
/// befall it does. Lives as long as the process.
class Proxy {
  public:
    /// `server` is `http://host:port`.
    Proxy(const std::string& server, Faults& faults);

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    void accept_all();
    void serve(int client) const;
    /// One request and its reply; false when the line is to be closed.
    bool pass(int client, int server, std::string& from_client, std::string& from_server) const;
    int connect_to_server() const;

    Faults& faults_;
    std::string host_{};
    std::uint16_t server_port_ = 0;
    int listener_ = -1;
    std::uint16_t port_ = 0;
};
