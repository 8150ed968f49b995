#include "simulation/link.h"

#include <utility>

#include "model/transport_kind.h"
#include "store/reply_errors.h"

namespace ff::simulation {
namespace asio = boost::asio;
using model::TransportKind;
using std::chrono::milliseconds;

namespace {

Error not_sent() {
    return model::storage_error(TransportKind::IoError, "the store is not reached");
}

Error no_answer() {
    return model::storage_error(TransportKind::FatalReceive, "the reply is lost");
}

}  // namespace

Task<std::shared_ptr<StoreProcess::Life>> Link::reach() {
    ++calls_;
    if (plan_.latency.most.count() > 0) co_await pass(loop_, chances_.within(plan_.latency));
    std::shared_ptr<StoreProcess::Life> life = process_.life();
    if (cut_ || !life || chances_.happens(plan_.request_lost)) co_return not_sent();
    co_return life;
}

asio::awaitable<bool> Link::come_back() {
    if (plan_.latency.most.count() > 0) co_await pass(loop_, chances_.within(plan_.latency));
    co_return cut_ || chances_.happens(plan_.reply_lost);
}

Task<store::Reply> Link::pass_on_once(store::Call call, Way way) {
    FF_CO_TRY(const std::shared_ptr<StoreProcess::Life> life, co_await reach());
    auto answer = (life->store.get()->*way)(std::move(call));
    Result<store::Reply> reply = co_await std::move(answer);
    const bool lost = co_await come_back();
    if (lost) co_return no_answer();
    if (!reply.has_value() && reply.error().code == "shutting_down") co_return no_answer();
    co_return reply;
}

/// What a client of the store does after its connection broke: a call that may be repeated is.
Task<store::Reply> Link::pass_on(store::Call call, Way way) {
    constexpr int kTries = 3;
    constexpr milliseconds kPause{20};
    for (int tries = 1;; ++tries) {
        const bool may_repeat = call.resend_safe && tries < kTries;
        store::Call copy = may_repeat ? call : std::move(call);
        Result<store::Reply> reply = co_await pass_on_once(std::move(copy), way);
        const bool lost =
            !reply.has_value() && reply.error().code == "storage_error" &&
            (reply.error().kind == "fatal_receive" || reply.error().kind == "io_error");
        if (!lost || !may_repeat || cut_) co_return reply;
        co_await pass(loop_, kPause);
    }
}

Task<store::Reply> Link::call(store::Call call) {
    return pass_on(std::move(call), &store::Store::call);
}

Task<store::Reply> Link::fcall(store::Call call) {
    return pass_on(std::move(call), &store::Store::fcall);
}

Task<store::Reply> Link::blocking_read(store::Call call) {
    return pass_on_once(std::move(call), &store::Store::blocking_read);
}

asio::awaitable<std::vector<Result<store::Reply>>> Link::pipeline(std::vector<store::Call> calls) {
    const std::size_t count = calls.size();
    Result<std::shared_ptr<StoreProcess::Life>> life = co_await reach();
    if (!life.has_value()) co_return std::vector<Result<store::Reply>>(count, life.error());
    auto answers = (*life)->store->pipeline(std::move(calls));
    std::vector<Result<store::Reply>> replies = co_await std::move(answers);
    const bool lost = co_await come_back();
    if (lost) co_return std::vector<Result<store::Reply>>(count, no_answer());
    for (Result<store::Reply>& reply : replies)
        if (!reply.has_value() && reply.error().code == "shutting_down") reply = no_answer();
    co_return replies;
}

/// Comes back by itself after the store was away, and says that messages may be missing.
class Link::LinkSubscription final : public store::Subscription {
  public:
    LinkSubscription(Link& link, store::Channels channels)
        : link_(link), channels_(std::move(channels)) {}

    Task<Done> connect() {
        FF_CO_TRY(life_, co_await link_.reach());
        FF_CO_TRY(inner_, co_await life_->store->subscribe(channels_));
        co_return Done{};
    }

    Task<std::optional<store::Notice>> next(Deadline deadline) override {
        constexpr milliseconds kAgain{100};
        while (true) {
            if (link_.cut_) co_return store::shutting_down();
            if (!inner_) {
                const Result<Done> back = co_await connect();
                if (back.has_value()) co_return lost();
                if (deadline.passed()) co_return std::optional<store::Notice>();
                co_await pass(link_.loop_, kAgain);
                continue;
            }
            auto waiting = inner_->next(deadline);
            Result<std::optional<store::Notice>> notice = co_await std::move(waiting);
            if (notice.has_value() && !notice->has_value()) co_return notice;
            if (notice.has_value() && !link_.chances_.happens(link_.plan_.notice_lost))
                co_return notice;
            inner_.reset();
            life_.reset();
        }
    }

  private:
    static std::optional<store::Notice> lost() {
        return store::Notice{.kind = store::Notice::Kind::Gap};
    }

    Link& link_;
    store::Channels channels_;
    std::shared_ptr<StoreProcess::Life> life_{};
    std::unique_ptr<store::Subscription> inner_{};
};

Task<std::unique_ptr<store::Subscription>> Link::subscribe(store::Channels channels) {
    auto made = std::make_unique<LinkSubscription>(*this, std::move(channels));
    FF_CO_CHECK(co_await made->connect());
    std::unique_ptr<store::Subscription> subscription = std::move(made);
    co_return subscription;
}

}  // namespace ff::simulation
