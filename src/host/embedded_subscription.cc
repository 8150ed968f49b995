#include "host/embedded_subscription.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/steady_clock.h"
#include "store/reply_errors.h"

namespace ff::host {

void Mailbox::resume_locked() {
    if (waiting_ == nullptr) return;
    Resumer resumer;
    resumer.add(*std::exchange(waiting_, nullptr));
}

void Mailbox::message(std::string_view channel, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (notices_.size() >= size_max_) {
        // The reader has to look for itself anyway: what is left is of no use.
        notices_.clear();
        gap_ = true;
    }
    notices_.push_back({.channel = std::string(channel), .message = std::string(text)});
    resume_locked();
}

void Mailbox::gap() {
    const std::lock_guard lock(mutex_);
    notices_.clear();
    gap_ = true;
    resume_locked();
}

void Mailbox::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    resume_locked();
}

bool Mailbox::ready() {
    const std::lock_guard lock(mutex_);
    return ready_locked();
}

Result<std::optional<store::Notice>> Mailbox::take() {
    const std::lock_guard lock(mutex_);
    if (gap_) {
        gap_ = false;
        return std::optional(store::Notice{.kind = store::Notice::Kind::Gap});
    }
    if (!notices_.empty()) {
        std::optional<store::Notice> notice = std::move(notices_.front());
        notices_.pop_front();
        return notice;
    }
    if (ended_) return store::shutting_down();
    return std::optional<store::Notice>();
}

std::optional<Mailbox::Time> Mailbox::wait(Resumable& waiting, Deadline deadline) {
    const std::lock_guard lock(mutex_);
    waiting_ = &waiting;
    deadline_ = deadline;
    if (ready_locked() || deadline.passed()) {
        resume_locked();
        return std::nullopt;
    }
    if (alarm_ <= deadline.at()) return std::nullopt;
    alarm_ = deadline.at();
    return alarm_;
}

std::optional<Mailbox::Time> Mailbox::ring(Time now) {
    const std::lock_guard lock(mutex_);
    alarm_ = Time::max();
    if (waiting_ == nullptr) return std::nullopt;
    if (deadline_.at() <= now) {
        resume_locked();
        return std::nullopt;
    }
    if (deadline_.is_never()) return std::nullopt;
    alarm_ = deadline_.at();
    return alarm_;
}

void Mailbox::interrupt() {
    const std::lock_guard lock(mutex_);
    resume_locked();
}

/// Rings at a deadline of `next`, and again as long as somebody waits. Deletes itself.
class EmbeddedSubscription::Alarm final : public Work {
  public:
    Alarm(std::weak_ptr<Mailbox> box, Mailbox::Time at) : box_(std::move(box)), at_(at) {}

    /// A shard that is full or stopping rings at once: the reader comes back.
    static void set(Shard& shard, const std::shared_ptr<Mailbox>& box, Mailbox::Time at) {
        auto alarm = std::make_unique<Alarm>(box, at);
        if (shard.submit(*alarm).has_value())
            alarm.release();  // NOLINT(bugprone-unused-return-value): it deletes itself
        else
            box->interrupt();
    }

    Progress run(Shard& shard, Wake why) override {
        const std::shared_ptr<Mailbox> box = box_.lock();
        if (box == nullptr || why == Wake::Stop) return Progress::Done;
        if (why == Wake::Due) {
            const std::optional<Mailbox::Time> next = box->ring(SteadyClock::now());
            if (!next.has_value()) return Progress::Done;
            at_ = *next;
        }
        if (shard.wait(*this, {}, at_)) return Progress::Waiting;
        box->interrupt();
        return Progress::Done;
    }
    void release(const Result<Done>&, Resumer&) override { delete this; }
    bool needs_journal() const override { return false; }

  private:
    std::weak_ptr<Mailbox> box_;
    Mailbox::Time at_;
};

EmbeddedSubscription::EmbeddedSubscription(ChannelHub& hub, Shard& shard,
                                           const store::Channels& channels)
    : hub_(hub), shard_(shard), box_(std::make_shared<Mailbox>(kNoticesMax)) {
    hub_.add(*box_, channels);
}

EmbeddedSubscription::~EmbeddedSubscription() {
    hub_.remove(*box_);
}

Task<std::optional<store::Notice>> EmbeddedSubscription::next(Deadline deadline) {
    const std::shared_ptr<Mailbox> box = box_;
    if (!box->ready() && !deadline.passed()) {
        Resumable waiting;
        // The box by value: the frame that holds the arguments may be gone before the end.
        // NOLINTBEGIN(performance-unnecessary-value-param)
        auto initiate = [](Resumable::Handler handler, Shard* shard,
                           std::shared_ptr<Mailbox> mailbox, Resumable* waiter, Deadline until) {
            auto slot = boost::asio::get_associated_cancellation_slot(handler);
            if (slot.is_connected()) {
                slot.assign([mailbox](boost::asio::cancellation_type) { mailbox->interrupt(); });
            }
            waiter->suspend(std::move(handler));
            // The coroutine may be running elsewhere as soon as it is known to wait.
            const std::optional<Mailbox::Time> alarm = mailbox->wait(*waiter, until);
            if (alarm.has_value()) Alarm::set(*shard, mailbox, *alarm);
        };
        // NOLINTEND(performance-unnecessary-value-param)
        co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
            std::move(initiate), boost::asio::use_awaitable, &shard_, box, &waiting, deadline);
    }
    co_return box->take();
}

}  // namespace ff::host
