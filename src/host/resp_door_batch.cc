#include "host/resp_door_batch.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/assert.h"
#include "host/resp_door_client.h"
#include "model/slot.h"
#include "store/command_keys.h"

namespace ff::host {
namespace asio = boost::asio;
namespace {

constexpr std::uint32_t kNoShard = std::numeric_limits<std::uint32_t>::max();

/// Writes what a command answers as RESP.
class RespSink final : public keyspace::ReplySink {
  public:
    RespSink(std::string& out, resp::Protocol protocol) : writer_(out, protocol) {}

    bool resp3() const override { return writer_.protocol() == resp::Protocol::Resp3; }
    void null() override { writer_.null(); }
    void null_array() override { writer_.null_array(); }
    void integer(std::int64_t value) override { writer_.integer(value); }
    void real(double value) override { writer_.real(value); }
    void bulk(std::string_view bytes) override { writer_.bulk(bytes); }
    void status(std::string_view text) override { writer_.status(text); }
    void error(std::string_view text) override { writer_.error(text); }
    void array(std::size_t n) override { writer_.array(n); }
    void map(std::size_t n_pairs) override { writer_.map(n_pairs); }
    void set(std::size_t n) override { writer_.set(n); }

  private:
    resp::ReplyWriter writer_;
};

}  // namespace

/// The coroutine that waits for a batch, whatever its handler is.
struct DoorBatch::Waiter {
    virtual ~Waiter() = default;
    virtual void resume() = 0;
};

/// The part of a batch that one shard executes. It comes back to its batch when it is released.
class DoorBatch::Work final : public ShardWork {
  public:
    explicit Work(DoorBatch& batch, std::size_t shard) : batch_(batch), shard_(shard) {}

    void begin(resp::Protocol protocol) {
        protocol_ = protocol;
        requests_.clear();
        ends_.clear();
        replies_.clear();
        outcome_ = Done{};
    }
    void add(std::uint32_t request) { requests_.push_back(request); }
    bool empty() const { return requests_.empty(); }

    void execute(CommandRunner& runner) override {
        RespSink sink(replies_, protocol_);
        for (const std::uint32_t index : requests_) {
            runner.run(batch_.args_of(batch_.requests_[index]), sink);
            ends_.push_back(replies_.size());
        }
    }

    void release(std::unique_ptr<ShardWork> self, const Result<Done>& outcome) override {
        outcome_ = outcome;
        DoorBatch& batch = batch_;
        batch.works_[shard_] = std::move(self);
        batch.arrived();
    }

    void refuse(Error error) { outcome_ = std::move(error); }

    /// The reply to the n-th of its requests.
    void append_reply(std::size_t n, std::string& out) const {
        if (!outcome_) return append_refusal(out);
        const std::size_t start = n == 0 ? 0 : ends_[n - 1];
        out.append(replies_, start, ends_[n] - start);
    }
    /// All of them; takes the memory over where `out` has nothing yet.
    void take_replies(std::string& out) {
        if (!outcome_) {
            for (std::size_t i = 0; i < requests_.size(); ++i) append_refusal(out);
        } else if (out.empty()) {
            std::swap(out, replies_);
        } else {
            out += replies_;
        }
    }

  private:
    void append_refusal(std::string& out) const {
        resp::ReplyWriter(out, protocol_).error(error_line(outcome_.error()));
    }

    DoorBatch& batch_;
    const std::size_t shard_;
    resp::Protocol protocol_ = resp::Protocol::Resp2;
    std::vector<std::uint32_t> requests_;
    std::vector<std::size_t> ends_;
    std::string replies_;
    Result<Done> outcome_ = Done{};
};

DoorBatch::DoorBatch(ShardWorkTaker& shards)
    : shards_(shards), used_(shards.shard_count()), next_reply_(shards.shard_count()) {
    for (std::size_t shard = 0; shard < shards.shard_count(); ++shard) {
        works_.push_back(std::make_unique<Work>(*this, shard));
    }
}

DoorBatch::~DoorBatch() {
    FF_ASSERT(away_ == 0);
}

Result<std::uint32_t> DoorBatch::place(std::span<const std::string_view> argv, bool one_key) const {
    std::optional<std::uint16_t> slot;
    if (one_key && argv.size() > 1) {
        if (works_.size() == 1) return 0U;
        slot = model::slot_of(argv[1]);
    } else {
        FF_TRY(slot, store::slot_of(argv));
    }
    return slot ? static_cast<std::uint32_t>(shards_.shard_of(*slot)) : 0U;
}

void DoorBatch::add(std::span<const std::string_view> argv, bool one_key) {
    Result<std::uint32_t> shard = place(argv, one_key);
    if (!shard) refusals_.push_back(error_line(shard.error()));
    requests_.push_back(Request{.first_arg = static_cast<std::uint32_t>(args_.size()),
                                .args = static_cast<std::uint32_t>(argv.size()),
                                .shard = shard ? *shard : kNoShard});
    args_.insert(args_.end(), argv.begin(), argv.end());
}

std::span<const std::string_view> DoorBatch::args_of(const Request& request) const {
    return std::span(args_).subspan(request.first_arg, request.args);
}

void DoorBatch::submit_all(resp::Protocol protocol) {
    std::fill(used_.begin(), used_.end(), false);
    std::fill(next_reply_.begin(), next_reply_.end(), 0);
    for (std::uint32_t i = 0; i < requests_.size(); ++i) {
        const std::uint32_t shard = requests_[i].shard;
        if (shard == kNoShard) continue;
        Work& work = static_cast<Work&>(*works_[shard]);
        if (!used_[shard]) work.begin(protocol);
        used_[shard] = true;
        work.add(i);
    }
    // Counts as one itself until all are handed over, or the first back would resume too early.
    away_ = 1;
    for (std::size_t shard = 0; shard < works_.size(); ++shard) {
        if (!used_[shard]) continue;
        ++away_;
        Work& work = static_cast<Work&>(*works_[shard]);
        std::unique_ptr<ShardWork> handed = std::move(works_[shard]);
        Result<Done> taken = shards_.submit(shard, handed);
        if (taken) continue;
        work.refuse(std::move(taken).error());
        works_[shard] = std::move(handed);
        --away_;
    }
    arrived();
}

/// Any thread: the last one to arrive wakes the connection.
void DoorBatch::arrived() {
    if (away_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // The connection may run before this returns, and must find nothing of ours in use.
    const std::unique_ptr<Waiter> waiter = std::move(waiter_);
    waiter->resume();
}

asio::awaitable<void> DoorBatch::run(resp::Protocol protocol, std::string& out) {
    auto start = [this, protocol](auto handler) {
        using Handler = decltype(handler);
        struct Held final : Waiter {
            explicit Held(Handler held) : handler(std::move(held)) {}
            void resume() override {
                auto executor = asio::get_associated_executor(handler);
                asio::post(executor, std::move(handler));
            }
            Handler handler;
        };
        waiter_ = std::make_unique<Held>(std::move(handler));
        submit_all(protocol);
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(start,
                                                                          asio::use_awaitable);
    collect(protocol, out);
}

void DoorBatch::collect(resp::Protocol protocol, std::string& out) {
    const auto shards_used = std::count(used_.begin(), used_.end(), true);
    if (shards_used == 1 && refusals_.empty()) {
        static_cast<Work&>(*works_[requests_.front().shard]).take_replies(out);
    } else {
        std::size_t next_refusal = 0;
        for (const Request& request : requests_) {
            if (request.shard == kNoShard) {
                resp::ReplyWriter(out, protocol).error(refusals_[next_refusal++]);
            } else {
                const Work& work = static_cast<const Work&>(*works_[request.shard]);
                work.append_reply(next_reply_[request.shard]++, out);
            }
        }
    }
    args_.clear();
    requests_.clear();
    refusals_.clear();
}

}  // namespace ff::host
