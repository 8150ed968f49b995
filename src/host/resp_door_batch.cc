#include "host/resp_door_batch.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/assert.h"
#include "host/resp_door_client.h"
#include "host/shard.h"
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

/// The requests of a batch that one shard executes.
class DoorBatch::Part final : public Work {
  public:
    explicit Part(DoorBatch& batch) : batch_(batch) {}

    void begin(resp::Protocol protocol) {
        protocol_ = protocol;
        requests_.clear();
        ends_.clear();
        replies_.clear();
        failure_.reset();
    }
    void add(std::uint32_t request) { requests_.push_back(request); }
    bool empty() const { return requests_.empty(); }

    Progress run(Shard& shard, Wake /*why*/) override {
        RespSink sink(replies_, protocol_);
        for (const std::uint32_t index : requests_) {
            shard.run(batch_.args_of(batch_.requests_[index]), sink);
            ends_.push_back(replies_.size());
        }
        return Progress::Done;
    }

    void release(const Result<Done>& outcome, Resumer& resumer) override {
        if (!outcome) failure_ = outcome.error();
        batch_.arrived(resumer);
    }

    /// The reply to the n-th of its requests.
    void append_reply(std::size_t n, std::string& out) const {
        if (failure_) return append_refusal(out);
        const std::size_t start = n == 0 ? 0 : ends_[n - 1];
        out.append(replies_, start, ends_[n] - start);
    }
    /// All of them; takes the memory over where `out` has nothing yet.
    void take_replies(std::string& out) {
        if (failure_) {
            for (std::size_t i = 0; i < requests_.size(); ++i) append_refusal(out);
        } else if (out.empty()) {
            std::swap(out, replies_);
        } else {
            out += replies_;
        }
    }

  private:
    void append_refusal(std::string& out) const {
        resp::ReplyWriter(out, protocol_).error(error_line(*failure_));
    }

    DoorBatch& batch_;
    resp::Protocol protocol_ = resp::Protocol::Resp2;
    std::vector<std::uint32_t> requests_;
    std::vector<std::size_t> ends_;
    std::string replies_;
    std::optional<Error> failure_;
};

DoorBatch::DoorBatch(ShardWorkTaker& shards) : shards_(shards), next_reply_(shards.shard_count()) {
    for (std::size_t shard = 0; shard < shards.shard_count(); ++shard) {
        parts_.push_back(std::make_unique<Part>(*this));
    }
}

DoorBatch::~DoorBatch() {
    FF_ASSERT(away_ == 0);
}

Result<std::uint32_t> DoorBatch::place(std::span<const std::string_view> argv, bool one_key) const {
    std::optional<std::uint16_t> slot;
    if (one_key && argv.size() > 1) {
        if (parts_.size() == 1) return 0U;
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
    for (const std::unique_ptr<Part>& part : parts_) part->begin(protocol);
    for (std::uint32_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i].shard != kNoShard) parts_[requests_[i].shard]->add(i);
    }
    // Counts as one itself until all are handed over, or the first back would resume too early.
    away_.store(1 + static_cast<std::uint32_t>(parts_.size()));
    Resumer resumer;
    for (std::size_t shard = 0; shard < parts_.size(); ++shard) {
        Part& part = *parts_[shard];
        if (part.empty()) {
            arrived(resumer);
            continue;
        }
        const Result<Done> taken = shards_.submit(shard, part);
        if (!taken) part.release(taken, resumer);
    }
    arrived(resumer);
}

void DoorBatch::arrived(Resumer& resumer) {
    if (away_.fetch_sub(1, std::memory_order_acq_rel) == 1) resumer.add(*this);
}

asio::awaitable<void> DoorBatch::run(resp::Protocol protocol, std::string& out) {
    auto initiate = [](Handler handler, DoorBatch* batch, resp::Protocol spoken) {
        batch->suspend(std::move(handler));
        batch->submit_all(spoken);
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
        std::move(initiate), asio::use_awaitable, this, protocol);
    collect(protocol, out);
}

void DoorBatch::collect(resp::Protocol protocol, std::string& out) {
    const auto used =
        std::ranges::count_if(parts_, [](const auto& part) { return !part->empty(); });
    if (used == 1 && refusals_.empty()) {
        parts_[requests_.front().shard]->take_replies(out);
    } else {
        std::ranges::fill(next_reply_, 0);
        std::size_t next_refusal = 0;
        for (const Request& request : requests_) {
            if (request.shard == kNoShard) {
                resp::ReplyWriter(out, protocol).error(refusals_[next_refusal++]);
            } else {
                parts_[request.shard]->append_reply(next_reply_[request.shard]++, out);
            }
        }
    }
    args_.clear();
    requests_.clear();
    refusals_.clear();
}

}  // namespace ff::host
