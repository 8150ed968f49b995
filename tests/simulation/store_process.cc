#include "simulation/store_process.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "host/value_sink.h"
#include "journal/format.h"
#include "journal/mark.h"
#include "store/command_keys.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;

constexpr const char* kFolder = "/data";
constexpr Millis kJumpMax = 60s;
/// While a leap of the clock is doubted.
constexpr Millis kDoubt = 20s;
/// After an absence leases live on for as long as it was, but no longer.
constexpr Millis kLeaseGrace = 5s;
/// A shorter one is none: nobody knows when a store was last in use to the moment.
constexpr Millis kAbsenceLeast = 3s;
/// A store whose log is gone has noticed by then.
constexpr Millis kNoticed = 3s;
constexpr const char* kAway = "/away";

std::chrono::microseconds elapsed() {
    return std::chrono::floor<std::chrono::microseconds>(SteadyClock::now().time_since_epoch());
}

/// The newest log of each shard, by its folder.
std::map<std::string, std::string> newest_logs(const journal::FaultyFileSystem& files) {
    std::map<std::string, std::string> newest;
    for (const std::string& path : files.paths()) {
        const std::size_t slash = path.rfind('/');
        if (path.find("/shard-") != std::string::npos &&
            journal::parse_segment_name(path.substr(slash + 1)))
            newest[path.substr(0, slash)] = path;
    }
    return newest;
}

/// As somebody does who makes sure of it.
bool move_file(journal::FaultyFileSystem& files, const std::string& from, const std::string& to) {
    if (!files.rename(from, to).has_value()) return false;
    for (const std::string& path : {from, to})
        FF_ASSERT(files.sync_folder(path.substr(0, path.rfind('/'))).has_value());
    return true;
}

asio::awaitable<void> wait_until(Timer& timer, SteadyClock::time_point at) {
    timer.expires_at(at);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace

std::chrono::microseconds StoreProcess::StoreTime::now_us() const {
    const std::shared_ptr<Life> life = process_.life_;
    return life && life->store ? life->store->clock().now_us() : process_.clock_.now_us();
}

StoreProcess::StoreProcess(asio::any_io_executor loop, Chances& chances, History& history,
                           Options options)
    : loop_(std::move(loop)),
      chances_(chances),
      history_(history),
      options_(std::move(options)),
      disk_(std::make_unique<journal::FaultyFileSystem>()),
      tasks_(loop_, "store") {}

host::EmbeddedOptions StoreProcess::store_options(const std::shared_ptr<Life>& life) {
    const std::weak_ptr<Life> weak = life;
    using Place = PlantedBug::Place;
    const Place broken = options_.broken;
    host::EmbeddedOptions options{
        .folder = kFolder,
        .fsync = options_.disk.fsync,
        .shards = options_.shards,
        .library = options_.library,
        .clock = &clock_,
        .files = life->files.get(),
        .doubts = {.jump_max = broken == Place::LeapBelieved ? Millis(0) : kJumpMax,
                   .grace = kDoubt,
                   .lease_grace_max = broken == Place::LeasesNotHeld ? Millis(0) : kLeaseGrace,
                   .elapsed = elapsed},
        .journal = {.segment_bytes = 256U << 10, .grow_bytes = 8U << 10},
        .compile = false,
        .memory_limit = broken == Place::MemoryUnlimited ? 0 : memory_limit_};
    if (broken == Place::AnsweredTooEarly) options.fsync = journal::Fsync::Off;
    options.shard.snapshot_log_bytes = options_.disk.snapshot_log_bytes;
    options.shard.snapshot_slice_bytes = 4U << 10;
    options.shard.by_hand = [weak] {
        const std::shared_ptr<Life> now = weak.lock();
        if (!now || !now->alive) return;
        for (const auto& wake : now->wakes) wake->cancel();
    };
    options.on_fatal = [weak](const Error&) {
        if (const std::shared_ptr<Life> now = weak.lock()) now->fatal = true;
    };
    options.on_undone = [this](const host::UndoneCall& call) {
        if (call.broke_promise)
            history_.broke("what is answered was written", std::string(call.function));
    };
    return options;
}

/// The disk below a store with a planted bug does not do what it answers.
void StoreProcess::let_disk_lie(journal::FaultyFileSystem& files) {
    using journal::Operation;
    using Place = PlantedBug::Place;
    files.set_hook([this, &files](Operation operation, const std::string&) {
        const Place broken = options_.broken;
        const bool lies = (broken == Place::SyncSkipped && operation == Operation::Sync) ||
                          (broken == Place::FolderNotSynced && operation == Operation::SyncFolder);
        if (lies) files.fail_next(operation, journal::Fault::Lie);
    });
    files.overlook_names(options_.broken == Place::RemovedUnnoticed);
}

std::optional<StoreProcess::Content> StoreProcess::content_of(
    std::unique_ptr<journal::FaultyFileSystem> files) {
    auto life = std::make_shared<Life>();
    life->files = std::move(files);
    auto opened = host::EmbeddedStore::open(store_options(life));
    if (!opened.has_value()) return std::nullopt;
    Content content;
    for (std::size_t i = 0; i < options_.shards; ++i)
        (*opened)->shard(i).state().keyspace().for_each_key(
            [&content](std::string_view, std::string_view) { ++content.keys; });
    for (const journal::RecoveryReport& report : (*opened)->recovery())
        content.records += report.records;
    content.memory = (*opened)->memory().used();
    (*opened)->stop_and_wait();
    return content;
}

std::vector<std::string> StoreProcess::shard_files() const {
    std::vector<std::string> paths;
    for (const std::string& path : disk_->paths())
        if (path.find("/shard-") != std::string::npos) paths.push_back(path);
    return paths;
}

/// As a store was before anything outside of its logs knew what they must hold.
void StoreProcess::forget_marks(journal::FaultyFileSystem& files) const {
    for (std::uint32_t shard = 0; shard < options_.shards; ++shard)
        FF_ASSERT(files.remove(kFolder + ("/" + journal::mark_name(shard))).has_value());
}

/// One file, the end of a log, or all that a shard has.
std::vector<std::string> StoreProcess::draw_lost_files() {
    const std::vector<std::string> paths = shard_files();
    if (paths.empty()) return {};
    const std::string one = paths[chances_.below(paths.size())];
    if (chances_.coin()) return {one};
    const std::string folder = one.substr(0, one.rfind('/'));
    const std::map<std::string, std::string> newest = newest_logs(*disk_);
    if (const auto log = newest.find(folder); log != newest.end() && chances_.coin())
        return {log->second};
    std::vector<std::string> lost;
    for (const std::string& path : paths)
        if (path.starts_with(folder + "/")) lost.push_back(path);
    return lost;
}

void StoreProcess::try_without_files() {
    const std::vector<std::string> lost = draw_lost_files();
    if (lost.empty()) return;
    ++history_.faults;
    std::unique_ptr<journal::FaultyFileSystem> without = disk_->restart();
    for (const std::string& path : lost) FF_ASSERT(without->remove(path).has_value());
    if (options_.broken == PlantedBug::Place::MissingTakenForNew) forget_marks(*without);
    const std::optional<Content> all = content_of(disk_->restart());
    const std::optional<Content> left = content_of(std::move(without));
    if (all && left && left->keys < all->keys)
        history_.broke("a store that lost files does not open",
                       lost.front() + " was removed, and it opened with " +
                           std::to_string(left->keys) + " keys of " + std::to_string(all->keys));
}

void StoreProcess::try_with_a_cut_log() {
    const std::map<std::string, std::string> newest = newest_logs(*disk_);
    if (newest.empty()) return;
    ++history_.faults;
    const auto step = static_cast<std::ptrdiff_t>(chances_.below(newest.size()));
    const std::string path = std::next(newest.begin(), step)->second;
    std::unique_ptr<journal::FaultyFileSystem> cut = disk_->restart();
    const std::string content = cut->content(path);
    const std::uint64_t left_bytes = chances_.below(content.size() + 1);
    cut->overwrite(path, content.substr(0, left_bytes));
    if (options_.broken == PlantedBug::Place::CutTakenForTorn) forget_marks(*cut);
    const std::optional<Content> all = content_of(disk_->restart());
    const std::optional<Content> left = content_of(std::move(cut));
    if (all && left && left->records < all->records)
        history_.broke("a store that lost files does not open",
                       path + " was cut at " + std::to_string(left_bytes) +
                           ", and it opened with " + std::to_string(left->records) +
                           " records of " + std::to_string(all->records));
}

/// What the disk was made to lack is tried on copies.
void StoreProcess::try_damage() {
    if (options_.disk.fsync != journal::Fsync::Always || power_fails_) return;
    if (chances_.happens(options_.disk.lost_file)) try_without_files();
    if (was_killed_ && chances_.happens(options_.disk.cut_file)) try_with_a_cut_log();
}

/// Most of what an empty store uses is the library; the limit leaves room for some work beside it.
void StoreProcess::limit_memory() {
    if (options_.disk.memory_room == 0 || memory_limit_ != 0) return;
    const std::optional<Content> empty = content_of(std::make_unique<journal::FaultyFileSystem>());
    FF_ASSERT(empty.has_value());
    memory_limit_ =
        (empty->memory + options_.disk.memory_room) * 100 / host::MemoryGauge::kFullPercent;
}

/// Whoever starts a machine sets its clock: a store that was killed before it could note the time
/// knows no better than the clock does, and tests of the host say what it does then.
void StoreProcess::set_clock_right() {
    const auto behind = store_time_.now_us() - clock_.now_us();
    if (behind.count() > 0) clock_.jump(std::chrono::ceil<Millis>(behind));
}

/// A clock that goes wrong, or a machine that was asleep.
void StoreProcess::leap_while_down() {
    if (!life_ || !chances_.happens(options_.disk.clock_leaps)) return;
    ++history_.faults;
    clock_.jump(kJumpMax + Millis(1) + chances_.up_to(9min));
    if (on_leap) on_leap();
}

void StoreProcess::note_absence() {
    if (!life_ || !life_->store) return;
    const auto to = clock_.now_us();
    const auto absence = to - died_at_;
    if (absence > kJumpMax) holds_.push_back({.from = to, .until = to + kDoubt});
    // What was left of the last one is not known any more.
    leases_ = {};
    if (absence > kAbsenceLeast)
        leases_ = {.from = died_at_,
                   .until = to + std::min<std::chrono::microseconds>(absence, kLeaseGrace)};
}

void StoreProcess::bring_log_back() {
    if (!away_) return;
    const auto [away, home] = *std::exchange(away_, std::nullopt);
    FF_ASSERT(move_file(*disk_, away, home));
}

Result<Done> StoreProcess::open() {
    set_clock_right();
    leap_while_down();
    note_absence();
    bring_log_back();
    limit_memory();
    try_damage();
    auto life = std::make_shared<Life>();
    life->files = std::move(disk_);
    if (options_.broken != PlantedBug::Place::Library) let_disk_lie(*life->files);
    Result<std::unique_ptr<host::EmbeddedStore>> opened =
        host::EmbeddedStore::open(store_options(life));
    if (!opened.has_value()) {
        disk_ = power_fails_ ? life->files->crash(chances_.random().u64()) : life->files->restart();
        if (std::exchange(power_fails_, false)) return Done{};
        history_.broke("a store opens after every crash", opened.error().text());
        // So that whoever waits for an answer gets one, and the run ends.
        disk_ = std::make_unique<journal::FaultyFileSystem>();
        return std::move(opened).error();
    }
    life->store = std::move(*opened);
    for (std::size_t i = 0; i < options_.shards * 2; ++i)
        life->wakes.push_back(std::make_unique<Timer>(loop_));
    life_ = life;
    for (std::size_t i = 0; i < options_.shards; ++i) {
        tasks_.spawn(run_shard(life, i));
        tasks_.spawn(run_committer(life, i));
    }
    return Done{};
}

asio::awaitable<void> StoreProcess::run_shard(std::shared_ptr<Life> life, std::size_t index) {
    Timer& wake = *life->wakes[2 * index];
    Timer& commits = *life->wakes[2 * index + 1];
    host::Shard& shard = life->store->shard(index);
    while (life->alive) {
        const SteadyClock::time_point at = shard.next_turn();
        if (at > SteadyClock::now()) {
            co_await wait_until(wake, at);
            continue;
        }
        co_await pass(loop_, chances_.within(options_.disk.tick));
        if (!life->alive) break;
        shard.turn();
        commits.cancel();
    }
}

asio::awaitable<void> StoreProcess::run_committer(std::shared_ptr<Life> life, std::size_t index) {
    Timer& wake = *life->wakes[2 * index + 1];
    journal::Committer& committer = *life->store->shard(index).committer();
    while (life->alive) {
        const auto at = committer.next_turn();
        if (!at.has_value() || *at > SteadyClock::now()) {
            co_await wait_until(wake, at.value_or(SteadyClock::time_point::max()));
            continue;
        }
        co_await pass(loop_, chances_.within(options_.disk.commit));
        if (!life->alive) break;
        committer.turn();
        if (life->fatal) die(power_fails_ ? Death::PowerCut : Death::Kill);
    }
}

bool StoreProcess::is_overfull() const {
    constexpr std::uint64_t kOverPercent = 110;
    return memory_limit_ != 0 && life() &&
           life()->store->memory().used() * 100 > memory_limit_ * kOverPercent;
}

void StoreProcess::die(Death death) {
    const std::shared_ptr<Life> life = life_;
    if (!life || !life->alive) return;
    ++history_.faults;
    died_at_ = store_time_.now_us();
    life->alive = false;
    power_fails_ = false;
    // What a failed sync has left unsure is in no mark.
    was_killed_ = death == Death::Kill && !life->fatal;
    disk_ = death == Death::PowerCut ? life->files->crash(chances_.random().u64())
                                     : life->files->restart();
    // Nothing reaches the disk any more, so everything under way is answered with an error.
    life->files->fail_at(life->files->operations(), journal::Fault::Crash);
    life->store->stop_and_wait();
    for (const auto& wake : life->wakes) wake->cancel();
    if (on_death) on_death(death);
}

void StoreProcess::lose_power_soon(std::uint64_t operations_most) {
    if (!life()) return;
    ++history_.faults;
    power_fails_ = true;
    life_->files->fail_at(life_->files->operations() + chances_.below(operations_most),
                          journal::Fault::Crash);
}

void StoreProcess::set_full(bool full) {
    if (full) ++history_.faults;
    if (life()) life_->files->set_full(full);
}

void StoreProcess::fail_next_sync() {
    if (!life()) return;
    ++history_.faults;
    life_->files->fail_next(journal::Operation::Sync, journal::Fault::Io);
}

void StoreProcess::jump_clock(Millis span) {
    ++history_.faults;
    const auto before = store_time_.now_us();
    clock_.jump(span);
    if (life() && store_time_.now_us() - before > kJumpMax)
        history_.broke("a jump of the clock is doubted", std::to_string(span.count()) + " ms");
}

asio::awaitable<void> StoreProcess::take_log_away() {
    const std::shared_ptr<Life> life = this->life();
    if (!life || away_ || power_fails_) co_return;
    const std::map<std::string, std::string> logs = newest_logs(*life->files);
    if (logs.empty()) co_return;
    const auto step = static_cast<std::ptrdiff_t>(chances_.below(logs.size()));
    const std::string home = std::next(logs.begin(), step)->second;
    const std::string away = kAway + home;
    if (!move_file(*life->files, home, away)) co_return;
    ++history_.faults;
    away_ = {away, home};
    co_await pass(loop_, kNoticed);
    if (life->alive)
        history_.broke("a store that lost files does not open",
                       home + " was moved away, and the store goes on without it");
}

bool StoreProcess::time_is_doubted() const {
    if (options_.broken == PlantedBug::Place::TimersNotHeld) return false;
    const std::shared_ptr<Life> life = this->life();
    // A real store does not die without its server: one that is left alone here knows nothing of
    // the time, and what it sends reaches a store that may doubt it.
    return !life || life->store->clock_hold().has_value();
}

Timestamp StoreProcess::leases_end_by() const {
    const auto now = store_time_.now_us();
    const auto by = now < leases_.until ? leases_.from : now;
    return Timestamp(std::chrono::floor<Millis>(by));
}

Timestamp StoreProcess::leases_last_until(Timestamp now) const {
    const std::shared_ptr<Life> life = this->life();
    if (!life) return Timestamp(Millis(0));
    const auto by = life->store->lease_time(now.time_since_epoch());
    return std::min(now, Timestamp(std::chrono::floor<Millis>(by)));
}

bool StoreProcess::was_held(Timestamp at) const {
    return std::ranges::any_of(holds_, [&](const Window& hold) {
        return hold.from <= at.time_since_epoch() && at.time_since_epoch() < hold.until;
    });
}

resp::Value StoreProcess::look(std::initializer_list<std::string_view> argv) {
    const std::span<const std::string_view> args(argv.begin(), argv.size());
    const Result<std::optional<std::uint16_t>> slot = store::slot_of(args);
    FF_ASSERT(slot.has_value());
    host::EmbeddedStore& store = *life_->store;
    host::ShardState& state = store.shard(slot->has_value() ? store.shard_of(**slot) : 0).state();
    host::ValueSink sink;
    state.execute(args, store_time_.now_us(), sink);
    state.keyspace().clear_effects();
    return sink.take();
}

void StoreProcess::each_key(const std::function<void(std::string_view key)>& visit) {
    for (std::size_t i = 0; i < options_.shards; ++i)
        life_->store->shard(i).state().keyspace().for_each_key(
            [&visit](std::string_view key, std::string_view) { visit(key); });
}

asio::awaitable<void> StoreProcess::stop() {
    if (life()) {
        life_->alive = false;
        life_->store->stop_and_wait();
        for (const auto& wake : life_->wakes) wake->cancel();
    }
    co_await tasks_.join();
    life_.reset();
}

}  // namespace ff::simulation
