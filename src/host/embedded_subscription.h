#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "host/channel_hub.h"
#include "host/resumer.h"
#include "host/shard.h"
#include "store/store.h"

namespace ff::host {

/// The messages of one subscriber, and whoever waits for the next one.
class Mailbox final : public Listener {
  public:
    explicit Mailbox(std::size_t size_max) : size_max_(size_max) {}

    void message(std::string_view channel, std::string_view text) override;
    void gap() override;
    void end() override;

    /// Something is there, or the end has come.
    bool ready();
    /// A Gap if messages were lost, else the oldest message; nothing if there is none.
    Result<std::optional<store::Notice>> take();

    using Time = std::chrono::steady_clock::time_point;
    /// Resumes `waiting` as soon as the box is ready, at once if it is, or by `ring`. If it answers
    /// a time, an alarm must be set for it.
    std::optional<Time> wait(Resumable& waiting, Deadline deadline);
    /// An alarm rings: resumes whoever waits if its deadline has passed. If it answers a time, it
    /// must ring again then.
    std::optional<Time> ring(Time now);
    /// Resumes whoever waits.
    void interrupt();

  private:
    bool ready_locked() const { return gap_ || ended_ || !notices_.empty(); }
    void resume_locked();

    std::size_t size_max_;
    std::mutex mutex_{};
    std::deque<store::Notice> notices_{};
    bool gap_ = false;
    bool ended_ = false;
    Resumable* waiting_ = nullptr;
    Deadline deadline_ = Deadline::never();
    /// The next alarm that is set.
    Time alarm_ = Time::max();
};

/// A subscription on the hub of an embedded store. The shard is its alarm clock: deadlines of
/// `next` are kept with the waiting reads there.
class EmbeddedSubscription final : public store::Subscription {
  public:
    static constexpr std::size_t kNoticesMax = 1024;

    /// `hub` and `shard` outlive the subscription.
    EmbeddedSubscription(ChannelHub& hub, Shard& shard, const store::Channels& channels);
    ~EmbeddedSubscription() override;

    Task<std::optional<store::Notice>> next(Deadline deadline) override;

  private:
    class Alarm;

    ChannelHub& hub_;
    Shard& shard_;
    std::shared_ptr<Mailbox> box_;  // shared with its alarms
};

}  // namespace ff::host
