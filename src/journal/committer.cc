#include "journal/committer.h"

#include "base/assert.h"
#include "journal/commit_loop.h"

namespace ff::journal {

bool Committer::Impl::is_full(std::size_t more) const {
    return record_bytes > 0 && record_bytes + more > options.queue_bytes_max &&
           health.state == Health::State::Good && !stopping;
}

void Committer::Impl::push(std::unique_lock<std::mutex>& lock, Item item) {
    if (const Tick* tick = std::get_if<Tick>(&item)) {
        record_bytes += tick->records.bytes();
        queued_records += tick->records.count();
    }
    queue.push_back(std::move(item));
    const bool wake = waiting && queued_records >= wake_at_records;
    if (wake) waiting = false;
    lock.unlock();
    if (wake) work_came.notify_one();
}

bool Committer::Impl::can_release_at_once(const Tick& tick) const {
    return tick.records.empty() && !busy && queue.empty() && health.state == Health::State::Good;
}

Committer::Committer(std::unique_ptr<Journal> journal, CommitterOptions options)
    : journal_(std::move(journal)),
      impl_(std::make_unique<Impl>(*journal_, std::move(options), healthy_)) {
    if (!impl_->options.by_hand) impl_->thread = std::thread([this] { impl_->run(); });
}

Committer::~Committer() {
    stop();
}

void Committer::submit(Tick tick) {
    std::unique_lock lock(impl_->mutex);
    const std::size_t bytes = tick.records.bytes();
    impl_->room_came.wait(lock, [&] { return !impl_->is_full(bytes); });
    if (impl_->stopped) {
        lock.unlock();
        return tick.batch->release(refused("the store has stopped"));
    }
    if (impl_->can_release_at_once(tick)) {
        ++impl_->counts.ticks;
        lock.unlock();
        return tick.batch->release(Done{});
    }
    impl_->push(lock, std::move(tick));
}

bool Committer::try_submit(Tick& tick) {
    {
        const std::lock_guard lock(impl_->mutex);
        if (impl_->is_full(tick.records.bytes())) return false;
    }
    // Nobody else submits, so the room that was there still is.
    submit(std::move(tick));
    return true;
}

Records Committer::spare_records() {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->spares.empty()) return {};
    Records spare = std::move(impl_->spares.back());
    impl_->spares.pop_back();
    impl_->spare_bytes -= spare.capacity();
    return spare;
}

void Committer::begin_snapshot(std::function<void(const Result<Done>&)> done) {
    std::unique_lock lock(impl_->mutex);
    FF_ASSERT(impl_->open_snapshot == 0);
    if (impl_->stopped || impl_->health.state != Health::State::Good) {
        lock.unlock();
        return done(refused("the journal cannot write"));
    }
    impl_->open_snapshot = ++impl_->snapshots_begun;
    impl_->push(lock, BeginSnapshot{.snapshot = impl_->open_snapshot, .done = std::move(done)});
}

bool Committer::write_snapshot_chunk(ByteBuffer chunk) {
    std::unique_lock lock(impl_->mutex);
    const std::size_t bytes = chunk.size();
    impl_->room_came.wait(lock, [&] {
        return impl_->open_snapshot == 0 || impl_->chunk_bytes == 0 ||
               impl_->chunk_bytes + bytes <= impl_->options.chunk_bytes_max;
    });
    if (impl_->open_snapshot == 0) return false;
    impl_->chunk_bytes += bytes;
    impl_->push(lock, SnapshotStep{.snapshot = impl_->open_snapshot, .chunk = std::move(chunk)});
    return true;
}

bool Committer::snapshot_has_room(std::size_t bytes) const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->open_snapshot == 0 || impl_->chunk_bytes == 0 ||
           impl_->chunk_bytes + bytes <= impl_->options.chunk_bytes_max;
}

void Committer::finish_snapshot() {
    close_snapshot(true);
}

void Committer::abandon_snapshot() {
    close_snapshot(false);
}

void Committer::close_snapshot(bool finish) {
    std::unique_lock lock(impl_->mutex);
    const std::uint64_t number = std::exchange(impl_->open_snapshot, 0);
    if (number == 0) return;
    const auto kind = finish ? SnapshotStep::Kind::Finish : SnapshotStep::Kind::Abandon;
    impl_->push(lock, SnapshotStep{.kind = kind, .snapshot = number});
}

void Committer::begin_copy(std::function<void(Result<JournalCopy>)> done) {
    std::unique_lock lock(impl_->mutex);
    if (impl_->stopping || impl_->health.state != Health::State::Good) {
        lock.unlock();
        return done(refused("the journal cannot write"));
    }
    impl_->push(lock, BeginCopy{.done = std::move(done)});
}

void Committer::turn() {
    std::unique_lock lock(impl_->mutex);
    impl_->take_turn(lock);
}

std::optional<SteadyClock::time_point> Committer::next_turn() const {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->queue.empty() || !impl_->steps.empty()) return SteadyClock::time_point::min();
    return impl_->wake_at();
}

Health Committer::health() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->health;
}

CommitterCounts Committer::counts() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->counts;
}

void Committer::stop() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
    }
    impl_->work_came.notify_one();
    impl_->room_came.notify_all();
    if (impl_->thread.joinable()) impl_->thread.join();
    std::unique_lock lock(impl_->mutex);
    if (impl_->options.by_hand && !impl_->stopped) {
        while (!impl_->queue.empty()) impl_->take_turn(lock);
        lock.unlock();
        impl_->wind_up();
        lock.lock();
    }
    impl_->stopped = true;
    impl_->open_snapshot = 0;
}

}  // namespace ff::journal
