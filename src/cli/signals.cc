#include <cstdlib>

#include "cli/commands.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Waitpoint;

namespace {

/// The waitpoint with that id, or the only open one.
flowfabric::Result<Waitpoint> find_waitpoint(const AdminClient& client, const std::string& id,
                                             const std::string& wanted) {
    auto open = client.list_pending_waitpoints(id);
    if (!open) return open.error();
    for (Waitpoint& one : *open) {
        if (one.waitpoint_id == wanted) return std::move(one);
    }
    if (wanted.empty() && open->size() == 1) return std::move(open->front());
    flowfabric::Error error{.code = open->empty() ? "waitpoint_not_found" : "ambiguous_target",
                            .message = open->empty() ? "it waits for no signal"
                                                     : "several waitpoints are open; choose one "
                                                       "with --waitpoint"};
    for (const Waitpoint& one : *open)
        error.detail.push_back(one.waitpoint_id + "  " + one.waitpoint_key);
    return error;
}

int tell(const Session& session, const flowfabric::SignalReceipt& receipt) {
    using Kind = flowfabric::SignalReceipt::Kind;
    const bool duplicate = receipt.kind == Kind::Duplicate;
    return session.show(Json::object({{"status", duplicate ? "duplicate" : "accepted"},
                                      {"signal_id", receipt.signal_id},
                                      {"effect", receipt.effect},
                                      {"resumed", receipt.kind == Kind::TriggeredResume}}));
}

constexpr std::int64_t kYearMs = std::int64_t{365} * 86'400'000;

/// For people the address alone, which is what they send on.
int print_link(Session& session, const AdminClient& client, const Arguments& arguments,
               const Waitpoint& waitpoint) {
    const std::string id = arguments.text("execution");
    FF_CLI_READ(const std::int64_t life, arguments.integer("expires-ms", 0, 1, kYearMs));
    FF_CLI_TRY(const auto link, client.links(id, waitpoint.waitpoint_id)
                                    .create({.label = arguments.text("for"),
                                             .expires_in = flowfabric::Millis(life)}));
    if (!session.json()) {
        session.line(link.url);
        return kDone;
    }
    return session.show(Json::object({{"link_id", link.link_id},
                                      {"url", link.url},
                                      {"waitpoint_id", waitpoint.waitpoint_id},
                                      {"expires_at", link.expires_at}}));
}

int revoke_links(Session& session, const AdminClient& client, const Arguments& arguments,
                 const Waitpoint& waitpoint) {
    FF_CLI_TRY(const auto revoked,
               client.links(arguments.text("execution"), waitpoint.waitpoint_id).revoke());
    return session.show(
        Json::object({{"waitpoint_id", waitpoint.waitpoint_id}, {"revoked", revoked}}));
}

}  // namespace

int run_signal(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string id = arguments.text("execution");
    flowfabric::NewSignal signal{.waitpoint_id = arguments.text("waitpoint"),
                                 .waitpoint_token = arguments.text("waitpoint-token"),
                                 .name = arguments.text("name"),
                                 .source_type = "operator",
                                 .source_identity = "flowfabric-cli"};
    if (arguments.has("payload")) signal.payload = arguments.text("payload");
    if (signal.waitpoint_id.empty() || signal.waitpoint_token.empty()) {
        FF_CLI_TRY(const Waitpoint found, find_waitpoint(client, id, signal.waitpoint_id));
        signal.waitpoint_id = found.waitpoint_id;
        if (signal.waitpoint_token.empty()) signal.waitpoint_token = found.token;
    }
    FF_CLI_TRY(const auto receipt, client.deliver_signal(id, signal));
    return tell(session, receipt);
}

int run_approve(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string id = arguments.text("execution");
    FF_CLI_TRY(const Waitpoint found, find_waitpoint(client, id, arguments.text("waitpoint")));
    if (arguments.has("link")) return print_link(session, client, arguments, found);
    if (arguments.has("revoke-links")) return revoke_links(session, client, arguments, found);
    const std::string awaited = found.signal_names.empty() ? "approved" : found.signal_names[0];
    const char* user = std::getenv("USER");
    FF_CLI_TRY(const auto receipt,
               client.approve(id, found.waitpoint_id, arguments.text("name", awaited),
                              arguments.text("actor", user == nullptr ? "operator" : user)));
    return tell(session, receipt);
}

}  // namespace ff::cli
