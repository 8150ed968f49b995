#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "journal/committer.h"
#include "model/ids.h"
#include "model/partition.h"

namespace ff::simulation {

/// How often something happens, in ten thousand chances.
using Odds = std::uint32_t;

/// How long something takes: uniform between the two.
struct Span {
    std::chrono::microseconds least{0};
    std::chrono::microseconds most{0};
};

struct NetworkPlan {
    Span latency{};
    Odds request_lost = 0;
    Odds reply_lost = 0;
    Odds notice_lost = 0;
};

struct DiskPlan {
    journal::Fsync fsync = journal::Fsync::Always;
    Span tick{};
    Span commit{};
    std::uint64_t snapshot_log_bytes = 0;
    /// Between two events of each kind; zero for never.
    Millis full_every{0};
    Millis full_for{0};
    Millis failed_sync_every{0};
    Millis power_cut_every{0};
    Millis kill_every{0};
    Millis down_for{0};
    /// Of a start: first without one of its files.
    Odds lost_file = 0;
    /// Of a start: first with one of its logs cut short.
    Odds cut_file = 0;
    /// The clock of the store is set forward, or back.
    Millis clock_jump_every{0};
    Millis clock_jump_most{0};
    /// Of a start: the clock has leapt further than anybody believes meanwhile.
    Odds clock_leaps = 0;
    /// Somebody moves the log of a running store away.
    Millis log_away_every{0};
    /// What the store may use beside what it needs when it is empty; zero for no limit.
    std::uint64_t memory_room = 0;
};

/// What those who use the system do, as weights; zero for never.
struct CrowdPlan {
    std::uint32_t submitters = 1;
    std::uint32_t workers = 1;
    std::uint32_t approvers = 0;
    std::uint32_t operators = 0;
    std::uint32_t flow_authors = 0;
    std::uint32_t executions = 0;
    std::uint32_t batch_most = 1;
    std::uint32_t claim_most = 1;
    Millis lease_ttl{0};
    Millis think{0};
    std::uint32_t payload_most = 0;
    /// A reply that its asker never sees.
    Odds forgets_reply = 0;
    /// A worker that sleeps past its lease and acts then.
    Odds oversleeps = 0;
    /// A worker that drops what it holds.
    Odds vanishes = 0;
    Odds suspends = 0;
    Odds fails = 0;
    Odds gives_back = 0;
    Odds streams = 0;
    Odds spends = 0;
    Odds renews = 0;
    Odds completes_in_batches = 0;
    Odds delayed = 0;
    Odds keyed = 0;
    Odds retried = 0;
    Odds limited = 0;
    Odds deadline = 0;
    /// Work that may be taken over once, or never.
    Odds given_up = 0;
    /// A flow that gets edges while it runs.
    Odds grows = 0;
    /// Recorded while a task is in hand, and along with what gives it up.
    Odds steps = 0;
    /// Work that calls children and goes on when they have ended.
    Odds calls = 0;
    /// Who suspends asks a person.
    Odds asks = 0;
    /// Of replays: the new run has what the one before recorded and called.
    Odds keeps_steps = 0;
};

/// A budget and a quota for some of the work; zero for none.
struct LimitPlan {
    std::int64_t budget = 0;
    std::int64_t concurrent = 0;
    /// Let in within a second.
    std::int64_t rate = 0;
    /// A report of what was spent already.
    Odds spent = 0;
};

/// Everything about one run that is not decided while it runs. One seed draws all of it, so that
/// every run is another mix: a fault that is drowned by others in one is alone in the next.
struct Plan {
    static Plan draw(std::uint64_t seed);
    /// The same with little to do and a short time for it.
    Plan shortened() const;

    std::uint64_t seed = 0;
    std::uint32_t shards = 1;
    model::PartitionCounts partitions{};
    std::vector<std::string> lanes{};
    std::uint16_t lane_spread = 1;
    std::uint32_t servers = 1;
    /// The store lives in the servers' process, and they die together.
    bool one_process = true;
    /// How far the clocks of servers are off.
    Millis skew_most{0};
    Millis server_kill_every{0};
    NetworkPlan network{};
    DiskPlan disk{};
    CrowdPlan crowd{};
    LimitPlan limits{};
    /// How long there are faults.
    Millis chaos{0};
};

}  // namespace ff::simulation
