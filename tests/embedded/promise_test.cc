// Libraries with a planted fault: what a function answers must be what it has written.
#include "base/random.h"
#include "engine/claim_batch.h"
#include "engine/complete_and_claim.h"
#include "engine/create_batch.h"
#include "engine/operation.h"
#include "journal/fault_file_system.h"
#include "model/function_catalogue.h"
#include "model/library.h"
#include "store_fixture.h"

namespace ff::host {
namespace {

struct Fault {
    std::string_view name{};
    std::string_view line{};
    std::string_view instead{};
};

/// The library with one line changed, which must occur once.
std::string broken_library(const Fault& fault) {
    std::string text = model::library_text();
    const std::size_t at = text.find(fault.line);
    EXPECT_NE(at, std::string::npos) << fault.name;
    EXPECT_EQ(text.find(fault.line, at + 1), std::string::npos) << fault.name;
    return text.replace(at, fault.line.size(), fault.instead);
}

constexpr Fault kNoCore{"no core", "    change.settle(u)\n    return {1, \"OK\", e, state}",
                        "    u.cores.n = u.cores.n - 4\n    return {1, \"OK\", e, state}"};
constexpr Fault kNoPayload{"no payload", "if a.payload_len > 0 then\n        unit.early(",
                           "if a.payload_len < 0 then\n        unit.early("};
constexpr Fault kOtherState{"another state", "return {1, \"OK\", e, state}",
                            "return {1, \"OK\", e, \"delayed\"}"};
constexpr Fault kNoLease{"no lease", "set.current_lease_id = claim.lease_id",
                         "set.current_lease_id = \"\""};
constexpr Fault kNoEnd{"no end", "    write(u, set, \"terminal\", \"unowned\",",
                       "    write(u, set, \"runnable\", \"unowned\","};

class Promises : public ::testing::Test {
  protected:
    ~Promises() override { store_.reset(); }

    void open(std::string library) {
        store_.reset();
        auto opened = EmbeddedStore::open({.folder = "data",
                                           .shards = 1,
                                           .library = std::move(library),
                                           .files = files_.get(),
                                           .on_undone = [this](const UndoneCall& call) {
                                               undone_.emplace_back(std::string(call.function),
                                                                    call.broke_promise);
                                           }});
        ASSERT_TRUE(opened.has_value()) << opened.error().text();
        store_ = std::move(*opened);
    }
    void reopen(std::string library) {
        store_.reset();
        files_ = files_->crash(1);
        open(std::move(library));
    }
    template <class Op>
    Result<typename Op::Outcome> run(const Op& operation) {
        FF_TRY(const store::Reply reply,
               store_->call_and_wait(engine::to_call(operation, Deadline::never())));
        return operation.read(reply);
    }
    engine::CreateExecution task() {
        return {.execution_id = *model::ExecutionId::parse(
                    "{fp:1}:" + model::Uuid::mint_v4(random_).to_string()),
                .ns = *model::Namespace::parse("test"),
                .lane = *model::LaneId::parse("main"),
                .execution_kind = "k",
                .payload = "a payload"};
    }
    engine::CreateBatch batch() {
        return {.partition = model::PartitionKey::flow(1), .executions = {task(), task(), task()}};
    }
    engine::ClaimBatch claim(std::size_t tasks = 1) {
        engine::ClaimBatch claim{.partition = model::PartitionKey::flow(1),
                                 .worker_id = *model::WorkerId::parse("w"),
                                 .worker_instance_id = *model::WorkerInstanceId::parse("w-1"),
                                 .lane = *model::LaneId::parse("main"),
                                 .reclaim_first = false};
        for (std::size_t i = 0; i < tasks; ++i)
            claim.leases.push_back({.lease_id = model::LeaseId::mint(random_),
                                    .attempt_id = model::AttemptId::mint(random_)});
        return claim;
    }
    std::vector<std::string> keys() {
        std::vector<std::string> names;
        for (const KeyFacts& fact : store_->keys()) names.push_back(fact.key);
        std::ranges::sort(names);
        return names;
    }
    std::string core() {
        std::string all;
        for (const std::string& key : keys())
            if (key.ends_with(":core"))
                all += shown(store_->call_and_wait(words({"HGETALL", key})));
        return all;
    }
    /// The call fails in a way that may be tried again, and is as if it had not been.
    template <class Op>
    void expect_undone(const Op& operation, std::string_view function, std::string_view why) {
        const std::vector<std::string> keys_before = keys();
        const std::string core_before = core();
        const std::uint64_t broken = store_->broken_promises();
        const auto outcome = run(operation);
        ASSERT_FALSE(outcome.has_value());
        EXPECT_EQ(outcome.error().kind, "try_again");
        EXPECT_NE(outcome.error().message.find("postcondition_failed"), std::string::npos);
        EXPECT_NE(outcome.error().message.find(why), std::string::npos) << outcome.error().message;
        EXPECT_EQ(keys(), keys_before);
        EXPECT_EQ(core(), core_before);
        EXPECT_EQ(store_->broken_promises(), broken + 1);
        ASSERT_FALSE(undone_.empty());
        EXPECT_EQ(undone_.back(), (std::pair{std::string(function), true}));
    }

    SeededRandom random_{7};
    std::unique_ptr<journal::FaultyFileSystem> files_ =
        std::make_unique<journal::FaultyFileSystem>();
    std::unique_ptr<EmbeddedStore> store_{};
    /// Written by the shard before the call is answered.
    std::vector<std::pair<std::string, bool>> undone_{};
};

TEST_F(Promises, ACreationWithoutItsRecordsIsNotAcknowledged) {
    for (const auto& [fault, why] : {std::pair{kNoCore, "the core was not written"},
                                     std::pair{kNoPayload, "the payload was not stored"},
                                     std::pair{kOtherState, "says another state than the reply"}}) {
        SCOPED_TRACE(fault.name);
        open(broken_library(fault));
        expect_undone(task(), "ff_create_execution", why);
        expect_undone(batch(), "ff_create_batch", why);
        reopen(model::library_text());
        EXPECT_TRUE(keys().empty()) << "nothing of them was stored, either";
    }
    const auto created = run(batch());
    EXPECT_TRUE(created.has_value()) << created.error().text();
}

TEST_F(Promises, AClaimWithoutItsLeaseIsNotAcknowledged) {
    open(broken_library(kNoLease));
    ASSERT_TRUE(run(batch()).has_value());
    const std::string before = core();
    expect_undone(claim(2), "ff_claim_batch", "does not hold the lease");
    expect_undone(engine::CompleteAndClaim{.claim = claim(2)}, "ff_complete_and_claim",
                  "does not hold the lease");
    reopen(model::library_text());
    EXPECT_EQ(core(), before);
    const auto claimed = run(claim(3));
    ASSERT_TRUE(claimed.has_value()) << claimed.error().text();
    EXPECT_EQ(claimed->claimed.size(), 3U);
}

TEST_F(Promises, ACompletionThatDoesNotEndIsNotAcknowledged) {
    open(broken_library(kNoEnd));
    ASSERT_TRUE(run(task()).has_value());
    const auto claimed = run(claim());
    ASSERT_TRUE(claimed.has_value()) << claimed.error().text();
    ASSERT_EQ(claimed->claimed.size(), 1U);
    const engine::CompleteExecution completion{.execution_id = claimed->claimed[0].execution_id,
                                               .fence = claimed->claimed[0].fence,
                                               .result = "done"};
    const std::string before = core();
    expect_undone(completion, "ff_complete_execution", "has not ended");
    expect_undone(engine::CompleteAndClaim{.claim = claim(), .completions = {completion}},
                  "ff_complete_and_claim", "has not ended");
    reopen(model::library_text());
    EXPECT_EQ(core(), before);
    EXPECT_TRUE(run(completion).has_value()) << "the lease holds, so it may be tried again";
}

TEST_F(Promises, RepeatedAndRefusedCallsPromiseNothing) {
    open(model::library_text());
    const engine::CreateExecution first = task();
    EXPECT_TRUE(run(first).has_value());
    EXPECT_TRUE(run(first).has_value()) << "a duplicate writes nothing";
    EXPECT_TRUE(run(claim(5)).has_value()) << "fewer than asked for";
    EXPECT_TRUE(run(claim(5)).has_value()) << "none";
    EXPECT_EQ(store_->broken_promises(), 0U);
    EXPECT_TRUE(undone_.empty());
}

/// What a client of the RESP door may send: any names, any order.
class PlainCalls : public Promises {
  protected:
    void SetUp() override { open(model::library_text()); }
    std::string call(const std::vector<std::string>& command) {
        return shown(store_->call_and_wait(words(command)));
    }
    void expect_no_alarm() {
        EXPECT_EQ(store_->broken_promises(), 0U);
        EXPECT_TRUE(undone_.empty());
    }
};

TEST_F(PlainCalls, AChargeOfNothingWritesNothing) {
    EXPECT_EQ(call({"FCALL", "ff_create_budget", "5", "ff:budget:{b:0}:b1",
                    "ff:budget:{b:0}:b1:limits", "ff:budget:{b:0}:b1:usage",
                    "ff:idx:{b:0}:budget_resets", "ff:idx:{b:0}:budget_policies", "b1", "lane",
                    "main", "strict", "fail", "warn", "0", "1000", "0"})
                  .substr(0, 10),
              "[1, \"OK\", ");
    EXPECT_EQ(call({"FCALL", "ff_report_usage_and_check", "3", "ff:budget:{b:0}:b1:usage",
                    "ff:budget:{b:0}:b1:limits", "ff:budget:{b:0}:b1", "0", "1000"}),
              "[1, \"OK\"]");
    EXPECT_EQ(call({"FCALL", "ff_record_spend", "5", "ff:budget:{b:0}:b1:usage",
                    "ff:budget:{b:0}:b1:limits", "ff:budget:{b:0}:b1", "ff:budget:{b:0}:b1:ledger",
                    "ff:budget:{b:0}:b1:ledger_index", "0", "1000", "", ""}),
              "[1, \"OK\"]");
    expect_no_alarm();
    EXPECT_EQ(call({"EXISTS", "ff:budget:{b:0}:b1:usage"}), "0");
}

TEST_F(PlainCalls, WorkThatIsBlockedTwiceAtTheSameTimeIsAsItWas) {
    const engine::CreateExecution work = task();
    ASSERT_TRUE(run(work).has_value());
    const std::string id = work.execution_id.to_string();
    const std::string core_key = "ff:exec:{fp:1}:" + id + ":core";
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(call({"FCALL", "ff_block_execution_for_admission", "3", core_key,
                        "ff:idx:{fp:1}:lane:main:eligible", "ff:noop:{fp:1}", id,
                        "waiting_for_budget", "b1", "1000"}),
                  "[1, \"OK\", \"blocked\"]");
    }
    expect_no_alarm();
}

TEST_F(PlainCalls, WrongNamesOfRecordsAreRefused) {
    const std::string secret(64, 'a');
    const std::string refused = "[0, \"invalid_input\"";
    const auto starts = [&refused](const std::string& reply) {
        return reply.substr(0, refused.size());
    };
    EXPECT_EQ(starts(call({"FCALL", "ff_init_waitpoint_hmac_secret", "1", "{fp:1}", "k1", secret})),
              refused);
    EXPECT_EQ(starts(call({"FCALL", "ff_rotate_waitpoint_hmac_secret", "1", "any{fp:1}", "k1",
                           secret, "1000"})),
              refused);
    EXPECT_EQ(starts(call({"FCALL", "ff_remint_waitpoint_token", "2", "any{fp:1}",
                           "ff:sec:{fp:1}:waitpoint_hmac", "e", "w"})),
              refused);
    EXPECT_EQ(starts(call({"FCALL", "ff_set_flow_tags", "2", "ff:flow:x{fp:1}:f:core",
                           "ff:flow:{fp:1}:f:tags", "a.b", "c"})),
              refused);
    expect_no_alarm();
    EXPECT_TRUE(keys().empty());
}

TEST(FunctionPromises, EveryFunctionThatWritesMakesOneOrSaysWhyNot) {
    for (const model::FunctionInfo& function : model::function_catalogue()) {
        const bool promises = function.promise != model::Promise::None;
        if (function.read_only) {
            EXPECT_FALSE(promises) << function.name;
        } else {
            EXPECT_NE(promises, !function.promise_note.empty()) << function.name;
        }
    }
}

}  // namespace
}  // namespace ff::host
