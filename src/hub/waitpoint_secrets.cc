#include "hub/waitpoint_secrets.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/bytes.h"
#include "base/log.h"
#include "base/steady_clock.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/index_keys.h"

namespace ff::hub {
namespace {

constexpr std::uint16_t kInFlight = 16;
constexpr Millis kLockTtl{10'000};

constexpr std::size_t kKidMost = 128;
constexpr std::size_t kSecretDigitsMost = 1024;

Result<Done> check(std::string_view kid, std::string_view secret_hex) {
    const bool printable = std::ranges::all_of(kid, [](char c) { return c > ' ' && c <= '~'; });
    if (kid.empty() || kid.size() > kKidMost || !printable || kid.find(':') != kid.npos)
        return model::make_error("invalid_kid");
    if (secret_hex.empty() || secret_hex.size() > kSecretDigitsMost || !from_hex(secret_hex))
        return model::make_error("invalid_secret_hex");
    return Done{};
}

std::string lock_token(Random& random) {
    std::array<std::uint8_t, 16> bytes{};
    random.fill(bytes);
    return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void count_failure(std::uint16_t partition, const Error& error, RotationReport& report) {
    report.failed.push_back(partition);
    if (error.code == "rotation_conflict") ++report.conflicts;
    if (error.cls == ErrorClass::Retryable) ++report.retryable;
    log::error("audit", "waitpoint_hmac_rotation_failed",
               {{"partition", partition}, {"err", error.code}});
}

void log_rotation(const RotationReport& report, std::uint16_t partitions,
                  SteadyClock::duration took) {
    if (report.timed_out) {
        log::error("audit", "waitpoint_hmac_rotation_timeout_http_504",
                   {{"new_kid", report.new_kid},
                    {"timeout_s", std::chrono::floor<std::chrono::seconds>(took).count()}});
    }
    log::info("audit", "waitpoint_hmac_rotation_complete",
              {{"new_kid", report.new_kid},
               {"total_partitions", partitions},
               {"rotated", report.rotated},
               {"failed_count", report.failed.size()},
               {"in_progress_count", report.in_progress.size()}});
}

void log_installation(const SecretInstallation& report) {
    if (report.installed + report.matched > 0) {
        log::info("hub", "waitpoint_secrets_in_place",
                  {{"installed", report.installed}, {"match", report.matched}});
    }
    if (report.repaired > 0)
        log::warn("hub", "waitpoint_secrets_repaired", {{"partitions", report.repaired}});
    if (report.mismatched > 0) {
        log::warn("hub", "waitpoint_secrets_mismatch",
                  {{"partitions", report.mismatched},
                   {"consequence", "the stored secret is kept; a rotation synchronises it"}});
    }
}

void count(const std::string& result, SecretInstallation& report) {
    if (result == "installed") ++report.installed;
    if (result == "match") ++report.matched;
    if (result == "repaired") ++report.repaired;
    if (result == "mismatch") ++report.mismatched;
}

}  // namespace

RotationReport::Verdict RotationReport::verdict() const {
    if (timed_out) return Verdict::TimedOut;
    if (rotated > 0 || failed.empty()) return Verdict::Done;
    return conflicts == failed.size() ? Verdict::Conflict : Verdict::Failed;
}

WaitpointSecrets::WaitpointSecrets(Random& random, store::Store& store,
                                   model::PartitionConfig partitions)
    : random_(random), store_(store), partitions_(partitions) {}

std::uint16_t WaitpointSecrets::end_of(std::uint16_t first) const {
    const int end = std::min(first + kInFlight, int{partitions_.num_flow_partitions()});
    return static_cast<std::uint16_t>(end);
}

Task<SecretInstallation> WaitpointSecrets::install(std::string kid, std::string secret_hex) {
    FF_CO_CHECK(check(kid, secret_hex));
    const engine::InitWaitpointSecret secret{.partition = model::PartitionKey::flow(0),
                                             .kid = std::move(kid),
                                             .secret_hex = std::move(secret_hex)};
    SecretInstallation report;
    for (std::uint16_t first = 0; first < partitions_.num_flow_partitions();
         first = end_of(first)) {
        FF_CO_CHECK(co_await install_some(first, secret, report));
    }
    log_installation(report);
    co_return report;
}

Task<Done> WaitpointSecrets::install_some(std::uint16_t first,
                                          const engine::InitWaitpointSecret& secret,
                                          SecretInstallation& report) {
    std::vector<engine::InitWaitpointSecret> operations(end_of(first) - first, secret);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        operations[i].partition = model::PartitionKey::flow(static_cast<std::uint16_t>(first + i));
    }
    auto outcomes = co_await engine::run_all(store_, std::move(operations));
    for (auto& outcome : outcomes) {
        if (!outcome.has_value()) co_return std::move(outcome).error().within("waitpoint secrets");
        count(outcome->result, report);
    }
    co_return Done{};
}

Task<RotationReport> WaitpointSecrets::rotate(SecretRotation rotation) {
    FF_CO_CHECK(check(rotation.new_kid, rotation.new_secret_hex));
    if (rotating_) co_return model::make_error("concurrency_limit_exceeded", {"admin_rotate", "1"});
    rotating_ = true;
    const auto began = SteadyClock::now();
    RotationReport report{.new_kid = rotation.new_kid};
    for (std::uint16_t first = 0; first < partitions_.num_flow_partitions();
         first = end_of(first)) {
        report.timed_out = rotation.until.passed();
        if (report.timed_out) break;
        co_await rotate_some(first, rotation, report);
    }
    rotating_ = false;
    log_rotation(report, partitions_.num_flow_partitions(), SteadyClock::now() - began);
    co_return report;
}

boost::asio::awaitable<void> WaitpointSecrets::rotate_some(std::uint16_t first,
                                                           const SecretRotation& rotation,
                                                           RotationReport& report) {
    const std::string token = lock_token(random_);
    const std::vector<std::uint16_t> locked = co_await lock_some(first, token, report);
    std::vector<engine::RotateWaitpointSecret> operations;
    for (const std::uint16_t partition : locked) {
        operations.push_back({.partition = model::PartitionKey::flow(partition),
                              .new_kid = rotation.new_kid,
                              .new_secret_hex = rotation.new_secret_hex,
                              .grace = rotation.grace,
                              .lock_token = token});
    }
    const auto outcomes = co_await engine::run_all(store_, std::move(operations));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].has_value()) {
            ++report.rotated;
            log::debug("hub", "waitpoint_hmac_rotated", {{"partition", locked[i]}});
            continue;
        }
        count_failure(locked[i], outcomes[i].error(), report);
    }
}

/// The partitions whose lock is ours now.
boost::asio::awaitable<std::vector<std::uint16_t>> WaitpointSecrets::lock_some(
    std::uint16_t first, std::string token, RotationReport& report) {
    std::vector<store::Call> calls;
    for (std::uint16_t partition = first; partition < end_of(first); ++partition) {
        const std::string ttl = std::to_string(kLockTtl.count());
        calls.push_back(store::plain(
            {"SET", model::IndexKeys(partition).rotate_lock(), token, "NX", "PX", ttl}));
    }
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    std::vector<std::uint16_t> locked;
    for (std::size_t i = 0; i < replies.size(); ++i) {
        const auto partition = static_cast<std::uint16_t>(first + i);
        if (!replies[i].has_value()) {
            count_failure(partition, replies[i].error(), report);
        } else if (replies[i]->is_null()) {
            report.in_progress.push_back(partition);
            log::debug("hub", "waitpoint_hmac_rotation_in_progress_skipped",
                       {{"partition", partition}});
        } else {
            locked.push_back(partition);
        }
    }
    co_return locked;
}

Task<std::vector<PartitionKids>> WaitpointSecrets::kids() {
    std::vector<engine::ListWaitpointKids> operations;
    for (std::uint16_t i = 0; i < partitions_.num_flow_partitions(); ++i) {
        operations.push_back({.partition = model::PartitionKey::flow(i)});
    }
    auto outcomes = co_await engine::run_all(store_, std::move(operations));
    std::vector<PartitionKids> kids;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (!outcomes[i].has_value()) co_return std::move(outcomes[i]).error();
        kids.push_back(
            {.partition = static_cast<std::uint16_t>(i), .kids = *std::move(outcomes[i])});
    }
    co_return kids;
}

}  // namespace ff::hub
