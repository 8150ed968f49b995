#include "hub/waitpoints.h"

#include <algorithm>
#include <set>

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include "base/task_group.h"
#include "engine/suspend_execution.h"
#include "engine/waitpoint.h"
#include "hub/attempts.h"
#include "hub/feed_hub.h"
#include "hub/waitpoint_secrets.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

const std::string kSecret(64, 'a');
const std::string kOtherSecret(64, 'b');

/// Each test has a store of its own: secrets belong to all of it.
class WaitpointTest : public ::testing::TestWithParam<std::string> {
  protected:
    hub::SecretInstallation install(const std::string& secret = kSecret) {
        auto report = run(world.loop(), secrets.install("k1", secret));
        EXPECT_TRUE(report.has_value()) << report.error().text();
        return report.has_value() ? *report : hub::SecretInstallation{};
    }
    hub::RotationReport rotate(const std::string& kid, const std::string& secret,
                               Millis grace = Millis(600'000)) {
        hub::SecretRotation rotation{.new_kid = kid, .new_secret_hex = secret, .grace = grace};
        auto report = run(world.loop(), secrets.rotate(std::move(rotation)), Millis(60'000));
        EXPECT_TRUE(report.has_value()) << report.error().text();
        return report.has_value() ? *report : hub::RotationReport{};
    }
    engine::BoundWaitpoint suspend(const Attempt& attempt, const std::string& key,
                                   std::string condition) {
        engine::SuspendExecution suspend{
            .execution_id = attempt.task.execution_id,
            .attempt_index = attempt.task.attempt_index,
            .fence = attempt.task.fence,
            .suspension_id = model::SuspensionId::mint(world.random()),
            .waitpoint = {.id = model::WaitpointId::mint(world.random()),
                          .key = *model::WaitpointKey::parse(key)},
            .reason_code = "waiting_for_approval",
            .resume_condition_json = std::move(condition)};
        return world.must(std::move(suspend)).waitpoint;
    }
    engine::Signal signal_to(const Attempt& attempt, const engine::BoundWaitpoint& waitpoint,
                             std::string token) {
        return {.id = model::SignalId::mint(world.random()),
                .execution_id = attempt.task.execution_id,
                .waitpoint_id = waitpoint.id,
                .name = "approved",
                .source_type = "user",
                .source_identity = "alice",
                .token = std::move(token)};
    }
    hub::OpenWaitpoints list(hub::WaitpointListing listing) {
        auto open = run(world.loop(), waitpoints.list(std::move(listing)));
        EXPECT_TRUE(open.has_value()) << open.error().text();
        return open.has_value() ? *std::move(open) : hub::OpenWaitpoints{};
    }
    std::string secrets_key(std::uint16_t partition) {
        return model::IndexKeys(partition).waitpoint_hmac();
    }

    World world{GetParam()};
    hub::WaitpointSecrets secrets{world.random(), world.store(), world.partitions()};
    hub::Waitpoints waitpoints{world.random(), world.store()};
};

class Ch03Secrets : public WaitpointTest {};
class Ch04Rotation : public WaitpointTest {};
class Ch03Waitpoints : public WaitpointTest {};

TEST_P(Ch03Secrets, S24_APartitionThatAnotherRotatesIsLeftToIt) {
    install();
    const std::string lock = model::IndexKeys(3).rotate_lock();
    world.command({"SET", lock, "another"});
    const hub::RotationReport report = rotate("k2", kOtherSecret);
    EXPECT_EQ(report.in_progress, std::vector<std::uint16_t>{3});
    EXPECT_TRUE(report.failed.empty());
    EXPECT_EQ(report.rotated, 255);
    EXPECT_EQ(world.command({"GET", lock}).text(), "another");
    EXPECT_EQ(world.command({"EXISTS", model::IndexKeys(4).rotate_lock()}).as_integer(), 0);

    world.command({"DEL", lock});
    const hub::RotationReport again = rotate("k2", kOtherSecret);
    EXPECT_EQ(again.rotated, 256);
    auto kids = run(world.loop(), secrets.kids());
    ASSERT_TRUE(kids.has_value());
    ASSERT_EQ(kids->size(), 256U);
    for (const hub::PartitionKids& partition : *kids) {
        EXPECT_EQ(partition.kids.current_kid, "k2");
        ASSERT_EQ(partition.kids.retired.size(), 1U);
        EXPECT_EQ(partition.kids.retired.front().kid, "k1");
    }
}

boost::asio::awaitable<void> rotate_into(hub::WaitpointSecrets& secrets,
                                         std::optional<Result<hub::RotationReport>>& out,
                                         std::string kid) {
    hub::SecretRotation rotation{.new_kid = std::move(kid), .new_secret_hex = kOtherSecret};
    Result<hub::RotationReport> report = co_await secrets.rotate(std::move(rotation));
    out.emplace(std::move(report));
}

TEST_P(Ch03Secrets, S25_OneRotationAtATimeAndEachVerdict) {
    install();
    TaskGroup group(world.loop().get_executor(), "rotations");
    std::optional<Result<hub::RotationReport>> first;
    std::optional<Result<hub::RotationReport>> second;
    group.spawn(rotate_into(secrets, first, "k2"));
    group.spawn(rotate_into(secrets, second, "k2"));
    run(world.loop(), group.join(), Millis(60'000));
    ASSERT_TRUE(first->has_value());
    EXPECT_EQ((*first)->verdict(), hub::RotationReport::Verdict::Done);
    ASSERT_FALSE(second->has_value());
    EXPECT_EQ(second->error().code, "concurrency_limit_exceeded");

    const hub::RotationReport conflict = rotate("k2", kSecret);
    EXPECT_EQ(conflict.verdict(), hub::RotationReport::Verdict::Conflict);
    EXPECT_EQ(conflict.failed.size(), 256U);
    for (std::uint16_t i = 0; i < 256; ++i) {
        world.command({"DEL", secrets_key(i)});
        world.command({"SET", secrets_key(i), "no hash"});
    }
    EXPECT_EQ(rotate("k3", kSecret).verdict(), hub::RotationReport::Verdict::Failed);
}

TEST_P(Ch03Secrets, S26_ABootInstallsMatchesRepairsAndKeeps) {
    EXPECT_EQ(install().installed, 256);
    EXPECT_EQ(install().matched, 256);
    world.command({"HDEL", secrets_key(9), "secret:k1"});
    const hub::SecretInstallation repaired = install();
    EXPECT_EQ(repaired.repaired, 1);
    EXPECT_EQ(repaired.matched, 255);
    {
        const LogCapture logs;
        EXPECT_EQ(install(kOtherSecret).mismatched, 256);
        EXPECT_EQ(logs.count("\"level\":\"warn\""), 1U);
    }
    EXPECT_EQ(world.command({"HGET", secrets_key(9), "secret:k1"}).text(), kSecret);
    world.command({"DEL", secrets_key(100)});
    world.command({"SET", secrets_key(100), "no hash"});
    EXPECT_FALSE(run(world.loop(), secrets.install("k1", kSecret)).has_value());
    EXPECT_FALSE(run(world.loop(), secrets.install("k1", "")).has_value());
    EXPECT_FALSE(run(world.loop(), secrets.install("k1", "abc")).has_value());
}

TEST_P(Ch04Rotation, S59_ARotationIsAuditedWithoutItsSecret) {
    install();
    world.command({"DEL", secrets_key(7)});
    world.command({"SET", secrets_key(7), "no hash"});
    const LogCapture logs;
    const hub::RotationReport report = rotate("k2", kOtherSecret);
    EXPECT_EQ(report.failed, std::vector<std::uint16_t>{7});
    EXPECT_EQ(logs.count("\"event\":\"waitpoint_hmac_rotation_complete\""), 1U);
    EXPECT_EQ(logs.count("\"rotated\":255,\"failed_count\":1"), 1U);
    EXPECT_EQ(logs.count("\"event\":\"waitpoint_hmac_rotation_failed\""), 1U);
    EXPECT_EQ(logs.count("\"target\":\"audit\""), 2U);
    EXPECT_EQ(logs.count("\"event\":\"waitpoint_hmac_rotated\""), 255U);
    EXPECT_EQ(logs.count(kOtherSecret), 0U);
    EXPECT_EQ(logs.count(kSecret), 0U);
}

TEST_P(Ch03Waitpoints, S52_AnOldTokenIsShownUnderTheCurrentKidAndResumes) {
    install();
    const Attempt attempt = start_attempt(world, "a");
    const auto waitpoint = suspend(attempt, "review", R"({"required_signal_names":["approved"]})");
    rotate("k2", kOtherSecret, Millis(0));
    const auto open = list({.execution_id = attempt.task.execution_id});
    ASSERT_EQ(open.waitpoints.size(), 1U);
    const hub::OpenWaitpoint& shown = open.waitpoints.front();
    EXPECT_EQ(shown.token_kid, "k2");
    ASSERT_TRUE(shown.token.has_value());
    const auto receipt = world.must(
        engine::DeliverSignal{.signal = signal_to(attempt, waitpoint, shown.token->reveal())});
    EXPECT_EQ(receipt.effect, "resume_condition_satisfied");
}

TEST_P(Ch03Waitpoints, S53_TheListingShowsWhatIsOpen) {
    install();
    const Attempt attempt = start_attempt(world, "a");
    const model::ExecutionId& id = attempt.task.execution_id;
    const auto pending = [&](const char* key) {
        return world.must(engine::CreatePendingWaitpoint{
            .execution_id = id,
            .attempt_index = attempt.task.attempt_index,
            .waitpoint_id = model::WaitpointId::mint(world.random()),
            .waitpoint_key = *model::WaitpointKey::parse(key),
            .expires_at = *model::DueTime::parse("9000000000000", "expires_at"),
            .fence = attempt.task.fence});
    };
    pending("later");
    const auto closed = pending("closed");
    world.must(engine::CloseWaitpoint{
        .execution_id = id, .waitpoint_id = closed.id, .reason = "cancelled"});
    const auto torn = pending("torn");
    world.command({"HDEL", model::ExecKeys(id).waitpoint(torn.id), "waitpoint_token"});
    suspend(attempt, "review", R"({"required_signal_names":["approved","rejected"]})");

    const LogCapture logs;
    auto open = list({.execution_id = id});
    EXPECT_EQ(logs.count("waitpoint_without_token"), 1U);
    ASSERT_EQ(open.waitpoints.size(), 2U);
    std::ranges::sort(open.waitpoints, {}, &hub::OpenWaitpoint::key);
    EXPECT_EQ(open.waitpoints[0].key, "later");
    EXPECT_EQ(open.waitpoints[0].state, "pending");
    EXPECT_EQ(open.waitpoints[1].state, "active");
    EXPECT_EQ(open.waitpoints[1].required_signal_names,
              (std::vector<std::string>{"approved", "rejected"}));
    EXPECT_TRUE(open.waitpoints[1].created_at.has_value());

    const auto redacted = list({.execution_id = id, .omit_tokens = true});
    EXPECT_FALSE(redacted.waitpoints.front().token.has_value());
    EXPECT_EQ(redacted.waitpoints.front().token_fingerprint.size(), 16U);
    std::size_t found = 0;
    hub::WaitpointListing page{.execution_id = id, .examine_max = 1};
    for (int pages = 0; pages < 4; ++pages) {
        const auto part = list(page);
        found += part.waitpoints.size();
        page.after = part.next;
        EXPECT_EQ(part.next.has_value(), pages < 3);
    }
    EXPECT_EQ(found, 2U);
    const auto nobody =
        run(world.loop(), waitpoints.list({.execution_id = world.task(attempt.lane).execution_id}));
    ASSERT_FALSE(nobody.has_value());
    EXPECT_EQ(nobody.error().code, "execution_not_found");
}

TEST_P(Ch03Waitpoints, S59_NoLogLineShowsATokenOrASecret) {
    const LogCapture logs;
    install();
    const Attempt attempt = start_attempt(world, "a");
    const auto waitpoint = suspend(attempt, "review", R"({"required_signal_names":[]})");
    const std::string token = waitpoint.token.reveal();
    list({.execution_id = attempt.task.execution_id});
    std::string wrong = token;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    const auto refused =
        world.attempt(engine::DeliverSignal{.signal = signal_to(attempt, waitpoint, wrong)});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().text().find(wrong.substr(3)), std::string::npos);
    rotate("k2", kOtherSecret);
    world.must(engine::DeliverSignal{.signal = signal_to(attempt, waitpoint, token)});
    EXPECT_GT(logs.lines(), 0U);
    for (const std::string& hidden : {token.substr(3), wrong.substr(3), kSecret, kOtherSecret}) {
        EXPECT_EQ(logs.count(hidden), 0U);
    }
    EXPECT_EQ(waitpoint.token.to_string(), "k1:<REDACTED:len=40>");
}

TEST_P(Ch03Waitpoints, S60_OneSubscriptionSeesTheSignalsOfAllPartitions) {
    install();
    hub::FeedHub feeds(world.loop().get_executor(), world.store(), {});
    const hub::FeedFilter filter{.families = {hub::FeedFamily::SignalDelivery}};
    auto start = run(world.loop(), feeds.now(filter));
    ASSERT_TRUE(start.has_value());
    std::set<std::string> sent;
    for (int i = 0; i < 5; ++i) {
        const Attempt attempt = start_attempt(world, std::to_string(i));
        const auto waitpoint = suspend(attempt, "review", R"({"required_signal_names":[]})");
        engine::Signal signal = signal_to(attempt, waitpoint, waitpoint.token.reveal());
        sent.insert(signal.id.to_string());
        world.must(engine::DeliverSignal{.signal = signal});
        EXPECT_TRUE(world.must(engine::DeliverSignal{.signal = signal}).duplicate);
    }
    std::multiset<std::string> seen;
    hub::FeedCursor cursor = *start;
    while (seen.size() < sent.size()) {
        hub::FeedSubscription resumed(filter, cursor);
        const Deadline until = Deadline::after(Millis(10'000));
        auto page = run(world.loop(), feeds.next(resumed, 2, until), Millis(30'000));
        ASSERT_TRUE(page.has_value());
        ASSERT_FALSE(page->events.empty());
        for (const hub::FeedEvent& event : page->events) {
            seen.emplace(event.entry.field("signal_id"));
            EXPECT_EQ(event.entry.field("effect_class"), "satisfied");
        }
        cursor = *hub::FeedCursor::parse(page->cursor.to_string());
    }
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), sent);
    EXPECT_EQ(seen.size(), sent.size());
    run(world.loop(), feeds.stop());
}

class WaitpointOperations : public WaitpointTest {};

TEST_P(WaitpointOperations, DeliverByKeyOrToTheOnlyOneThatIsOpen) {
    install();
    const Attempt attempt = start_attempt(world, "a");
    const auto waitpoint = suspend(attempt, "review", R"({"required_signal_names":["approved"]})");
    engine::Signal signal = signal_to(attempt, waitpoint, waitpoint.token.reveal());
    signal.waitpoint_id = model::WaitpointId::mint(world.random());
    const auto wrong =
        run(world.loop(), waitpoints.deliver_to(*model::WaitpointKey::parse("other"), signal));
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().code, "ambiguous_target");
    const auto right =
        run(world.loop(), waitpoints.deliver_to(*model::WaitpointKey::parse("review"), signal));
    ASSERT_TRUE(right.has_value()) << right.error().text();
    EXPECT_EQ(right->effect, "resume_condition_satisfied");
    const auto late = run(world.loop(), waitpoints.deliver_to(std::nullopt, signal));
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().code, "ambiguous_target");
}

TEST_P(WaitpointOperations, AnApprovalNeedsNoTokenAndCountsOnce) {
    install();
    const Attempt attempt = start_attempt(world, "a");
    const auto waitpoint = suspend(attempt, "review", R"({"required_signal_names":["approved"]})");
    const hub::Approval approval{.execution_id = attempt.task.execution_id,
                                 .waitpoint_id = waitpoint.id,
                                 .signal_name = "approved",
                                 .idempotency_suffix = "form-7",
                                 .actor = "operator-1"};
    hub::Approval unknown = approval;
    unknown.waitpoint_id = model::WaitpointId::mint(world.random());
    const auto nobody = run(world.loop(), waitpoints.approve(unknown));
    ASSERT_FALSE(nobody.has_value());
    EXPECT_EQ(nobody.error().code, "waitpoint_not_found");
    const auto receipt = run(world.loop(), waitpoints.approve(approval));
    ASSERT_TRUE(receipt.has_value()) << receipt.error().text();
    EXPECT_EQ(receipt->effect, "resume_condition_satisfied");
    EXPECT_EQ(world.core_field(attempt.task.execution_id, "public_state"), "waiting");
    const auto again = run(world.loop(), waitpoints.approve(approval));
    ASSERT_TRUE(again.has_value()) << again.error().text();
    EXPECT_TRUE(again->duplicate);
}

constexpr auto kName = [](const auto& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Hosts, Ch03Secrets, ::testing::Values("embedded", "valkey", "cluster"),
                         kName);
INSTANTIATE_TEST_SUITE_P(Hosts, Ch04Rotation, ::testing::Values("embedded", "valkey", "cluster"),
                         kName);
INSTANTIATE_TEST_SUITE_P(Hosts, Ch03Waitpoints, ::testing::Values("embedded", "valkey", "cluster"),
                         kName);
INSTANTIATE_TEST_SUITE_P(Hosts, WaitpointOperations,
                         ::testing::Values("embedded", "valkey", "cluster"), kName);

}  // namespace
}  // namespace ff::testing
