#include "contract/host.h"

#include <algorithm>
#include <stdexcept>

#include "contract/embedded_host.h"
#include "model/library.h"
#include "model/slot.h"
#include "support/valkey_server.h"

namespace ff::contract {
namespace {

using testing::RespConnection;

RespValue load_library(RespConnection& connection) {
    RespValue reply = connection.command({"FUNCTION", "LOAD", "REPLACE", model::library_text()});
    if (reply.is_error()) throw std::runtime_error("library not loaded: " + reply.text);
    return reply;
}

/// Where a command's first key stands; 0 for a command without one.
std::size_t key_position(const List& args) {
    if (args[0] == "FCALL" || args[0] == "FCALL_RO") return args[2] == "0" ? 0 : 3;
    return args.size() > 1 ? 1 : 0;
}

void add_contents(RespConnection& connection, const std::string& tag,
                  std::map<std::string, std::string>& out) {
    const std::vector<RespValue> keys = connection.command({"KEYS", "*" + tag + "*"}).items;
    std::vector<List> dumps;
    for (const RespValue& key : keys) dumps.push_back({"DUMP", key.text});
    const std::vector<RespValue> contents = connection.commands(dumps);
    for (std::size_t i = 0; i < keys.size(); ++i) out[keys[i].text] = contents[i].text;
}

std::map<std::string, std::string> keys_of(RespConnection& connection, const std::string& tag) {
    std::map<std::string, std::string> out;
    for (const RespValue& key : connection.command({"KEYS", "*" + tag + "*"}).items) {
        out[key.text] = connection.command({"TYPE", key.text}).text;
    }
    return out;
}

List reading(const std::string& key, std::string_view type) {
    if (type == "hash") return {"HGETALL", key};
    if (type == "set") return {"SMEMBERS", key};
    if (type == "zset") return {"ZRANGE", key, "0", "-1", "WITHSCORES"};
    if (type == "stream") return {"XRANGE", key, "-", "+"};
    if (type == "list") return {"LRANGE", key, "0", "-1"};
    return {"GET", key};
}

class ConnectionListener final : public Listener {
  public:
    ConnectionListener(RespConnection connection, const std::string& channel)
        : connection_(std::move(connection)) {
        connection_.command({"SUBSCRIBE", channel});
    }
    std::string next() override {
        const auto message = connection_.read();
        if (!message) throw std::runtime_error("no message: " + message.error().message);
        return message->items.at(2).text;
    }

  private:
    RespConnection connection_;
};

class ServerHost final : public Host {
  public:
    explicit ServerHost(testing::Product product)
        : server_(testing::ValkeyServer::start({.product = product})),
          connection_(server_.connect()) {
        load_library(connection_);
    }

    RespValue command(const List& args) override { return connection_.command(args); }
    std::map<std::string, std::string> keys(const std::string& tag) override {
        return keys_of(connection_, tag);
    }
    std::map<std::string, std::string> contents(const std::string& tag) override {
        std::map<std::string, std::string> out;
        add_contents(connection_, tag, out);
        return out;
    }
    std::optional<std::uint64_t> changes() override {
        static constexpr std::string_view kField = "rdb_changes_since_last_save:";
        const std::string info = connection_.command({"INFO", "persistence"}).text;
        const std::size_t at = info.find(kField);
        if (at == std::string::npos) return std::nullopt;
        return std::stoull(info.substr(at + kField.size()));
    }
    std::unique_ptr<Listener> listen(const std::string& channel) override {
        return std::make_unique<ConnectionListener>(server_.connect(), channel);
    }

  private:
    testing::ValkeyServer server_;
    RespConnection connection_;
};

class ClusterHost final : public Host {
  public:
    ClusterHost() : cluster_(testing::ValkeyCluster::start({.primaries = 3})) {
        for (std::size_t i = 0; i < cluster_.size(); ++i) {
            connections_.push_back(cluster_.node(i).connect());
            load_library(connections_.back());
        }
    }

    RespValue command(const List& args) override {
        const std::size_t key = key_position(args);
        return node_of(key == 0 ? std::string_view() : args[key]).command(args);
    }
    std::map<std::string, std::string> keys(const std::string& tag) override {
        return keys_of(node_of(tag), tag);
    }
    std::map<std::string, std::string> contents(const std::string& tag) override {
        std::map<std::string, std::string> out;
        add_contents(node_of(tag), tag, out);
        return out;
    }
    /// Any node hears every message.
    std::unique_ptr<Listener> listen(const std::string& channel) override {
        return std::make_unique<ConnectionListener>(cluster_.node(0).connect(), channel);
    }

  private:
    RespConnection& node_of(std::string_view key) {
        return connections_.at(key.empty() ? 0 : cluster_.first_owner(model::slot_of(key)));
    }

    testing::ValkeyCluster cluster_;
    std::vector<RespConnection> connections_;
};

std::unique_ptr<Host> start(HostKind kind) {
    switch (kind) {
        case HostKind::Embedded:
            return start_embedded({.compile = true});
        case HostKind::Interpreted:
            return start_embedded({.compile = false});
        case HostKind::Valkey:
            return std::make_unique<ServerHost>(testing::Product::Valkey);
        case HostKind::Redis7:
            return std::make_unique<ServerHost>(testing::Product::Redis7);
        case HostKind::Cluster:
            return std::make_unique<ClusterHost>();
    }
    throw std::logic_error("no such host");
}

}  // namespace

std::string_view to_string(HostKind kind) {
    switch (kind) {
        case HostKind::Embedded:
            return "Embedded";
        case HostKind::Interpreted:
            return "Interpreted";
        case HostKind::Valkey:
            return "Valkey";
        case HostKind::Cluster:
            return "Cluster";
        case HostKind::Redis7:
            return "Redis7";
    }
    return "";
}

void PrintTo(HostKind kind, std::ostream* out) {
    *out << to_string(kind);
}

RespValue Host::fcall(std::string_view function, const List& keys, const List& args) {
    List all{"FCALL", std::string(function), std::to_string(keys.size())};
    all.insert(all.end(), keys.begin(), keys.end());
    all.insert(all.end(), args.begin(), args.end());
    return command(all);
}

RespValue Host::content(const std::string& key, std::string_view type) {
    RespValue value = command(reading(key, type));
    if (type == "zset" && !value.items.empty() && value.items[0].kind == RespValue::Kind::Array) {
        // RESP3 sends pairs of member and score.
        std::vector<RespValue> pairs;
        for (const RespValue& pair : value.items) {
            pairs.insert(pairs.end(), pair.items.begin(), pair.items.end());
        }
        value.items = std::move(pairs);
    }
    if (type == "set") std::ranges::sort(value.items, {}, &RespValue::text);
    if (type == "hash") {
        std::map<std::string, RespValue> fields;
        for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
            fields[value.items[i].text] = value.items[i + 1];
        }
        value.items.clear();
        for (auto& [field, text] : fields) {
            value.items.push_back({.kind = RespValue::Kind::Bulk, .text = field});
            value.items.push_back(text);
        }
    }
    return value;
}

std::map<std::string, std::string> Host::contents(const std::string& tag) {
    std::map<std::string, std::string> out;
    for (const auto& [key, type] : keys(tag)) out[key] = type + " " + to_string(content(key, type));
    return out;
}

std::optional<std::int64_t> Host::ttl_ms(const std::string& key) {
    return command({"PTTL", key}).integer;
}

std::optional<std::uint64_t> Host::store_calls(std::string_view) {
    return std::nullopt;
}

std::int64_t Host::now() {
    const RespValue time = command({"TIME"});
    return std::stoll(time.items.at(0).text) * 1000 + std::stoll(time.items.at(1).text) / 1000;
}

Host& host_of(HostKind kind) {
    static std::map<HostKind, std::unique_ptr<Host>> hosts;
    std::unique_ptr<Host>& host = hosts[kind];
    if (!host) host = start(kind);
    return *host;
}

std::vector<HostKind> all_hosts() {
    return {HostKind::Embedded, HostKind::Interpreted, HostKind::Valkey, HostKind::Cluster,
            HostKind::Redis7};
}

}  // namespace ff::contract
