#include "app/store_warnings.h"

#include <string_view>
#include <utility>

#include "valkey/version.h"

namespace ff::app {
namespace asio = boost::asio;

namespace {

using valkey::NodeReply;

/// A line of INFO, without its name.
std::string_view info_line(const NodeReply& node, std::string_view name) {
    if (!node.reply.has_value()) return {};
    const std::string_view text = node.reply->text().value_or("");
    const auto at = text.find(name);
    if (at == std::string_view::npos) return {};
    const std::string_view line = text.substr(at + name.size());
    return line.substr(0, line.find_first_of("\r\n"));
}

/// The value that CONFIG GET tells; nothing where the user may not ask.
std::string_view config_value(const NodeReply& node) {
    if (!node.reply.has_value() || node.reply->items().size() != 2) return {};
    return node.reply->items()[1].text().value_or("");
}

void warn_of_eviction(const std::vector<NodeReply>& memory, std::vector<std::string>& warnings) {
    for (const NodeReply& node : memory) {
        const std::string_view policy = info_line(node, "maxmemory_policy:");
        if (policy.empty() || policy == "noeviction") continue;
        warnings.push_back("the store at " + node.address.text() +
                           " may evict what it holds (maxmemory-policy " + std::string(policy) +
                           "); set noeviction");
    }
}

void warn_of_resyncs(const std::vector<NodeReply>& servers, const std::vector<NodeReply>& flushes,
                     std::vector<std::string>& warnings) {
    for (std::size_t i = 0; i < servers.size() && i < flushes.size(); ++i) {
        if (!servers[i].reply.has_value()) continue;
        const auto version = valkey::lowest_version(*servers[i].reply);
        if (!version.has_value() || !valkey::may_crash_at_full_resync(*version)) continue;
        if (config_value(flushes[i]) == "no") continue;
        warnings.push_back("a replica of the store at " + servers[i].address.text() + " (Valkey " +
                           version->text +
                           ") may crash at a full resync; take 8.1.5 or later, or set "
                           "replica-lazy-flush no on every node");
    }
}

}  // namespace

asio::awaitable<std::vector<std::string>> store_warnings(valkey::ValkeyStore& store) {
    std::vector<std::string> warnings;
    store::Call ask_memory = store::plain({"INFO", "memory"}, true);
    const auto memory = co_await store.every_primary(std::move(ask_memory));
    warn_of_eviction(memory, warnings);
    store::Call ask_version = store::plain({"INFO", "server"}, true);
    const auto servers = co_await store.every_primary(std::move(ask_version));
    store::Call ask_flush = store::plain({"CONFIG", "GET", "replica-lazy-flush"}, true);
    const auto flushes = co_await store.every_primary(std::move(ask_flush));
    warn_of_resyncs(servers, flushes, warnings);
    co_return warnings;
}

}  // namespace ff::app
