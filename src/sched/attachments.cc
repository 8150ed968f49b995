#include "sched/attachments.h"

#include <algorithm>
#include <optional>

#include "model/budget_keys.h"
#include "model/global_keys.h"
#include "model/quota_keys.h"

namespace ff::sched {
namespace {

constexpr std::string_view kBudget = "budget";
constexpr std::string_view kQuota = "quota";

/// `namespace` is another word for `tenant`.
std::string_view canonical_type(std::string_view type) {
    return type == "namespace" ? "tenant" : type;
}

struct Registered {
    PolicyFamily family = PolicyFamily::Budget;
    model::PolicyScope scope{};
};

/// `<family>:<scope_type>:<scope_id>`; the id may hold colons.
std::optional<Registered> parse_member(std::string_view member) {
    const std::size_t first = member.find(':');
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t second = member.find(':', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const std::string_view family = member.substr(0, first);
    if (family != kBudget && family != kQuota) return std::nullopt;
    return Registered{.family = family == kBudget ? PolicyFamily::Budget : PolicyFamily::Quota,
                      .scope = {.type = std::string(member.substr(first + 1, second - first - 1)),
                                .id = std::string(member.substr(second + 1))}};
}

std::string member_of(PolicyFamily family, const model::PolicyScope& scope) {
    const std::string_view word = family == PolicyFamily::Budget ? kBudget : kQuota;
    return std::string(word) + ':' + scope.type + ':' + scope.id;
}

std::set<std::string> texts_of(const store::Reply& reply) {
    std::set<std::string> texts;
    for (const store::Reply& item : reply.items()) {
        if (const auto text = item.text()) texts.emplace(*text);
    }
    return texts;
}

void merge(ScopePolicies& into, const ScopePolicies* more) {
    if (more == nullptr) return;
    into.budgets.insert(more->budgets.begin(), more->budgets.end());
    into.quotas.insert(more->quotas.begin(), more->quotas.end());
}

}  // namespace

const ScopePolicies* AttachmentView::find(std::string_view type, std::string_view id) const {
    const auto found = scopes_.find({std::string(type), std::string(id)});
    return found == scopes_.end() ? nullptr : &found->second;
}

ScopePolicies AttachmentView::governing(std::string_view lane, std::string_view ns,
                                        std::string_view flow) const {
    ScopePolicies all;
    if (scopes_.empty()) return all;
    if (!flow.empty()) merge(all, find("flow", flow));
    merge(all, find("lane", lane));
    merge(all, find("tenant", ns));
    merge(all, find("global", "*"));
    return all;
}

std::vector<std::string> AttachmentView::tenants() const {
    std::vector<std::string> names;
    for (const auto& [scope, policies] : scopes_) {
        if (scope.first == "tenant") names.push_back(scope.second);
    }
    return names;
}

bool AttachmentView::any_flow() const {
    return std::ranges::any_of(scopes_,
                               [](const auto& entry) { return entry.first.first == "flow"; });
}

void AttachmentView::add(std::string_view type, std::string_view id, ScopePolicies policies) {
    if (policies.budgets.empty() && policies.quotas.empty()) return;
    merge(scopes_[{std::string(canonical_type(type)), std::string(id)}], &policies);
}

std::string Attachments::key_of(PolicyFamily family, const model::PolicyScope& scope) const {
    return family == PolicyFamily::Budget ? model::budget_attach_key(scope, partitions_)
                                          : model::quota_attach_key(scope, partitions_);
}

Task<Done> Attachments::attach(PolicyFamily family, model::PolicyScope scope,
                               std::string policy_id) {
    // The register of scopes first: a scope that is listed without policies costs a read, one with
    // policies that is not listed would go ungoverned.
    const std::string member = member_of(family, scope);
    store::Call list = store::plain({"SADD", model::kAttachedScopesKey, member}, true);
    FF_CO_TRY(const store::Reply listed, co_await store_.call(std::move(list)));
    const std::string key = key_of(family, scope);
    store::Call add = store::plain({"SADD", key, policy_id}, true);
    FF_CO_TRY(const store::Reply added, co_await store_.call(std::move(add)));
    current_.reset();
    co_return Done{};
}

Task<Done> Attachments::detach(PolicyFamily family, model::PolicyScope scope,
                               std::string policy_id) {
    const std::string key = key_of(family, scope);
    store::Call remove = store::plain({"SREM", key, policy_id}, true);
    FF_CO_TRY(const store::Reply removed, co_await store_.call(std::move(remove)));
    current_.reset();
    co_return Done{};
}

Task<std::shared_ptr<const AttachmentView>> Attachments::view() {
    if (current_ && clock_.now() < loaded_at_ + kFreshFor) co_return current_;
    FF_CO_TRY(std::shared_ptr<const AttachmentView> fresh, co_await load());
    current_ = fresh;
    loaded_at_ = clock_.now();
    co_return fresh;
}

Task<std::shared_ptr<const AttachmentView>> Attachments::load() {
    store::Call list = store::plain({"SMEMBERS", model::kAttachedScopesKey}, true);
    FF_CO_TRY(const store::Reply members, co_await store_.call(std::move(list)));
    std::vector<Registered> scopes;
    std::vector<store::Call> reads;
    for (const std::string& member : texts_of(members)) {
        const auto registered = parse_member(member);
        if (!registered) continue;
        scopes.push_back(*registered);
        reads.push_back(
            store::plain({"SMEMBERS", key_of(registered->family, registered->scope)}, true));
    }
    auto view = std::make_shared<AttachmentView>();
    if (reads.empty()) co_return std::shared_ptr<const AttachmentView>(std::move(view));
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(reads));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (!replies[i]) co_return replies[i].error();
        ScopePolicies policies;
        auto& ids = scopes[i].family == PolicyFamily::Budget ? policies.budgets : policies.quotas;
        ids = texts_of(*replies[i]);
        view->add(scopes[i].scope.type, scopes[i].scope.id, std::move(policies));
    }
    co_return std::shared_ptr<const AttachmentView>(std::move(view));
}

}  // namespace ff::sched
