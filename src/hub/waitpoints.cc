#include "hub/waitpoints.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/log.h"
#include "base/numbers.h"
#include "engine/operation.h"
#include "engine/waitpoint.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"

namespace ff::hub {
namespace {

/// What a flat condition may have (chapter 03, section 1.1).
constexpr std::int64_t kMatchersMost = 256;
constexpr int kTreeDepthMost = 8;

std::string text_of(std::span<const store::Reply> items, std::size_t index) {
    if (index >= items.size()) return {};
    return std::string(items[index].text().value_or(""));
}

std::optional<Timestamp> time_of(const std::string& text) {
    const auto ms = parse_i64(text);
    return ms ? std::optional(Timestamp(Millis(*ms))) : std::nullopt;
}

/// From the seven fields that a question has in a record of a waitpoint.
std::optional<Question> question_of(std::span<const store::Reply> fields, std::size_t from) {
    if (text_of(fields, from).empty()) return std::nullopt;
    return Question{.prompt = text_of(fields, from + 1),
                    .assignees_json = text_of(fields, from + 2),
                    .form_json = text_of(fields, from + 3),
                    .context = text_of(fields, from + 4),
                    .context_type = text_of(fields, from + 5),
                    .due_at = time_of(text_of(fields, from + 6))};
}

Timestamp time_in(const json::Value& link, std::string_view name) {
    const auto value = link.find(name);
    return timestamp_from_ms(value ? value->as_integer().value_or(0) : 0);
}

std::optional<Timestamp> time_if(Timestamp at) {
    return at == Timestamp() ? std::nullopt : std::optional(at);
}

std::string text_in(const json::Value& link, std::string_view name) {
    const auto value = link.find(name);
    return std::string(value ? value->as_string().value_or("") : "");
}

/// From the field of that name, which only functions write.
std::vector<ApprovalLinkFacts> links_of(const std::string& field) {
    std::vector<ApprovalLinkFacts> links;
    const auto document = json::Document::parse(field.empty() ? "[]" : field);
    if (!document.has_value()) return links;
    const json::Value list = document->root();
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
        const json::Value one = list.element(i);
        links.push_back({.id = text_in(one, "id"),
                         .label = text_in(one, "label"),
                         .created_at = time_in(one, "created_at"),
                         .expires_at = time_in(one, "expires_at"),
                         .revoked_at = time_if(time_in(one, "revoked_at")),
                         .answer = text_in(one, "answer"),
                         .answered_at = time_if(time_in(one, "answered_at"))});
    }
    return links;
}

void add_name(const std::string& name, std::vector<std::string>& names) {
    const bool known = std::ranges::find(names, name) != names.end();
    if (!name.empty() && !known) names.push_back(name);
}

/// The signal names in a composite condition, in the order of their coming.
void add_tree_names(const json::Value& node, int depth, std::vector<std::string>& names) {
    if (depth > kTreeDepthMost) return;
    if (const auto matcher = node.find("matcher")) {
        const auto name = matcher->find("name");
        if (name) add_name(std::string(name->as_string().value_or("")), names);
    }
    const auto members = node.find("members");
    if (!members) return;
    for (std::size_t i = 0; i < members->size(); ++i) {
        add_tree_names(members->element(i), depth + 1, names);
    }
}

std::vector<std::string> tree_names(std::string_view condition) {
    std::vector<std::string> names;
    const auto document = json::Document::parse(condition);
    if (!document.has_value()) return names;
    const auto tree = document->root().find("tree");
    if (tree) add_tree_names(*tree, 0, names);
    return names;
}

}  // namespace

struct Waitpoints::Record {
    model::WaitpointId id;
    std::string state{};
    std::string key{};
    std::string token{};
    std::string created_at{};
    std::string activated_at{};
    std::string expires_at{};
    std::optional<Question> question{};
    std::vector<ApprovalLinkFacts> links{};
    std::int64_t matchers = 0;
    bool composite = false;
};

Task<OpenWaitpoints> Waitpoints::list(WaitpointListing listing) {
    FF_CO_TRY(std::vector<model::WaitpointId> ids, co_await ids_of(listing.execution_id));
    if (listing.after) {
        const auto first = std::ranges::upper_bound(ids, *listing.after);
        ids.erase(ids.begin(), first);
    }
    OpenWaitpoints open;
    if (listing.examine_max > 0 && ids.size() > listing.examine_max) {
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(listing.examine_max), ids.end());
        open.next = ids.back();
    }
    FF_CO_TRY(std::vector<Record> records, co_await open_records(listing.execution_id, ids));
    FF_CO_TRY(const std::string kid, co_await current_kid(listing.execution_id));
    for (Record& record : records) {
        FF_CO_TRY(std::optional<OpenWaitpoint> entry,
                  co_await present(listing, std::move(record), kid));
        if (entry) open.waitpoints.push_back(*std::move(entry));
    }
    co_return open;
}

/// In their order, each once.
Task<std::vector<model::WaitpointId>> Waitpoints::ids_of(const model::ExecutionId& execution_id) {
    const model::ExecKeys keys(execution_id);
    store::Call read_core =
        store::plain({"HMGET", keys.core(), "lifecycle_phase", "purging"}, true);
    FF_CO_TRY(const store::Reply core, co_await store_.call(std::move(read_core)));
    if (text_of(core.items(), 0).empty() || !text_of(core.items(), 1).empty())
        co_return model::make_error("execution_not_found");
    std::set<model::WaitpointId> ids;
    std::string cursor = "0";
    do {
        store::Call scan = store::plain({"SSCAN", keys.waitpoints(), cursor, "COUNT", "100"}, true);
        FF_CO_TRY(const store::Reply page, co_await store_.call(std::move(scan)));
        if (page.items().size() != 2) break;
        cursor = text_of(page.items(), 0);
        for (const store::Reply& item : page.items()[1].items()) {
            const auto id = model::WaitpointId::parse(item.text().value_or(""));
            if (id.has_value()) {
                ids.insert(*id);
            } else {
                log::warn("hub", "waitpoint_id_unreadable", {{"key", keys.waitpoints()}});
            }
        }
    } while (cursor != "0");
    co_return std::vector<model::WaitpointId>(ids.begin(), ids.end());
}

Task<std::vector<Waitpoints::Record>> Waitpoints::open_records(
    const model::ExecutionId& execution_id, std::vector<model::WaitpointId> ids) {
    const model::ExecKeys keys(execution_id);
    std::vector<store::Call> calls;
    for (const model::WaitpointId& id : ids) {
        calls.push_back(
            store::plain({"HMGET", keys.waitpoint(id), "state", "waitpoint_key", "waitpoint_token",
                          "created_at", "activated_at", "expires_at", "has_approval", "prompt",
                          "assignees", "form", "context", "context_type", "due_at", "links"},
                         true));
        calls.push_back(store::plain(
            {"HMGET", keys.waitpoint_condition(id), "total_matchers", "composite"}, true));
    }
    std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    std::vector<Record> records;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!replies[i * 2].has_value()) co_return std::move(replies[i * 2]).error();
        if (!replies[i * 2 + 1].has_value()) co_return std::move(replies[i * 2 + 1]).error();
        const auto fields = replies[i * 2]->items();
        const auto condition = replies[i * 2 + 1]->items();
        Record record{.id = ids[i],
                      .state = text_of(fields, 0),
                      .key = text_of(fields, 1),
                      .token = text_of(fields, 2),
                      .created_at = text_of(fields, 3),
                      .activated_at = text_of(fields, 4),
                      .expires_at = text_of(fields, 5),
                      .question = question_of(fields, 6),
                      .links = links_of(text_of(fields, 13)),
                      .matchers = parse_i64(text_of(condition, 0)).value_or(0),
                      .composite = text_of(condition, 1) == "1"};
        if (record.state != "pending" && record.state != "active") continue;
        records.push_back(std::move(record));
    }
    co_return records;
}

Task<std::string> Waitpoints::current_kid(const model::ExecutionId& execution_id) {
    const engine::ListWaitpointKids list{.partition = execution_id.partition()};
    FF_CO_TRY(const engine::ListWaitpointKids::Outcome kids, co_await engine::run(store_, list));
    co_return kids.current_kid;
}

Task<std::vector<std::string>> Waitpoints::required_names(const model::ExecutionId& execution_id,
                                                          const Record& record) {
    const model::ExecKeys keys(execution_id);
    if (record.composite) {
        store::Call read_condition =
            store::plain({"HGET", keys.suspension_current(), "resume_condition_json"}, true);
        FF_CO_TRY(const store::Reply condition, co_await store_.call(std::move(read_condition)));
        co_return tree_names(condition.text().value_or(""));
    }
    std::vector<std::string> names;
    if (record.matchers < 1) co_return names;
    store::Call call = store::plain({"HMGET", keys.waitpoint_condition(record.id)}, true);
    for (std::int64_t i = 0; i < std::min(record.matchers, kMatchersMost); ++i) {
        call.command.arg("matcher:" + std::to_string(i) + ":name");
    }
    FF_CO_TRY(const store::Reply reply, co_await store_.call(std::move(call)));
    for (std::size_t i = 0; i < reply.items().size(); ++i)
        add_name(text_of(reply.items(), i), names);
    co_return names;
}

/// Nothing for a record that cannot be signalled: without a token, or closed in the meantime.
Task<std::optional<OpenWaitpoint>> Waitpoints::present(const WaitpointListing& listing,
                                                       Record record, const std::string& kid) {
    auto token = model::WaitpointToken::parse(record.token);
    if (!token.has_value()) {
        const std::string key = model::ExecKeys(listing.execution_id).waitpoint(record.id);
        log::warn("hub", "waitpoint_without_token", {{"key", key}});
        co_return std::optional<OpenWaitpoint>();
    }
    if (!kid.empty() && token->kid() != kid) {
        const engine::RemintWaitpointToken remint{.execution_id = listing.execution_id,
                                                  .waitpoint_id = record.id};
        token = co_await engine::run(store_, remint);
        if (!token.has_value() && token.error().code == "waitpoint_closed")
            co_return std::optional<OpenWaitpoint>();
        if (!token.has_value()) co_return std::move(token).error();
    }
    FF_CO_TRY(std::vector<std::string> names,
              co_await required_names(listing.execution_id, record));
    OpenWaitpoint entry{.id = record.id,
                        .key = std::move(record.key),
                        .state = std::move(record.state),
                        .token_kid = token->kid(),
                        .token_fingerprint = std::string(token->fingerprint()),
                        .required_signal_names = std::move(names),
                        .created_at = time_of(record.created_at),
                        .activated_at = time_of(record.activated_at),
                        .expires_at = time_of(record.expires_at),
                        .question = std::move(record.question),
                        .links = std::move(record.links)};
    if (!listing.omit_tokens) entry.token = *std::move(token);
    co_return std::optional(std::move(entry));
}

Task<std::vector<OpenWaitpoint>> Waitpoints::look(model::ExecutionId execution_id,
                                                  std::vector<model::WaitpointId> ids) {
    const WaitpointListing listing{.execution_id = execution_id, .omit_tokens = true};
    FF_CO_TRY(std::vector<Record> records, co_await open_records(execution_id, std::move(ids)));
    std::vector<OpenWaitpoint> open;
    for (Record& record : records) {
        FF_CO_TRY(std::optional<OpenWaitpoint> entry,
                  co_await present(listing, std::move(record), ""));
        if (entry) open.push_back(*std::move(entry));
    }
    co_return open;
}

Task<model::WaitpointId> Waitpoints::find(model::ExecutionId execution_id,
                                          std::optional<model::WaitpointKey> key) {
    FF_CO_TRY(std::vector<model::WaitpointId> ids, co_await ids_of(execution_id));
    FF_CO_TRY(std::vector<Record> records, co_await open_records(execution_id, std::move(ids)));
    if (key)
        std::erase_if(records, [&](const Record& record) { return record.key != key->text(); });
    if (records.size() != 1) co_return model::make_error("ambiguous_target");
    co_return records.front().id;
}

Task<engine::SignalReceipt> Waitpoints::deliver_to(std::optional<model::WaitpointKey> key,
                                                   engine::Signal signal) {
    FF_CO_TRY(signal.waitpoint_id, co_await find(signal.execution_id, std::move(key)));
    engine::DeliverSignal deliver{.signal = std::move(signal)};
    co_return co_await engine::run(store_, std::move(deliver));
}

/// That of a closed waitpoint too: a repeated approval is known by its key, not by its waitpoint.
Task<std::string> Waitpoints::token_of(const model::ExecutionId& execution_id,
                                       const model::WaitpointId& waitpoint_id) {
    const engine::RemintWaitpointToken remint{.execution_id = execution_id,
                                              .waitpoint_id = waitpoint_id};
    const auto token = co_await engine::run(store_, remint);
    if (token.has_value()) co_return token->reveal();
    if (token.error().code != "waitpoint_closed") co_return token.error();
    const std::string key = model::ExecKeys(execution_id).waitpoint(waitpoint_id);
    store::Call call = store::plain({"HGET", key, "waitpoint_token"}, true);
    FF_CO_TRY(const store::Reply stored, co_await store_.call(std::move(call)));
    co_return std::string(stored.text().value_or(""));
}

Task<engine::SignalReceipt> Waitpoints::approve(Approval approval) {
    FF_CO_TRY(model::IdempotencyKey key,
              model::IdempotencyKey::parse("approval:" + approval.signal_name + ":" +
                                           approval.idempotency_suffix));
    FF_CO_TRY(std::string token, co_await token_of(approval.execution_id, approval.waitpoint_id));
    engine::DeliverSignal deliver{.signal = {.id = model::SignalId::mint(random_),
                                             .execution_id = approval.execution_id,
                                             .waitpoint_id = approval.waitpoint_id,
                                             .name = std::move(approval.signal_name),
                                             .category = "approval",
                                             .source_type = "operator",
                                             .source_identity = std::move(approval.actor),
                                             .idempotency_key = std::move(key),
                                             .target_scope = "execution",
                                             .dedup_ttl = approval.dedup_ttl,
                                             .token = std::move(token)}};
    co_return co_await engine::run(store_, std::move(deliver));
}

}  // namespace ff::hub
