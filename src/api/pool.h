#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace ff::api {

/// How many requests of a kind may be under way. A full pool refuses at once and never queues.
/// Lives on the server's loop; permits may outlive it.
class Pool {
  public:
    Pool(std::string name, std::size_t size);

    /// Returns itself to the pool when it goes.
    class Permit {
      public:
        Permit(Permit&&) noexcept = default;
        Permit& operator=(Permit&& other) noexcept;
        ~Permit();

      private:
        friend class Pool;
        explicit Permit(std::shared_ptr<std::size_t> used) : used_(std::move(used)) {}
        void give_back();
        std::shared_ptr<std::size_t> used_;  // shared with the pool and the other permits
    };

    /// `too_many_requests` naming the pool and its size, or `shutting_down` after close().
    Result<Permit> take();
    /// Nothing is given out any more.
    void close() { closed_ = true; }

    std::size_t used() const { return *used_; }
    std::size_t size() const { return size_; }
    /// Requests that found it full.
    std::uint64_t rejected() const { return rejected_; }
    const std::string& name() const { return name_; }

  private:
    std::string name_;
    std::size_t size_;
    std::shared_ptr<std::size_t> used_;
    std::uint64_t rejected_ = 0;
    bool closed_ = false;
};

struct PoolSizes {
    std::size_t stream_ops = 64;
    std::size_t sse = 1024;
    std::size_t claim_waits = 1024;
};

/// The pools of spec 07, section 2.6.
struct Pools {
    explicit Pools(const PoolSizes& sizes)
        : stream_ops("stream_ops", sizes.stream_ops),
          sse("sse", sizes.sse),
          claim_waits("claim_waits", sizes.claim_waits) {}

    Pool stream_ops;
    Pool sse;
    Pool admin_rotate{"admin_rotate", 1};
    Pool claim_waits;
};

}  // namespace ff::api
