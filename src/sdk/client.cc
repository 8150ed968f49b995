#include "flowfabric/client.h"

#include <algorithm>

#include "sdk/http_door.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/readings_records.h"
#include "sdk/words.h"
#include "sdk/wrapped_door.h"

namespace flowfabric {

using ff::sdk::DoorReply;
using ff::sdk::DoorRequest;
using ff::sdk::execution_path;

namespace {

constexpr Millis kBeyondTheWait{5000};
constexpr Millis kWaitMax{30'000};
/// What a new execution's JSON takes besides its payload, roughly.
constexpr std::size_t kBodyBytesBesides = 192;

Result<Bytes> raw_bytes(ff::sdk::Door& door, std::string_view operation, std::string target) {
    const DoorRequest request{
        .operation = operation, .target = std::move(target), .repeatable = true};
    FF_SDK_TRY(DoorReply reply, ff::sdk::success_of(door.send(request)));
    return std::move(reply.body);
}

bool is_header_text(const std::string& token) {
    return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

Result<AdminClient> AdminClient::connect(ClientOptions options) {
    FF_SDK_TRY(ff::sdk::ServerUrl url, ff::sdk::ServerUrl::parse(options.url));
    if (options.token && (options.token->empty() || !is_header_text(*options.token)))
        return config_error("the API token is blank or holds white space");
    std::shared_ptr<const ff::sdk::TlsTrust> trust;
    if (url.scheme == ff::sdk::ServerUrl::Scheme::Https) {
        FF_SDK_TRY(trust, ff::sdk::TlsTrust::load(options.tls));
    }
    auto door = std::make_shared<ff::sdk::HttpDoor>(std::move(url), std::move(trust),
                                                    options.token.value_or(""));
    return AdminClient(ff::sdk::wrap(std::move(door), std::move(options.layers), options.retry));
}

Result<AdminClient> AdminClient::connect(std::string url) {
    return connect(ClientOptions{.url = std::move(url)});
}

Result<AdminClient> AdminClient::with_token(std::string url, std::string token) {
    return connect(ClientOptions{.url = std::move(url), .token = std::move(token)});
}

Result<CreatedExecution> AdminClient::create_execution(const NewExecution& execution) const {
    DoorRequest request{
        .operation = "create_execution",
        .method = "POST",
        .target = "/v1/executions",
        .repeatable = !execution.execution_id.empty() || !execution.idempotency_key.empty()};
    FF_SDK_TRY([[maybe_unused]] Done written, ff::sdk::write_body(request.body, execution));
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, request));
    return ff::sdk::created_of(reply);
}

Result<std::vector<Result<CreatedExecution>>> AdminClient::create_executions(
    const std::vector<NewExecution>& executions) const {
    if (auto created = door_->create(executions)) return *std::move(created);
    DoorRequest request{.operation = "create_executions",
                        .method = "POST",
                        .target = "/v1/executions/batch",
                        .body = "{\"executions\":["};
    std::size_t bytes = 0;
    for (const NewExecution& execution : executions)
        bytes += execution.payload.size() + kBodyBytesBesides;
    request.body.reserve(bytes);
    for (const NewExecution& execution : executions) {
        if (&execution != &executions.front()) request.body += ',';
        FF_SDK_TRY([[maybe_unused]] Done written, ff::sdk::write_body(request.body, execution));
    }
    request.body += "]}";
    request.repeatable = std::all_of(executions.begin(), executions.end(), [](const auto& one) {
        return !one.execution_id.empty() || !one.idempotency_key.empty();
    });
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, request));
    std::vector<Result<CreatedExecution>> results;
    for (const Json& item : reply["results"].items()) {
        if (item["status"].text() == "error") {
            results.emplace_back(ff::sdk::error_of_item(item));
        } else {
            results.emplace_back(ff::sdk::created_of(item));
        }
    }
    if (results.size() != executions.size())
        return ff::sdk::malformed_response("create_executions", "not as many results as items");
    return results;
}

Result<ExecutionInfo> AdminClient::describe_execution(const std::string& id) const {
    FF_SDK_TRY(Json reply, ff::sdk::get_json(*door_, "describe_execution", execution_path(id)));
    return ff::sdk::info_of(std::move(reply));
}

Result<std::string> AdminClient::get_state(const std::string& id) const {
    FF_SDK_TRY(const Json reply,
               ff::sdk::get_json(*door_, "get_state", execution_path(id, "/state")));
    return reply["public_state"].text();
}

Result<Bytes> AdminClient::get_payload(const std::string& id) const {
    return raw_bytes(*door_, "get_payload", execution_path(id, "/payload"));
}

Result<Bytes> AdminClient::get_input(const std::string& id, const std::string& name) const {
    return raw_bytes(*door_, "get_input", execution_path(id, "/inputs/" + ff::sdk::percent(name)));
}

Result<Bytes> AdminClient::get_result(const std::string& id) const {
    return raw_bytes(*door_, "get_result", execution_path(id, "/result"));
}

Result<Ending> AdminClient::wait_for_terminal(const std::string& id, Millis timeout) const {
    const auto until = std::chrono::steady_clock::now() + timeout;
    while (true) {
        const Millis left =
            std::max(Millis(0),
                     std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now()));
        const Millis wait = std::min(left, kWaitMax);
        const DoorRequest request{
            .operation = "wait_for_terminal",
            .target = execution_path(id, "/wait?block_ms=" + std::to_string(wait.count())),
            .timeout = wait + kBeyondTheWait,
            .repeatable = true};
        FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, request));
        const bool waits = reply["timed_out"].boolean();
        if (waits && left > kWaitMax) continue;
        return Ending{.public_state = reply["public_state"].text(),
                      .terminal_outcome = reply["terminal_outcome"].text(),
                      .completed_at = reply["completed_at"].integer(),
                      .timed_out = waits};
    }
}

Result<Explanation> AdminClient::explain(const std::string& id) const {
    FF_SDK_TRY(Json reply, ff::sdk::get_json(*door_, "explain", execution_path(id, "/explain")));
    return ff::sdk::explanation_of(std::move(reply));
}

Result<ExecutionPage> AdminClient::list_executions(const ExecutionQuery& query) const {
    const std::string target =
        "/v1/executions" + ff::sdk::query_of({{"lane", query.lane},
                                              {"state", query.state},
                                              {"namespace", query.ns},
                                              {"tag", query.tag},
                                              {"order", query.newest ? "newest" : ""},
                                              {"limit", std::to_string(query.limit)},
                                              {"cursor", query.cursor}});
    FF_SDK_TRY(Json reply, ff::sdk::get_json(*door_, "list_executions", target));
    ExecutionPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["executions"].items())
        page.executions.push_back(ff::sdk::summary_of(one));
    page.raw = std::move(reply);
    return page;
}

Result<Tags> AdminClient::get_tags(const std::string& id) const {
    FF_SDK_TRY(const Json reply,
               ff::sdk::get_json(*door_, "get_tags", execution_path(id, "/tags")));
    Tags tags;
    for (const auto& [name, value] : reply.members()) tags.emplace(name, value.text());
    return tags;
}

Result<Done> AdminClient::set_tags(const std::string& id, const Tags& tags) const {
    FF_SDK_TRY([[maybe_unused]] const Json reply,
               ff::sdk::ask(*door_, {.operation = "set_tags",
                                     .method = "PUT",
                                     .target = execution_path(id, "/tags"),
                                     .body = ff::sdk::tags_json(tags).dump(),
                                     .repeatable = true}));
    return Done{};
}

Result<std::string> AdminClient::cancel_execution(const std::string& id,
                                                  const std::string& reason) const {
    FF_SDK_TRY(const Json reply,
               ff::sdk::post_json(*door_, "cancel_execution", execution_path(id, "/cancel"),
                                  Json::object({{"reason", reason}})));
    return reply["public_state"].text();
}

Result<ChangedPriority> AdminClient::change_priority(const std::string& id, int priority) const {
    FF_SDK_TRY(const Json reply,
               ff::sdk::ask(*door_, {.operation = "change_priority",
                                     .method = "PUT",
                                     .target = execution_path(id, "/priority"),
                                     .body = Json::object({{"new_priority", priority}}).dump(),
                                     .repeatable = true}));
    return ChangedPriority{.old_priority = static_cast<int>(reply["old_priority"].integer()),
                           .new_priority = static_cast<int>(reply["new_priority"].integer())};
}

Result<std::string> AdminClient::replay_execution(const std::string& id,
                                                  const std::string& reason) const {
    FF_SDK_TRY(const Json reply,
               ff::sdk::post_json(*door_, "replay_execution", execution_path(id, "/replay"),
                                  Json::object({{"reason", reason}})));
    return reply["public_state"].text();
}

Result<std::vector<std::string>> AdminClient::replay_subgraph(const std::string& id,
                                                              const std::string& reason) const {
    FF_SDK_TRY(const Json reply, ff::sdk::post_json(*door_, "replay_subgraph",
                                                    execution_path(id, "/replay?subgraph=true"),
                                                    Json::object({{"reason", reason}})));
    return reply["execution_ids"].text_items();
}

}  // namespace flowfabric
