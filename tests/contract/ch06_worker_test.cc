#include "contract/contract.h"

namespace ff::contract {
namespace {

struct Registration {
    std::string worker = "pool";
    std::string boot{};
    std::string on_conflict{};
    std::string ttl_ms = "60000";
    std::string caps = "cpu,gpu";
};

/// The registry of one namespace, whose name no other test uses.
class WorkerContract : public Contract {
  protected:
    std::string name_space() const { return "ns-" + tag().substr(4, tag().size() - 5); }
    std::string key(const std::string& instance, const std::string& suffix,
                    const std::string& name = "") const {
        return "ff:worker:{" + (name.empty() ? name_space() : name) + "}:{" + instance +
               "}:" + suffix;
    }
    std::string workers(const std::string& name = "") const {
        return "ff:idx:{" + (name.empty() ? name_space() : name) + "}:workers";
    }
    List enroll(const std::string& instance, const Registration& args = {},
                const std::string& name = "") const {
        return flat(
            host().fcall("ff_register_worker",
                         {key(instance, "alive", name), key(instance, "caps", name), workers(name)},
                         {instance, args.worker, "a,b", args.caps, args.ttl_ms, "", args.boot,
                          args.on_conflict, "4"}));
    }
    List heartbeat(const std::string& instance, const std::string& boot = "") const {
        return flat(host().fcall("ff_heartbeat_worker",
                                 {key(instance, "alive"), key(instance, "caps")}, {"", boot}));
    }
    List mark_dead(const std::string& instance, const std::string& reason = "bye",
                   const std::string& boot = "") const {
        return flat(host().fcall("ff_mark_worker_dead",
                                 {key(instance, "alive"), key(instance, "caps"), workers()},
                                 {instance, reason, "", boot}));
    }
    RespValue list(const std::string& after = "", const std::string& limit = "") const {
        return host().fcall("ff_list_workers", {workers()}, {after, limit});
    }
};

FF_CONTRACT_SUITE(Ch06Worker, WorkerContract);

TEST_P(Ch06Worker, S57_AnotherBootIsADuplicateUntilItTakesOver) {
    EXPECT_EQ(enroll("i", {.boot = "b1"}), (List{"1", "OK", "registered"}));
    EXPECT_EQ(enroll("i", {.boot = "b1"}), (List{"1", "OK", "refreshed"}));
    EXPECT_EQ(enroll("i", {.boot = "b2"}), (List{"0", "duplicate_worker_instance", "b1"}));
    EXPECT_EQ(heartbeat("i", "b1"), (List{"1", "OK", "refreshed", "60000"}));
    EXPECT_EQ(enroll("i", {.boot = "b2", .on_conflict = "takeover"}),
              (List{"1", "OK", "refreshed"}));
    EXPECT_EQ(heartbeat("i", "b1"), (List{"1", "OK", "superseded"}));
    EXPECT_EQ(heartbeat("i", "b2"), (List{"1", "OK", "refreshed", "60000"}));
}

TEST_P(Ch06Worker, AnInstanceBelongsToOneWorkerWhileItLives) {
    enroll("i");
    EXPECT_EQ(enroll("i", {.worker = "other"}),
              (List{"0", "invalid_input", "instance_id reassigned"}));
    EXPECT_EQ(enroll("i"), (List{"1", "OK", "refreshed"}));
    mark_dead("i");
    EXPECT_EQ(enroll("i", {.worker = "other"}), (List{"1", "OK", "registered"}));
}

FF_CONTRACT_SUITE(Ch01Registry, WorkerContract);

TEST_P(Ch01Registry, S16_ARegistrationSharesTheSlotOfItsNamespace) {
    EXPECT_EQ(enroll("w{1}"), (List{"1", "OK", "registered"}));
    EXPECT_TRUE(exists("ff:worker:{" + name_space() + "}:{w{1}}:alive"));
    EXPECT_TRUE(exists("ff:worker:{" + name_space() + "}:{w{1}}:caps"));
    EXPECT_TRUE(in_set("ff:idx:{" + name_space() + "}:workers", "w{1}"));
    EXPECT_EQ(flat(list().items.at(3)).at(0), "w{1}");
}

TEST_P(Ch06Worker, S58_ASilentWorkerLeavesTheRegistry) {
    enroll("i", {.ttl_ms = "50"});
    enroll("j");
    await([this] { return !exists(key("i", "alive")); });
    EXPECT_EQ(heartbeat("i"), (List{"1", "OK", "not_registered"}));
    EXPECT_TRUE(in_set(workers(), "i"));
    const RespValue reply = list();
    ASSERT_EQ(reply.items.size(), 4U);
    EXPECT_EQ(flat(reply.items[3])[0], "j");
    EXPECT_FALSE(in_set(workers(), "i"));
    EXPECT_EQ(mark_dead("i"), (List{"1", "OK", "not_registered"}));
}

TEST_P(Ch06Worker, S59_NamespacesHaveRegistriesOfTheirOwn) {
    EXPECT_EQ(enroll("i"), (List{"1", "OK", "registered"}));
    EXPECT_EQ(enroll("i", {.worker = "other", .boot = "b"}, name_space() + "-b"),
              (List{"1", "OK", "registered"}));
    EXPECT_EQ(flat(list().items.at(3)).at(1), "pool");
    EXPECT_EQ(hash(key("i", "caps"))["worker_id"], "pool");
}

TEST_P(Ch06Worker, ListsInByteOrderPageByPage) {
    for (const char* id : {"b", "a", "B", "c", "\xc3\xa9"}) enroll(id);
    List seen;
    std::string after;
    do {
        const RespValue page = list(after, "2");
        after = element(page, 3);
        for (std::size_t i = 3; i < page.items.size(); ++i) seen.push_back(flat(page.items[i])[0]);
    } while (!after.empty());
    EXPECT_EQ(seen, (List{"B", "a", "b", "c", "\xc3\xa9"}));
    const List row = flat(list("", "1").items.at(3));
    ASSERT_EQ(row.size(), 8U);
    EXPECT_EQ((List{row.begin(), row.begin() + 5}), (List{"B", "pool", "a,b", "cpu,gpu", "60000"}));
    EXPECT_EQ(element(list("", "0"), 2), "invalid_input");
    EXPECT_EQ(element(list("", "1001"), 2), "invalid_input");
}

TEST_P(Ch06Worker, MarkingDeadNeedsTheRightBootAndLeavesAnEvent) {
    enroll("i", {.boot = "b1"});
    EXPECT_EQ(mark_dead("i", "old", "b0"), (List{"1", "OK", "not_registered"}));
    EXPECT_TRUE(exists(key("i", "alive")));
    EXPECT_EQ(mark_dead("i", std::string("a\x01z"))[1], "invalid_input");
    EXPECT_EQ(mark_dead("i", std::string(257, 'x'))[1], "invalid_input");
    EXPECT_EQ(mark_dead("i", "shutdown", "b1"), (List{"1", "OK", "marked"}));
    EXPECT_FALSE(exists(key("i", "alive")));
    EXPECT_FALSE(exists(key("i", "caps")));
    auto events = entries("ff:worker:{" + name_space() + "}:events");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0]["instance_id"], "i");
    EXPECT_EQ(events[0]["reason"], "shutdown");
}

TEST_P(Ch06Worker, ARegistrationIsBoundedAndExpiresWhole) {
    EXPECT_EQ(enroll("i", {.ttl_ms = "0"})[1], "invalid_input");
    EXPECT_EQ(enroll("i", {.ttl_ms = "86400001"})[1], "invalid_input");
    EXPECT_EQ(enroll("i", {.on_conflict = "maybe"})[1], "invalid_input");
    EXPECT_EQ(enroll("", {})[1], "invalid_input");
    EXPECT_EQ(enroll("i", {.caps = std::string(4097, 'c')}),
              (List{"0", "invalid_capabilities", "worker:too_many_bytes"}));
    EXPECT_FALSE(exists(workers()));
    enroll("i");
    EXPECT_GT(host().ttl_ms(key("i", "alive")).value_or(50'000 + 1), 50'000);
    EXPECT_GT(host().ttl_ms(key("i", "caps")).value_or(50'000 + 1), 50'000);
    EXPECT_EQ(hash(key("i", "caps"))["max_tasks"], "4");
}

}  // namespace
}  // namespace ff::contract
