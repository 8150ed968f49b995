#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "host/resumer.h"
#include "host/value_sink.h"
#include "host/work.h"
#include "store/call.h"

namespace ff::host {

// The works behind the methods of EmbeddedStore. Each lives in the frame of the coroutine that
// waits for it.

/// One command.
class CallWork final : public Work, public Resumable {
  public:
    explicit CallWork(store::Call call) : call_(std::move(call)) {}

    Progress run(Shard& shard, Wake why) override;
    void release(const Result<Done>& outcome, Resumer& resumer) override;
    std::string_view subject() const override;
    const resp::Command& command() const { return call_.command; }
    Result<store::Reply> take();

  private:
    store::Call call_;
    ValueSink sink_{};
    std::optional<Error> failure_{};
};

/// Commands on several shards, and the coroutine that waits for all of them.
class PipelineCalls final : public Resumable {
  public:
    PipelineCalls(std::vector<store::Call> calls, std::size_t shard_count);

    /// Before anything is submitted: the shard of a command, or why there is none.
    void assign(std::size_t index, std::size_t shard);
    void refuse(std::size_t index, Error error);
    const store::Call& call(std::size_t index) const { return calls_[index]; }

    /// Calls `submit(shard, work)` for every shard that has commands; whoever finishes last resumes
    /// the coroutine. This object may be gone when it returns.
    void submit(const std::function<Result<Done>(std::size_t shard, Work& work)>& submit);
    std::vector<Result<store::Reply>> take();

  private:
    class Part final : public Work {
      public:
        Progress run(Shard& shard, Wake why) override;
        void release(const Result<Done>& outcome, Resumer& resumer) override;
        std::string_view subject() const override;

        PipelineCalls* owner = nullptr;
        std::vector<std::size_t> indices{};
    };
    void part_done(Resumer& resumer);

    std::vector<store::Call> calls_;
    /// What each call answered, or why it did not.
    std::vector<ValueSink> sinks_;
    std::vector<std::optional<Error>> failures_;
    std::vector<Part> parts_;
    std::atomic<std::size_t> parts_left_{0};
};

/// An XREAD that may wait for entries.
class ReadWork final : public Work, public Resumable {
  public:
    explicit ReadWork(store::Call call);

    Progress run(Shard& shard, Wake why) override;
    void release(const Result<Done>& outcome, Resumer& resumer) override;
    std::uint64_t ticket() const override { return ticket_; }
    Result<store::Reply> take();

  private:
    /// Takes BLOCK out of the arguments and ids relative to the end of the stream (`$`) by their
    /// values. False if the reply is an error already.
    bool prepare(Shard& shard);
    void resolve_ends(Shard& shard);

    store::Call call_;
    std::uint64_t ticket_;
    std::vector<std::string_view> args_{};
    std::vector<std::string_view> keys_{};
    /// Texts that `args_` refers to.
    std::vector<std::unique_ptr<std::string>> ends_{};
    std::optional<std::chrono::steady_clock::time_point> until_{};
    store::Reply reply_{};
    std::optional<Error> failure_{};
};

/// Ends the wait of a read whose coroutine was cancelled; deletes itself.
class CancelWork final : public Work {
  public:
    CancelWork(Work& target, std::uint64_t ticket) : target_(&target), ticket_(ticket) {}
    Progress run(Shard& shard, Wake why) override;
    void release(const Result<Done>& outcome, Resumer& resumer) override;
    bool needs_journal() const override { return false; }

  private:
    Work* target_;
    std::uint64_t ticket_;
};

/// Runs a function on the shard's thread while a plain thread waits.
class WaitedWork final : public Work {
  public:
    explicit WaitedWork(std::function<void(Shard&)> act) : act_(std::move(act)) {}
    Progress run(Shard& shard, Wake why) override;
    void release(const Result<Done>& outcome, Resumer& resumer) override;
    /// Returns when released.
    Result<Done> wait();

  private:
    std::function<void(Shard&)> act_;
    std::mutex mutex_{};
    std::condition_variable released_{};
    std::optional<Result<Done>> outcome_{};
};

}  // namespace ff::host
