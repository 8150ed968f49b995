#include "host/shard.h"

#include <algorithm>

#include "base/log.h"
#include "base/steady_clock.h"
#include "base/thread_manners.h"
#include "host/resumer.h"
#include "model/transport_kind.h"
#include "store/reply_errors.h"

namespace ff::host {
namespace {

using namespace std::chrono_literals;

/// Active expiry looks this often at most: keys that are due do not exist for anybody anyway.
constexpr std::chrono::milliseconds kExpiryPause = 20ms;
/// How soon an idle shard looks whether the disk takes more of a snapshot.
constexpr std::chrono::milliseconds kSnapshotPause = 2ms;
constexpr std::chrono::hours kNoTimer{1};

}  // namespace

/// What waits for a tick to be stored.
class Shard::Batch final : public journal::Batch {
  public:
    Batch(ChannelHub& hub, SlowCalls* slow_calls) : hub_(hub), slow_calls_(slow_calls) {}

    void release(const Result<Done>& outcome) override {
        if (outcome.has_value())
            hub_.publish(messages);
        else if (!messages.empty())
            hub_.gap();
        Resumer resumer;
        const auto now = slow_calls_ == nullptr ? Time{} : SteadyClock::now();
        while (!works.empty()) {
            Work& work = works.pop_front();
            if (slow_calls_ != nullptr && slow_calls_->is_slow(work.times, now))
                slow_calls_->note(work.subject(), work.times, now);
            work.release(outcome, resumer);
        }
    }

    WorkList works{};
    std::vector<Message> messages{};

  private:
    ChannelHub& hub_;
    SlowCalls* slow_calls_;
};

struct Shard::Facts {
    std::atomic<std::uint64_t> commands{0};
    std::atomic<std::uint64_t> ticks{0};
    std::atomic<std::uint64_t> keys{0};
    std::atomic<std::uint64_t> keyspace_bytes{0};
    std::atomic<std::uint64_t> lua_bytes{0};
    std::atomic<std::uint64_t> waiting_reads{0};
};

Shard::Shard(ChannelHub& hub, const Clock& clock, ShardStateOptions state, ShardOptions options)
    : hub_(hub),
      clock_(clock),
      options_(std::move(options)),
      state_(hub, std::move(state)),
      queue_(options_.queue_max),
      facts_(std::make_unique<Facts>()) {}

Shard::~Shard() {
    stop();
}

void Shard::start(std::unique_ptr<journal::Committer> committer) {
    committer_ = std::move(committer);
    state_.keyspace().set_append_listener([this](std::string_view key) {
        if (!waiters_.empty()) appended_.emplace_back(key);
    });
    batch_ = std::make_unique<Batch>(hub_, options_.slow_calls);
    note_facts();
    if (!options_.by_hand) thread_ = std::thread([this] { loop(); });
}

Shard::Time Shard::next_turn() const {
    return queue_.size() > 0 ? Time::min() : next_wake();
}

Error Shard::cannot_write() const {
    return model::storage_error(model::TransportKind::TryAgain,
                                "MISCONF the journal cannot write: " + committer_->health().text);
}

Result<Done> Shard::submit(Work& work) {
    if (stopping_.load(std::memory_order_relaxed)) return store::shutting_down();
    if (work.needs_journal() && refuses()) return cannot_write();
    if (options_.slow_calls != nullptr) {
        work.times = {
            .submitted = SteadyClock::now(),
            .snapshots_before = CallTimes::Span(snapshot_ns_.load(std::memory_order_relaxed))};
    }
    switch (queue_.push(work)) {
        case WorkQueue::Push::Taken:
            if (options_.by_hand) options_.by_hand();
            return Done{};
        case WorkQueue::Push::Full:
            return model::storage_error(model::TransportKind::TryAgain,
                                        "TRYAGAIN the queue of the shard is full");
        case WorkQueue::Push::Closed:
            break;
    }
    return store::shutting_down();
}

void Shard::stop() {
    const bool stopped = stopping_.exchange(true);
    if (options_.by_hand && !stopped && batch_ != nullptr) wind_up();
    if (!thread_.joinable()) return;
    queue_.wake();
    thread_.join();
}

void Shard::loop() {
    take_precedence();
    while (!stopping_.load(std::memory_order_relaxed)) tick(queue_.take(next_wake()), false);
    wind_up();
}

void Shard::wind_up() {
    tick(queue_.close(), true);
    if (snapshot_open_) committer_->abandon_snapshot();
    if (committer_ != nullptr) committer_->stop();
}

void Shard::tick(WorkList works, bool last) {
    tick_time_ = SteadyClock::now();
    // Whether time leapt can be told only by looking.
    if (options_.beat.has_value()) static_cast<void>(clock_.now_us());
    if (refuses())
        refuse(works);
    else
        run_queued(works);
    expire();
    serve_waiters(last);
    commit();
    if (!last) continue_snapshot();
    note_facts();
}

void Shard::refuse(WorkList& works) {
    const Result<Done> outcome = cannot_write();
    Resumer resumer;
    while (!works.empty()) {
        Work& work = works.pop_front();
        if (work.needs_journal())
            work.release(outcome, resumer);
        else
            perform(work, Work::Wake::Start);
    }
}

void Shard::run_queued(WorkList& works) {
    auto begun = tick_time_;
    auto now = begun;
    while (!works.empty()) {
        Work& work = works.pop_front();
        const Time work_begun = now;
        const CallTimes::Span collected = state_.lua().collector_time();
        const bool is_done = perform(work, Work::Wake::Start);
        now = SteadyClock::now();
        // What waits for something else takes as long as that.
        if (is_done && options_.slow_calls != nullptr) {
            work.times.begun = work_begun;
            work.times.ended = now;
            work.times.snapshots_then =
                CallTimes::Span(snapshot_ns_.load(std::memory_order_relaxed));
            work.times.collector = state_.lua().collector_time() - collected;
        }
        if (batch_works_ < options_.tick_works_max && records_.bytes() < options_.tick_bytes_max &&
            now - begun < options_.tick_time_max)
            continue;
        commit();
        begun = now;
    }
}

bool Shard::perform(Work& work, Work::Wake why) {
    if (work.run(*this, why) == Work::Progress::Waiting) return false;
    batch_->works.push_back(work);
    ++batch_works_;
    return true;
}

void Shard::run(std::span<const std::string_view> argv, keyspace::ReplySink& reply) {
    begin_record();
    state_.execute(argv, clock_.now_us(), reply);
    end_record();
    note_memory();
    // Only this thread writes it, so it need not be one step.
    facts_->commands.store(facts_->commands.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
}

/// Effects are written where they will be stored from, and payloads, which are most of them, not at
/// all: the journal's thread, which has less to do, copies them from the arguments of the call.
void Shard::begin_record() {
    if (committer_ == nullptr) return;
    records_.begin();
    state_.keyspace().write_effects_to(&records_.buffer(), &records_.lent());
}

void Shard::end_record() {
    if (committer_ == nullptr) return state_.keyspace().clear_effects();
    state_.keyspace().write_effects_to(nullptr);
    records_.end_if_any();
}

bool Shard::wait(Work& work, std::span<const std::string_view> keys, ReadWaiters::Time until) {
    if (waiters_.size() >= options_.waiting_reads_max) return false;
    waiters_.add(work, keys, until);
    return true;
}

void Shard::end_wait(Work& work, std::uint64_t ticket) {
    // Only what still waits is known to be alive.
    if (!waiters_.contains(work) || work.ticket() != ticket) return;
    waiters_.remove(work);
    perform(work, Work::Wake::Stop);
}

void Shard::copy_journal(std::function<void(Result<journal::JournalCopy>)> done) {
    commit();
    committer_->begin_copy(std::move(done));
}

void Shard::expire() {
    keyspace::Keyspace& keyspace = state_.keyspace();
    const std::optional<Timestamp> due = keyspace.next_expiry();
    if (!due.has_value() || refuses()) return;
    const std::chrono::microseconds now = clock_.now_us();
    if (due->time_since_epoch() > now) return;
    begin_record();
    keyspace.expire_due(now, options_.expire_keys_max);
    end_record();
}

void Shard::serve_waiters(bool last) {
    woken_.clear();
    for (const std::string& key : appended_) waiters_.take_watching(key, woken_);
    appended_.clear();
    for (Work* work : woken_) perform(*work, Work::Wake::Append);
    woken_.clear();
    if (last)
        waiters_.take_all(woken_);
    else
        waiters_.take_due(SteadyClock::now(), woken_);
    for (Work* work : woken_) perform(*work, last ? Work::Wake::Stop : Work::Wake::Due);
}

void Shard::commit() {
    batch_->messages.swap(state_.published());
    if (batch_->works.empty() && records_.empty() && batch_->messages.empty()) return;
    facts_->ticks.fetch_add(1, std::memory_order_relaxed);
    std::unique_ptr<Batch> batch =
        std::exchange(batch_, std::make_unique<Batch>(hub_, options_.slow_calls));
    batch_works_ = 0;
    if (committer_ == nullptr) {
        batch->release(Done{});
        return;
    }
    const std::size_t bytes = records_.bytes();
    journal::Tick tick{.records = std::move(records_), .batch = std::move(batch)};
    // The next tick will be about as large as this one: it should not grow to that step by step.
    records_ = committer_->spare_records();
    records_.reserve(bytes);
    committer_->submit(std::move(tick));
}

std::uint64_t Shard::log_bytes_max() const {
    constexpr std::uint64_t kLeastShare = 4;
    const std::uint64_t data = state_.keyspace().memory_bytes();
    if (options_.recovery_target.count() == 0) return data;
    const auto seconds = static_cast<std::uint64_t>(options_.recovery_target.count());
    return std::clamp(replay_rate_ * seconds, data / kLeastShare, data);
}

void Shard::begin_snapshot() {
    const std::uint64_t log_bytes = committer_->replay_bytes();
    const std::uint64_t least =
        std::max({options_.snapshot_log_bytes, snapshot_not_before_.load(), log_bytes_max()});
    if (log_bytes <= least || snapshot_pending_.load() || refuses()) return;
    snapshot_pending_.store(true);
    snapshot_open_ = true;
    state_.keyspace().begin_snapshot();
    committer_->begin_snapshot([this, log_bytes](const Result<Done>& outcome) {
        if (!outcome.has_value()) {
            log::warn("host", "snapshot_failed", {{"why", outcome.error().text()}});
            snapshot_not_before_.store(log_bytes * 2);
        } else {
            snapshot_not_before_.store(0);
        }
        snapshot_pending_.store(false);
    });
}

void Shard::continue_snapshot() {
    if (committer_ == nullptr) return;
    if (!snapshot_open_) begin_snapshot();
    // The disk is slower than we are: serve commands meanwhile.
    if (!snapshot_open_ || !committer_->snapshot_has_room(options_.snapshot_slice_bytes)) return;
    ByteBuffer chunk;
    const auto begun = SteadyClock::now();
    const bool complete = state_.keyspace().snapshot_step(options_.snapshot_slice_bytes, chunk);
    const CallTimes::Span took = SteadyClock::now() - begun;
    snapshot_ns_.store(snapshot_ns_.load(std::memory_order_relaxed) + took.count(),
                       std::memory_order_relaxed);
    const bool accepted = chunk.empty() || committer_->write_snapshot_chunk(std::move(chunk));
    if (!accepted) {
        if (!complete) state_.keyspace().abort_snapshot();
        committer_->abandon_snapshot();
        snapshot_open_ = false;
    } else if (complete) {
        committer_->finish_snapshot();
        snapshot_open_ = false;
    }
}

Shard::Time Shard::next_wake() const {
    const Time now = SteadyClock::now();
    if (snapshot_open_) {
        const bool room = committer_->snapshot_has_room(options_.snapshot_slice_bytes);
        return room ? now : now + kSnapshotPause;
    }
    Time next = now + options_.beat.value_or(kNoTimer);
    if (const auto due = waiters_.next_due(); due.has_value()) next = std::min(next, *due);
    if (const auto expiry = state_.keyspace().next_expiry(); expiry.has_value()) {
        const std::chrono::milliseconds left = *expiry - clock_.now();
        next = std::min(next,
                        now + std::clamp<std::chrono::milliseconds>(left, kExpiryPause, kNoTimer));
    }
    return next;
}

/// After every command: one batch may be larger than what is kept in reserve for many ticks.
void Shard::note_memory() {
    if (options_.memory == nullptr) return;
    const std::size_t bytes = state_.keyspace().memory_bytes() + state_.lua().memory_bytes();
    options_.memory->add(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(told_bytes_));
    told_bytes_ = bytes;
}

void Shard::note_facts() {
    note_memory();
    const auto set = [](std::atomic<std::uint64_t>& fact, std::size_t value) {
        fact.store(value, std::memory_order_relaxed);
    };
    set(facts_->keys, state_.keyspace().key_count());
    set(facts_->keyspace_bytes, state_.keyspace().memory_bytes());
    set(facts_->lua_bytes, state_.lua().memory_bytes());
    set(facts_->waiting_reads, waiters_.size());
}

journal::Health Shard::health() const {
    return committer_ == nullptr ? journal::Health{} : committer_->health();
}

std::uint64_t Shard::replay_bytes() const {
    return committer_ == nullptr ? 0 : committer_->replay_bytes();
}

ShardFacts Shard::facts() const {
    const auto get = [](const std::atomic<std::uint64_t>& fact) {
        return fact.load(std::memory_order_relaxed);
    };
    const journal::CommitterCounts stored =
        committer_ == nullptr ? journal::CommitterCounts{} : committer_->counts();
    return ShardFacts{.commands = get(facts_->commands),
                      .ticks = get(facts_->ticks),
                      .keys = get(facts_->keys),
                      .keyspace_bytes = get(facts_->keyspace_bytes),
                      .lua_bytes = get(facts_->lua_bytes),
                      .journal_bytes = replay_bytes(),
                      .syncs = stored.syncs,
                      .sync_time = stored.sync_time,
                      .snapshots = stored.snapshots,
                      .waiting_reads = get(facts_->waiting_reads),
                      .queued = queue_.size()};
}

}  // namespace ff::host
