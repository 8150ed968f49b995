#include "cli/card.h"

#include <utility>

#include "cli/words.h"

namespace ff::cli {
namespace {

using flowfabric::ExecutionInfo;
using flowfabric::Explanation;
using flowfabric::Json;

constexpr std::size_t kNameWidth = 10;

class Card {
  public:
    explicit Card(const Session& session) : session_(session) {}

    /// Leaves the line out when there is nothing to say.
    void line(std::string name, const std::string& text) const {
        if (text.empty()) return;
        name.resize(kNameWidth, ' ');
        session_.line(session_.paint(name, Colour::Grey) + text);
    }

  private:
    const Session& session_;
};

std::string moment(std::int64_t at) {
    return at == 0 ? std::string() : time_text(at) + "  (" + age_text(at, now_ms()) + ")";
}

std::string counted(std::int64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string state_text(const Session& session, const ExecutionInfo& info) {
    std::string text = session.paint_state(info.public_state);
    const bool blocked = !info.blocking_reason.empty() && info.blocking_reason != "none";
    if (blocked) text += ", " + info.blocking_reason;
    const std::string& detail = info.raw["blocking_detail"].text();
    if (blocked && !detail.empty()) text += ": " + detail;
    if (info.attempt_count > 0) text += ", " + counted(info.attempt_count, "attempt");
    if (info.progress_pct >= 0) text += ", " + std::to_string(info.progress_pct) + " % done";
    if (!info.progress_message.empty()) text += ", " + info.progress_message;
    return text;
}

std::string failure_text(const ExecutionInfo& info) {
    const std::string& category = info.raw["failure_category"].text();
    if (info.failure_reason.empty()) return category;
    return category.empty() ? info.failure_reason : info.failure_reason + "  (" + category + ")";
}

std::string started_text(const ExecutionInfo& info) {
    if (info.started_at == 0) return {};
    return time_text(info.started_at) + "  (waited " +
           duration_text(info.started_at - info.created_at) + ")";
}

std::string ended_text(const ExecutionInfo& info) {
    if (info.completed_at == 0) return {};
    const std::int64_t from = info.started_at == 0 ? info.created_at : info.started_at;
    return time_text(info.completed_at) + "  (after " + duration_text(info.completed_at - from) +
           ")";
}

std::string expiry_text(const ExecutionInfo& info) {
    if (info.expires_at != 0) return moment(info.expires_at);
    if (info.retention_ms == 0) return {};
    return duration_text(info.retention_ms) + " after its end";
}

std::string tags_text(const Json& tags) {
    std::string text;
    for (const auto& [key, value] : tags.members())
        text += (text.empty() ? "" : "  ") + key + "=" + value.text();
    return text;
}

std::string policy_text(const Json& policy) {
    return policy.members().empty() ? std::string() : policy.dump();
}

}  // namespace

void print_card(const Session& session, const ExecutionInfo& info) {
    session.line(plain_id(info.execution_id));
    const Card card(session);
    card.line("kind", info.kind);
    card.line("state", state_text(session, info));
    card.line("failure", failure_text(info));
    card.line("cancelled", info.raw["cancellation_reason"].text());
    card.line("lane",
              info.lane + ", namespace " + info.ns + ", priority " + std::to_string(info.priority));
    card.line("created", moment(info.created_at));
    card.line("due", moment(info.raw["delay_until"].integer()));
    card.line("started", started_text(info));
    card.line("ended", ended_text(info));
    card.line("deadline", moment(info.raw["execution_deadline_at"].integer()));
    card.line("expires", expiry_text(info));
    card.line("flow", info.flow_id);
    card.line("needs", info.raw["required_capabilities"].text());
    card.line("tags", tags_text(info.raw["tags"]));
    card.line("retries", info.retries);
    card.line("policy", policy_text(info.raw["policy"]));
}

void print_explanation(const Session& session, const Explanation& why) {
    session.line(why.summary);
    const auto evidence = [&](const std::string& text) { session.line("  " + text); };
    if (!why.lane_state.empty() && why.lane_state != "active")
        evidence("lane " + why.execution.lane + " is " + why.lane_state);
    if (!why.execution.retries.empty()) evidence("retries: " + why.execution.retries);
    for (const Explanation::Policy& policy : why.policies)
        evidence(policy.ref + (policy.exhausted ? " is exhausted: " : ": ") + policy.detail);
    for (const Explanation::Candidate& worker : why.workers) {
        std::string lacks;
        for (const std::string& token : worker.missing_capabilities)
            lacks += (lacks.empty() ? " lacks " : ", ") + token;
        if (!worker.serves_lane) lacks = " does not serve lane " + why.execution.lane;
        evidence("worker " + worker.worker_instance_id + (lacks.empty() ? " could run it" : lacks));
    }
}

}  // namespace ff::cli
