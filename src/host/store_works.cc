#include "host/store_works.h"

#include <algorithm>

#include "base/numbers.h"
#include "host/shard.h"
#include "store/command_keys.h"
#include "store/reply_errors.h"

namespace ff::host {
namespace {

bool is_word(std::string_view text, std::string_view lower_case) {
    return std::ranges::equal(text, lower_case,
                              [](char a, char b) { return static_cast<char>(a | 0x20) == b; });
}

Error came_too_late() {
    return model::storage_error(model::TransportKind::FatalSend,
                                "the deadline passed before the command could run");
}

std::uint64_t next_ticket() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

/// The name of a function says more than that one was called.
std::string_view subject_of(const resp::Command& command) {
    const auto args = command.args();
    if (args.empty()) return "none";
    const bool is_call = is_word(args[0], "fcall") || is_word(args[0], "fcall_ro");
    return is_call && args.size() > 1 ? args[1] : args[0];
}

}  // namespace

Work::Progress CallWork::run(Shard& shard, Wake) {
    if (call_.deadline.at() <= shard.tick_time())
        failure_ = came_too_late();
    else
        shard.run(call_.command.args(), sink_);
    return Progress::Done;
}

std::string_view CallWork::subject() const {
    return subject_of(call_.command);
}

void CallWork::release(const Result<Done>& outcome, Resumer& resumer) {
    if (!outcome.has_value()) failure_ = outcome.error();
    resumer.add(*this);
}

Result<store::Reply> CallWork::take() {
    if (failure_.has_value()) return std::move(*failure_);
    return store::without_error(sink_.take());
}

PipelineCalls::PipelineCalls(std::vector<store::Call> calls, std::size_t shard_count)
    : calls_(std::move(calls)),
      sinks_(calls_.size()),
      failures_(calls_.size()),
      parts_(shard_count) {}

void PipelineCalls::assign(std::size_t index, std::size_t shard) {
    parts_[shard].indices.push_back(index);
}

void PipelineCalls::refuse(std::size_t index, Error error) {
    failures_[index] = std::move(error);
}

void PipelineCalls::submit(
    const std::function<Result<Done>(std::size_t shard, Work& work)>& submit) {
    std::vector<std::size_t> shards;
    for (std::size_t shard = 0; shard < parts_.size(); ++shard) {
        parts_[shard].owner = this;
        if (!parts_[shard].indices.empty()) shards.push_back(shard);
    }
    // One more than the parts, so that nothing is resumed before all are on their way.
    parts_left_.store(shards.size() + 1);
    Resumer resumer;
    for (const std::size_t shard : shards) {
        const Result<Done> taken = submit(shard, parts_[shard]);
        if (!taken.has_value()) parts_[shard].release(taken, resumer);
    }
    part_done(resumer);
}

void PipelineCalls::part_done(Resumer& resumer) {
    if (parts_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) resumer.add(*this);
}

std::string_view PipelineCalls::Part::subject() const {
    return subject_of(owner->calls_[indices.front()].command);
}

Work::Progress PipelineCalls::Part::run(Shard& shard, Wake) {
    for (const std::size_t index : indices) {
        const store::Call& call = owner->calls_[index];
        if (call.deadline.at() <= shard.tick_time()) {
            owner->failures_[index] = came_too_late();
            continue;
        }
        shard.run(call.command.args(), owner->sinks_[index]);
    }
    return Progress::Done;
}

void PipelineCalls::Part::release(const Result<Done>& outcome, Resumer& resumer) {
    if (!outcome.has_value())
        for (const std::size_t index : indices) owner->failures_[index] = outcome.error();
    owner->part_done(resumer);
}

std::vector<Result<store::Reply>> PipelineCalls::take() {
    std::vector<Result<store::Reply>> results;
    results.reserve(calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (failures_[i].has_value())
            results.emplace_back(std::move(*failures_[i]));
        else
            results.push_back(store::without_error(sinks_[i].take()));
    }
    return results;
}

ReadWork::ReadWork(store::Call call) : call_(std::move(call)), ticket_(next_ticket()) {}

bool ReadWork::prepare(Shard& shard) {
    const auto given = call_.command.args();
    for (std::size_t i = 0; i < given.size(); ++i) {
        const bool in_options = keys_.empty();
        if (in_options && is_word(given[i], "streams")) {
            const auto rest = given.subspan(i + 1);
            const auto keys = rest.first(rest.size() / 2);
            keys_.assign(keys.begin(), keys.end());
        }
        if (!in_options || !is_word(given[i], "block") || i + 1 == given.size()) {
            args_.push_back(given[i]);
            continue;
        }
        const auto milliseconds = parse_i64(given[++i]);
        if (!milliseconds.has_value() || *milliseconds < 0) {
            reply_ = store::Reply::error(milliseconds.has_value()
                                             ? "ERR timeout is negative"
                                             : "ERR timeout is not an integer or out of range");
            return false;
        }
        constexpr std::int64_t kBlockMsMax = 1'000'000'000;
        until_ = call_.deadline.at();
        if (*milliseconds > 0) {
            const std::chrono::milliseconds block(std::min(*milliseconds, kBlockMsMax));
            until_ = std::min(*until_, shard.tick_time() + block);
        }
    }
    if (until_.has_value()) resolve_ends(shard);
    return true;
}

void ReadWork::resolve_ends(Shard& shard) {
    const std::size_t first_id = args_.size() - keys_.size();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (args_[first_id + i] != "$") continue;
        const std::string_view last_entry[] = {"XREVRANGE", keys_[i], "+", "-", "COUNT", "1"};
        ValueSink sink;
        shard.run(last_entry, sink);
        const store::Reply entries = sink.take();
        auto id = std::make_unique<std::string>("0-0");
        if (!entries.items().empty() && !entries.items()[0].items().empty())
            *id = entries.items()[0].items()[0].text().value_or("0-0");
        args_[first_id + i] = *id;
        ends_.push_back(std::move(id));
    }
}

Work::Progress ReadWork::run(Shard& shard, Wake why) {
    if (why == Wake::Stop) {
        failure_ = store::shutting_down();
        return Progress::Done;
    }
    if (why == Wake::Start && !prepare(shard)) return Progress::Done;
    ValueSink sink;
    shard.run(args_, sink);
    reply_ = sink.take();
    const bool waits = reply_.is_null() && until_.has_value() && why != Wake::Due;
    if (!waits || *until_ <= shard.tick_time()) return Progress::Done;
    if (shard.wait(*this, keys_, *until_)) return Progress::Waiting;
    failure_ =
        model::storage_error(model::TransportKind::TryAgain, "TRYAGAIN too many reads are waiting");
    return Progress::Done;
}

void ReadWork::release(const Result<Done>& outcome, Resumer& resumer) {
    if (!outcome.has_value()) failure_ = outcome.error();
    resumer.add(*this);
}

Result<store::Reply> ReadWork::take() {
    if (failure_.has_value()) return std::move(*failure_);
    return store::without_error(std::move(reply_));
}

Work::Progress CancelWork::run(Shard& shard, Wake) {
    shard.end_wait(*target_, ticket_);
    return Progress::Done;
}

void CancelWork::release(const Result<Done>&, Resumer&) {
    delete this;
}

Work::Progress WaitedWork::run(Shard& shard, Wake) {
    act_(shard);
    return Progress::Done;
}

void WaitedWork::release(const Result<Done>& outcome, Resumer&) {
    // Notified under the lock: the waiting thread destroys this as soon as it has it.
    const std::lock_guard lock(mutex_);
    outcome_ = outcome;
    released_.notify_one();
}

Result<Done> WaitedWork::wait() {
    WakeTogether::wake_now();
    std::unique_lock lock(mutex_);
    released_.wait(lock, [this] { return outcome_.has_value(); });
    return *outcome_;
}

}  // namespace ff::host
