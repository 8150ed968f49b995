#include "simulation/inspection.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/exec_keys.h"
#include "model/flow_keys.h"
#include "model/index_keys.h"
#include "model/state.h"

namespace ff::simulation {
namespace {

constexpr const char* kTimersHeld = "a leap of the clock ends and deletes nothing";

using Fields = std::map<std::string, std::string, std::less<>>;

std::string text_of(const resp::Value& value) {
    return std::string(value.text().value_or(""));
}

Fields fields_at(StoreProcess& process, const std::string& key) {
    Fields fields;
    const resp::Value reply = process.look({"HGETALL", key});
    const auto items = reply.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        fields[text_of(items[i])] = text_of(items[i + 1]);
    return fields;
}

class Inspection {
  public:
    Inspection(StoreProcess& process, Ledger& ledger, const Plan& plan)
        : process_(process), ledger_(ledger), plan_(plan) {}

    void run() {
        for (auto& [id, subject] : ledger_.subjects()) {
            const model::ExecKeys keys(id);
            const Fields core = fields_at(process_, keys.core());
            if (core.empty()) {
                if (subject.acknowledged)
                    ledger_.broke("every acknowledged creation is found", id, "there is no record");
                continue;
            }
            check_state(id, core);
            check_content(id, keys, subject, core);
            check_end(id, keys, subject, core);
            check_frames(id, keys, subject);
            check_signals(id, keys, subject);
            check_refused(id, keys, subject, core);
            check_edges(id, keys);
            check_waitpoints(keys, subject);
            check_timers(id, keys, core);
            check_given_up(id, keys, core);
        }
        check_feeds();
        check_leftovers();
    }

  private:
    static std::string at(const Fields& fields, std::string_view name) {
        const auto found = fields.find(name);
        return found == fields.end() ? "" : found->second;
    }

    void check_state(const model::ExecutionId& id, const Fields& core) {
        const std::string phase = at(core, "lifecycle_phase");
        const std::string ownership = at(core, "ownership_state");
        const std::string eligibility = at(core, "eligibility_state");
        const std::string blocking = at(core, "blocking_reason");
        const std::string outcome = at(core, "terminal_outcome");
        const std::string attempt = at(core, "attempt_state");
        const std::string shown = at(core, "public_state");
        const auto vector = model::StateVector::parse({.lifecycle_phase = phase,
                                                       .ownership_state = ownership,
                                                       .eligibility_state = eligibility,
                                                       .blocking_reason = blocking,
                                                       .terminal_outcome = outcome,
                                                       .attempt_state = attempt,
                                                       .public_state = shown});
        if (!vector.has_value() || !model::legal_vector_number(*vector))
            ledger_.broke("state vectors are legal ones", id,
                          phase + "/" + ownership + "/" + eligibility + "/" + blocking + "/" +
                              outcome + "/" + attempt + "/" + shown);
    }

    void check_content(const model::ExecutionId& id, const model::ExecKeys& keys,
                       const Subject& subject, const Fields& core) {
        if (!subject.acknowledged) return;
        if (at(core, "lane_id") != subject.lane)
            ledger_.broke("every acknowledged creation is found", id,
                          "it is in the lane " + at(core, "lane_id"));
        if (text_of(process_.look({"GET", keys.payload()})) != subject.payload)
            ledger_.broke("payloads and results come back byte for byte", id,
                          "the payload is another one");
    }

    void check_end(const model::ExecutionId& id, const model::ExecKeys& keys,
                   const Subject& subject, const Fields& core) {
        const auto happened = [](const KnownReplay& replay) {
            return replay.ended != Timestamp::min();
        };
        if (subject.ends.empty() || std::ranges::any_of(subject.replays, happened)) return;
        const KnownEnd& end = subject.ends.front();
        if (at(core, "public_state") != to_string(end.state)) {
            ledger_.broke("an acknowledged end stays", id,
                          "it was told to be " + std::string(to_string(end.state)) + " and is " +
                              at(core, "public_state"));
            return;
        }
        if (end.state == model::PublicState::Completed &&
            text_of(process_.look({"GET", keys.result()})) != end.result)
            ledger_.broke("payloads and results come back byte for byte", id,
                          "the result is another one");
    }

    /// The entries of a stream; the second part of each id counts from `first` on without a gap.
    std::vector<Fields> entries_at(const std::string& key, std::int64_t& last_ordinal) {
        std::vector<Fields> all;
        const resp::Value reply = process_.look({"XRANGE", key, "-", "+"});
        for (const resp::Value& entry : reply.items()) {
            const std::string id = text_of(entry.items()[0]);
            const std::int64_t ordinal = std::stoll(id.substr(id.find('-') + 1));
            if (last_ordinal != 0 && ordinal != last_ordinal + 1)
                ledger_.hole(key, id + " comes after ordinal " + std::to_string(last_ordinal));
            last_ordinal = ordinal;
            Fields fields;
            const auto list = entry.items()[1].items();
            for (std::size_t i = 0; i + 1 < list.size(); i += 2)
                fields[text_of(list[i])] = text_of(list[i + 1]);
            all.push_back(std::move(fields));
        }
        return all;
    }

    void check_frames(const model::ExecutionId& id, const model::ExecKeys& keys,
                      const Subject& subject) {
        for (const auto& [attempt, known] : subject.streams) {
            std::map<std::int64_t, std::string> found;
            std::int64_t last_seq = 0;
            std::int64_t ordinal = 0;
            for (const Fields& frame :
                 entries_at(keys.stream(model::AttemptIndex{attempt}), ordinal)) {
                if (at(frame, "seq").empty()) continue;
                const std::int64_t seq = std::stoll(at(frame, "seq"));
                if (seq <= last_seq)
                    ledger_.broke(
                        "streams are gapless and in order", id,
                        "frame " + std::to_string(seq) + " after " + std::to_string(last_seq));
                last_seq = seq;
                found[seq] = at(frame, "payload");
            }
            for (const auto& [seq, frame] : known.frames) {
                const auto there = found.find(seq);
                if (there == found.end() && frame.second)
                    ledger_.broke("streams are gapless and in order", id,
                                  "the acknowledged frame " + std::to_string(seq) + " is missing");
                if (there != found.end() && there->second != frame.first)
                    ledger_.broke("streams are gapless and in order", id,
                                  "frame " + std::to_string(seq) + " has another payload");
            }
        }
    }

    /// Whoever was told that something does not count finds that it does not.
    void check_refused(const model::ExecutionId& id, const model::ExecKeys& keys,
                       const Subject& subject, const Fields& core) {
        if (subject.refused.empty() || !subject.replays.empty()) return;
        const std::string result = text_of(process_.look({"GET", keys.result()}));
        if (at(core, "public_state") == "completed" && subject.refused.contains(result))
            ledger_.broke("a call sent again gets its first answer", id,
                          "the completion that counts was refused when it was sent again");
    }

    void check_signals(const model::ExecutionId& id, const model::ExecKeys& keys,
                       const Subject& subject) {
        for (const auto& [signal, known] : subject.signals) {
            const auto waitpoint = model::WaitpointId::parse(known.waitpoint);
            std::size_t times = 0;
            const resp::Value reply =
                process_.look({"XRANGE", keys.waitpoint_signals(*waitpoint), "-", "+"});
            for (const resp::Value& entry : reply.items())
                for (const resp::Value& field : entry.items()[1].items())
                    times += text_of(field) == signal ? 1 : 0;
            if (known.is_last) check_matchers(id, keys.waitpoint_condition(*waitpoint), signal);
            if (times > 1 || (times == 0 && known.acknowledged))
                ledger_.broke(
                    "every acknowledged signal counts once", id,
                    "the signal " + signal + " was counted " + std::to_string(times) + " times");
        }
    }

    /// Whoever is resumed can read which signals met its condition, the last one included.
    void check_matchers(const model::ExecutionId& id, const std::string& key,
                        const std::string& signal) {
        const Fields condition = fields_at(process_, key);
        const auto names_it = [&](const auto& field) { return field.second == signal; };
        if (!condition.empty() && std::ranges::none_of(condition, names_it))
            ledger_.broke("every acknowledged signal counts once", id,
                          "no matcher of " + key + " names the signal " + signal);
    }

    /// An edge that was resolved is not among those that still have to be.
    void check_edges(const model::ExecutionId& id, const model::ExecKeys& keys) {
        const resp::Value open = process_.look({"SMEMBERS", keys.deps_unresolved()});
        for (const resp::Value& edge : open.items()) {
            const auto parsed = model::EdgeId::parse(text_of(edge));
            const std::string state = text_of(process_.look({"HGET", keys.dep(*parsed), "state"}));
            if (state == "satisfied" || state == "impossible")
                ledger_.broke(
                    "indexes say what the records say", id,
                    "the edge " + text_of(edge) + " is " + state + " and among those to resolve");
        }
    }

    /// A clock that leapt over a restart ends nothing as long as it is doubted.
    void check_timers(const model::ExecutionId& id, const model::ExecKeys& keys,
                      const Fields& core) {
        const auto held = [&](const std::string& at) {
            return !at.empty() && process_.was_held(Timestamp(Millis(std::stoll(at))));
        };
        const std::string ended = at(core, "completed_at");
        if (at(core, "public_state") == "expired" && held(ended))
            ledger_.broke(kTimersHeld, id, "it was ended by its deadline at " + ended);
        const Fields suspension = fields_at(process_, keys.suspension_current());
        const std::string closed = at(suspension, "closed_at");
        if (at(suspension, "close_reason").starts_with("timed_out") && held(closed))
            ledger_.broke(kTimersHeld, id, "its suspension timed out at " + closed);
    }

    /// Whoever follows a stream is told why nobody goes on with it.
    void check_given_up(const model::ExecutionId& id, const model::ExecKeys& keys,
                        const Fields& core) {
        if (at(core, "failure_reason") != "max_reclaims_exceeded") return;
        const auto attempt =
            static_cast<std::uint32_t>(std::stoul(at(core, "current_attempt_index")));
        const Fields meta = fields_at(process_, keys.stream_meta(model::AttemptIndex{attempt}));
        if (!meta.empty() && at(meta, "closed_reason") != at(core, "failure_reason"))
            ledger_.broke("streams are gapless and in order", id,
                          "it was given up, and its stream ends as " + at(meta, "closed_reason"));
    }

    /// Nobody is let in by a door of what has ended.
    void check_waitpoints(const model::ExecKeys& keys, const Subject& subject) {
        for (const std::string& waitpoint : subject.waitpoints) {
            const std::string key = keys.waitpoint(*model::WaitpointId::parse(waitpoint));
            const std::string state = text_of(process_.look({"HGET", key, "state"}));
            if (state == "active" || state == "pending") ledger_.left_over(key);
        }
    }

    void check_feeds() {
        for (std::uint16_t p = 0; p < plan_.partitions.flow; ++p) {
            const model::IndexKeys keys(p);
            std::int64_t last = 0;
            const std::vector<Fields> events = entries_at(keys.events(), last);
            if (static_cast<std::size_t>(last) == events.size()) check_ends_told(p, events);
            const std::string told = text_of(process_.look({"HGET", keys.feed_seq(), "events"}));
            if (last != 0 && told != std::to_string(last))
                ledger_.hole(keys.events(), "the counter says " + told + ", the last entry " +
                                                std::to_string(last));
        }
    }

    /// The feed of a partition that has all its entries yet tells of every end.
    void check_ends_told(std::uint16_t partition, const std::vector<Fields>& events) {
        std::set<std::string> told;
        for (const Fields& event : events)
            if (at(event, "family").starts_with("completion"))
                told.insert(at(event, "execution_id"));
        for (const auto& [id, subject] : ledger_.subjects()) {
            if (id.partition().index() != partition || told.contains(id.to_string())) continue;
            const resp::Value core = process_.look({"EXISTS", model::ExecKeys(id).core()});
            if (core.to_integer() != 0)
                ledger_.broke("feeds and streams have no holes", id, "its end was not told");
        }
    }

    /// Nothing waits any more: no queue, no lease and no timer names anything.
    void check_leftovers() {
        for (std::uint16_t p = 0; p < plan_.partitions.flow; ++p) {
            const model::IndexKeys keys(p);
            const model::FlowIndexKeys flows(model::PartitionKey::flow(p));
            for (const std::string& index :
                 {keys.lease_expiry(), keys.attempt_timeout(), keys.execution_deadline(),
                  keys.suspension_timeout(), keys.pending_waitpoint_expiry(),
                  keys.cascade_pending(), keys.quota_release(), keys.approvals(),
                  flows.cancel_backlog(), flows.pending_cancel_groups()})
                expect_none(index);
            for (std::uint32_t worker = 1; worker <= plan_.crowd.workers; ++worker)
                expect_none(keys.worker_leases(
                    *model::WorkerInstanceId::parse("worker-" + std::to_string(worker))));
            for (const std::string& name : plan_.lanes) {
                const model::LaneKeys lane = keys.lane(*model::LaneId::parse(name));
                for (const std::string& index :
                     {lane.eligible(), lane.delayed(), lane.active(), lane.blocked_dependencies(),
                      lane.blocked_budget(), lane.blocked_quota(), lane.blocked_route(),
                      lane.blocked_operator(), lane.suspended()})
                    expect_none(index);
            }
        }
    }

    void expect_none(const std::string& index) {
        if (process_.look({"EXISTS", index}).to_integer() == 0) return;
        ledger_.left_over(index);
    }

    StoreProcess& process_;
    Ledger& ledger_;
    const Plan& plan_;
};

}  // namespace

void inspect(StoreProcess& process, Ledger& ledger, const Plan& plan) {
    Inspection(process, ledger, plan).run();
}

std::string describe_execution(StoreProcess& process, const std::string& id) {
    const auto parsed = model::ExecutionId::parse(id);
    if (!parsed.has_value() || !process.life()) return "unknown";
    Fields core = fields_at(process, model::ExecKeys(*parsed).core());
    std::string text;
    for (const char* name : {"public_state", "ownership_state", "eligibility_state",
                             "blocking_reason", "attempt_state", "delay_until", "lease_expires_at"})
        text += std::string(text.empty() ? "" : ", ") + name + "=" + core[name];
    return text;
}

}  // namespace ff::simulation
