#include <algorithm>
#include <iterator>
#include <regex>

#include "base/random.h"
#include "contract/execution.h"
#include "model/state.h"
#include "model/uuid.h"

namespace ff::contract {
namespace {

/// A life of a few executions: operations in an order that only a seed decides, so that every host
/// is asked the same.
class RandomLife {
  public:
    RandomLife(Host& host, const std::string& tag, std::uint64_t seed)
        : host_(host), random_(seed) {
        for (int i = 0; i < 5; ++i) executions_.emplace_back(host, tag, uuid());
    }

    struct Step {
        std::string name{};
        const Execution* execution = nullptr;
        RespValue reply{};
    };

    Step next() {
        Execution& e = executions_[random_.below(executions_.size())];
        const Operation operation = random_.below(4) == 0 ? any() : fitting(e);
        Step step{.execution = &e};
        step.reply = (this->*operation)(e, step.name);
        return step;
    }

  private:
    using Operation = RespValue (RandomLife::*)(Execution&, std::string&);

    Operation any() {
        static constexpr Operation kAll[] = {
            &RandomLife::create,  &RandomLife::take,     &RandomLife::take_resumed,
            &RandomLife::promote, &RandomLife::complete, &RandomLife::fail,
            &RandomLife::delay,   &RandomLife::children, &RandomLife::cancel,
            &RandomLife::expire,  &RandomLife::lose,     &RandomLife::revoke,
            &RandomLife::renew,   &RandomLife::replay,   &RandomLife::priority,
            &RandomLife::tags,    &RandomLife::progress, &RandomLife::fallback,
            &RandomLife::purge,   &RandomLife::take_over};
        return kAll[random_.below(std::size(kAll))];
    }

    /// One of the operations that the state asks for, so that the walk gets everywhere.
    Operation fitting(const Execution& e) {
        static constexpr Operation kLeased[] = {
            &RandomLife::complete, &RandomLife::fail,     &RandomLife::delay,
            &RandomLife::children, &RandomLife::lose,     &RandomLife::revoke,
            &RandomLife::progress, &RandomLife::fallback, &RandomLife::renew};
        const std::string state = e.core("public_state");
        if (state.empty()) return &RandomLife::create;
        if (state == "waiting") {
            return e.core("attempt_state") == "attempt_interrupted" ? &RandomLife::take_resumed
                                                                    : &RandomLife::take;
        }
        if (state == "delayed") return &RandomLife::promote;
        if (state == "waiting_children") return &RandomLife::cancel;
        if (state != "active") return coin() ? &RandomLife::replay : &RandomLife::purge;
        if (e.core("ownership_state") != "leased") return &RandomLife::take_over;
        return kLeased[random_.below(std::size(kLeased))];
    }

    std::string uuid() { return model::Uuid::mint_v4(random_).to_string(); }
    bool coin() { return random_.below(2) == 0; }
    ClaimArgs claim() {
        return {.worker = coin() ? "w1" : "w2",
                .timeout_ms = coin() ? "60000" : "",
                .lease_id = uuid(),
                .attempt_id = uuid()};
    }

    RespValue create(Execution& e, std::string& name) {
        name = "create";
        CreateArgs args{.priority = std::to_string(random_.below(9)),
                        .policy = R"({"retry_policy":{"max_retries":2},"fallback_policy":)"
                                  R"({"tiers":[{"model":"a"},{"model":"b","timeout_ms":70000}]}})"};
        if (coin()) args.delay_until = "+0";
        if (random_.below(4) == 0) args.hold = "dependencies";
        if (coin()) args.deadline = "+90000";
        if (coin()) args.tags = R"({"a":"b"})";
        return e.create(args);
    }
    RespValue take(Execution& e, std::string& name) {
        name = "claim";
        return e.take(claim());
    }
    RespValue take_resumed(Execution& e, std::string& name) {
        name = "claim_resumed";
        return e.take_resumed(claim());
    }
    RespValue take_over(Execution& e, std::string& name) {
        name = "reclaim";
        return e.take_over(claim());
    }
    RespValue promote(Execution& e, std::string& name) {
        name = "promote";
        if (coin() && e.core("public_state") == "delayed") e.set_core("delay_until", "1");
        return e.promote();
    }
    RespValue complete(Execution& e, std::string& name) {
        name = "complete";
        return e.complete(coin() ? "out" : "");
    }
    RespValue fail(Execution& e, std::string& name) {
        name = "fail";
        const std::string delay = coin() ? "0" : "60000";
        return e.fail({.retry_policy = R"({"max_retries":3,"backoff":{"type":"fixed","delay_ms":)" +
                                       delay + "}}"});
    }
    RespValue fallback(Execution& e, std::string& name) {
        name = "fallback";
        return e.fail({.retry_policy_source = "stored", .fallback_to = "next"});
    }
    RespValue delay(Execution& e, std::string& name) {
        name = "delay";
        return e.delay(coin() ? "+0" : "+60000");
    }
    RespValue children(Execution& e, std::string& name) {
        name = "children";
        return e.wait_for_children(coin() ? "1" : "");
    }
    RespValue cancel(Execution& e, std::string& name) {
        name = "cancel";
        return coin() ? e.cancel_fenced() : e.cancel("stop", "operator_override");
    }
    RespValue expire(Execution& e, std::string& name) {
        name = "expire";
        return e.expire(coin() ? "attempt_timeout" : "execution_deadline", coin() ? "1" : "");
    }
    RespValue lose(Execution& e, std::string& name) {
        name = "lose";
        if (e.core("lifecycle_phase") == "active" && e.core("ownership_state") == "leased") {
            e.set_core("lease_expires_at", "1");
            host_.command({"ZADD", e.index_key("lease_expiry"), "1", e.id()});
            host_.command({"ZADD", e.lane_key("active"), "1", e.id()});
        }
        return coin() ? e.mark_expired() : e.complete();
    }
    RespValue revoke(Execution& e, std::string& name) {
        name = "revoke";
        return e.revoke();
    }
    RespValue renew(Execution& e, std::string& name) {
        name = "renew";
        return e.renew("30000", e.core("current_attempt_index"), coin() ? "1" : "");
    }
    RespValue replay(Execution& e, std::string& name) {
        name = "replay";
        return e.replay("again", "me");
    }
    RespValue priority(Execution& e, std::string& name) {
        name = "priority";
        return e.change_priority(std::to_string(random_.below(100)));
    }
    RespValue tags(Execution& e, std::string& name) {
        name = "tags";
        return e.set_tags({"x.y", std::to_string(random_.below(3))});
    }
    RespValue progress(Execution& e, std::string& name) {
        name = "progress";
        return e.progress({"5", "", "", R"({"tokens":3})"});
    }
    RespValue purge(Execution& e, std::string& name) {
        name = "purge";
        return e.purge(coin() ? "0" : "60000");
    }

    Host& host_;
    SeededRandom random_;
    std::vector<Execution> executions_;
};

FF_CONTRACT_SUITE(Ch02Random, ExecutionContract);

std::optional<int> legal_number(const List& vector) {
    const auto parsed = model::StateVector::parse({.lifecycle_phase = vector[0],
                                                   .ownership_state = vector[1],
                                                   .eligibility_state = vector[2],
                                                   .blocking_reason = vector[3],
                                                   .terminal_outcome = vector[4],
                                                   .attempt_state = vector[5],
                                                   .public_state = vector[6]});
    return parsed ? model::legal_vector_number(*parsed) : std::nullopt;
}

/// Core and attempt tell of a first lease until the stream begins, and then it tells of all.
void check_lease_history(const Execution& e, std::int64_t epoch, const std::string& what) {
    const List events = e.lease_events();
    ASSERT_EQ(!events.empty(), e.core("has_lease_history") == "1") << what;
    if (events.empty()) {
        ASSERT_LE(epoch, 1) << what;
        const bool is_told =
            e.core("ownership_state") == "leased" ||
            (e.core("lifecycle_phase") == "terminal" && !e.core("last_release_lease_id").empty());
        ASSERT_EQ(epoch == 1, is_told) << what;
        return;
    }
    const auto taken = std::ranges::count_if(events, [](const std::string& event) {
        return event == "acquired" || event == "reclaimed";
    });
    ASSERT_EQ(taken, epoch) << what << " " << ::testing::PrintToString(events);
    const auto replays = std::ranges::count(events, "replay_initiated");
    ASSERT_EQ(std::to_string(replays),
              e.core("replay_count").empty() ? "0" : e.core("replay_count"))
        << what;
}

/// After every step the vector is legal, the indexes are those of the vector, and attempts and
/// epochs have only grown (E2 to E4, E8).
TEST_P(Ch02Random, EveryStepKeepsTheInvariants) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        RandomLife life(host(), another_tag(), seed);
        std::map<std::string, int> granted;
        std::map<std::string, std::int64_t> epochs;
        for (int i = 0; i < 400; ++i) {
            const RandomLife::Step step = life.next();
            const std::string what = step.name + " " + to_string(step.reply) + " seed " +
                                     std::to_string(seed) + " step " + std::to_string(i);
            ASSERT_FALSE(step.reply.is_error()) << what;
            if (element(step.reply, 1) == "1") ++granted[step.name];
            const Execution& e = *step.execution;
            if (e.core("lifecycle_phase").empty()) {
                epochs.erase(e.id());
                continue;
            }
            ASSERT_TRUE(legal_number(e.vector()).has_value())
                << what << " " << ::testing::PrintToString(e.vector());
            const RespValue check = e.reconcile("check");
            ASSERT_EQ(element(check, 3), "consistent") << what << " " << to_string(check);
            const std::int64_t epoch = std::stoll(e.core("current_lease_epoch"));
            ASSERT_GE(epoch, epochs[e.id()]) << what;
            epochs[e.id()] = epoch;
            const bool leased = e.core("ownership_state") == "leased";
            ASSERT_EQ(e.core("current_lease_id").empty(), e.core("ownership_state") == "unowned")
                << what;
            ASSERT_FALSE(exists(e.key("lease:current"))) << what;
            check_lease_history(e, epoch, what);
            if (leased) {
                const int index = std::stoi(e.core("current_attempt_index"));
                ASSERT_EQ(e.attempt(index, "attempt_state"), "started") << what;
                ASSERT_EQ(e.attempt(index, "lease_id"), e.core("current_lease_id")) << what;
            }
        }
        // The walk got everywhere.
        for (const char* name : {"create", "claim", "complete", "fail", "delay", "promote", "lose",
                                 "reclaim", "revoke", "cancel", "expire", "replay", "purge",
                                 "claim_resumed", "renew", "progress"}) {
            EXPECT_GT(granted[name], 0) << name << " was never granted, seed " << seed;
        }
    }
}

/// Times differ from host to host, and what is left of the timeouts above; everything else must
/// not.
std::string without_times(const std::string& text) {
    static const std::regex time("-?\\b\\d{12,16}\\b|\\b[56]9\\d{3}\\b|\\b[67]0000\\b");
    return std::regex_replace(text, time, "T");
}

std::string comparable(Host& host, const std::string& key, const std::string& type) {
    RespValue value = host.content(key, type);
    if (type == "stream") {
        for (RespValue& entry : value.items) {
            // The store numbers entries of one millisecond itself, except in feeds.
            if (key.find(":lease:history") != std::string::npos) entry.items.at(0).text = "";
            // Fields of a record come in no order where a table was walked.
            auto fields = pairs(entry.items.at(1));
            entry.items.at(1).items.clear();
            // The members of a JSON object, too.
            if (fields.contains("detail")) std::ranges::sort(fields["detail"]);
            for (const auto& [name, text] : fields) {
                entry.items.at(1).items.push_back(
                    {.kind = RespValue::Kind::Bulk, .text = name + "=" + text});
            }
        }
    }
    if (type == "zset") {
        std::map<std::string, std::string> members;
        for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
            members[value.items[i].text] = value.items[i + 1].text;
        }
        std::string out;
        for (const auto& [member, score] : members) out += member + " " + score + ", ";
        return type + " " + without_times(out);
    }
    return type + " " + without_times(to_string(value));
}

TEST(Ch01Hosts, S49_TheSameCallsGiveTheSameRepliesAndKeys) {
    constexpr int kSteps = 600;
    constexpr std::uint64_t kSeed = 49;
    // No test of this program reaches it.
    const std::string tag = "{fp:60000}";
    std::vector<std::string> replies;
    std::map<std::string, std::string> keys;
    for (const HostKind kind : all_hosts()) {
        Host& host = host_of(kind);
        RandomLife life(host, tag, kSeed);
        std::vector<std::string> own;
        for (int i = 0; i < kSteps; ++i) {
            const RandomLife::Step step = life.next();
            own.push_back(std::to_string(i) + " " + step.name + " " +
                          without_times(to_string(step.reply)));
        }
        std::map<std::string, std::string> own_keys;
        for (const auto& [key, type] : host.keys(tag)) own_keys[key] = comparable(host, key, type);
        if (replies.empty()) {
            replies = own;
            keys = own_keys;
            EXPECT_GT(keys.size(), 10U);
            continue;
        }
        EXPECT_EQ(own, replies) << to_string(kind);
        for (const auto& [key, content] : keys) EXPECT_EQ(own_keys[key], content) << key;
        EXPECT_EQ(own_keys.size(), keys.size()) << to_string(kind);
    }
}

}  // namespace
}  // namespace ff::contract
