#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/http_connection.h"
#include "support/process.h"
#include "support/valkey_server.h"

namespace ff::testing {

using Environment = std::vector<std::pair<std::string, std::string>>;

inline Environment of_valkey(std::uint16_t port) {
    return {{"FF_BACKEND", "valkey"},
            {"FF_HOST", "127.0.0.1"},
            {"FF_PORT", std::to_string(port)},
            {"FF_WAITPOINT_HMAC_SECRET", std::string(64, 'a')}};
}

inline Environment with(Environment environment, std::string name, std::string value) {
    environment.emplace_back(std::move(name), std::move(value));
    return environment;
}

/// A `flowfabric server` of its own on a free port, which may or may not come up.
class BootedServer {
  public:
    explicit BootedServer(Environment environment)
        : process_({.args = {FF_PROGRAM, "server"},
                    .env = with(std::move(environment), "FF_LISTEN_ADDR", "127.0.0.1:0")}) {}

    /// Throws when it does not come up.
    std::uint16_t port() {
        if (port_ != 0) return port_;
        constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";
        const auto line = process_.wait_for_line(kServing);
        if (!line) throw std::runtime_error("not serving: " + process_.err());
        port_ = static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
        return port_;
    }
    HttpReply get(std::string_view target) { return http_get(port(), target); }
    HttpReply post(std::string_view target, std::string_view body) {
        return HttpConnection::connect(port()).post(target, body);
    }
    /// A new execution of that lane; throws unless it is created.
    std::string create(const std::string& lane, const std::string& more = "") {
        const HttpReply reply = post(
            "/v1/executions", R"({"execution_kind":"noop","lane_id":")" + lane + "\"" + more + "}");
        if (reply.status != 201) throw std::runtime_error(reply.body);
        return value_of(reply.body, "execution_id");
    }
    /// The text of a member, found without reading the whole document.
    static std::string value_of(const std::string& json, const std::string& name) {
        const std::string start = "\"" + name + "\":\"";
        const std::size_t at = json.find(start);
        if (at == std::string::npos) return {};
        const std::size_t from = at + start.size();
        return json.substr(from, json.find('"', from) - from);
    }
    Process& process() { return process_; }

  private:
    Process process_;
    std::uint16_t port_ = 0;
};

}  // namespace ff::testing
